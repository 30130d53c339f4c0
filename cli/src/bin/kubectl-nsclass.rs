//! `kubectl nsclass`: kubectl runs whatever is called `kubectl-nsclass`.

fn main() -> std::process::ExitCode {
    nsclass_cli::run("kubectl nsclass")
}
