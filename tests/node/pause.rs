//! What holds a pod's namespaces: a static program that does nothing, for as long as the pod lives.

fn main() {
    loop {
        std::thread::park();
    }
}
