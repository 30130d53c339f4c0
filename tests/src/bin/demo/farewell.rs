//! What is said at the end: the sum, what to try, what went wrong.

use crate::demo::Demo;
use crate::stage::Stage;

/// All went well.
pub fn summary(demo: &Demo<'_>) {
    let (steps, claims, seconds) = demo.screen.count();
    demo.screen.say(&format!("{steps} steps, {claims} claims checked, none false, {seconds:.0} s."));
}

/// Where to go from here, when nothing is left running.
pub fn next(demo: &Demo<'_>) {
    demo.screen.say("What to try next:");
    demo.screen.table(
        &["", ""],
        &[
            pair("cargo demo -- --git", "live objects, written back to a folder in Git"),
            pair("cargo demo -- --keep", "the same, and then a cluster to play with"),
            pair("cargo demo -- --licence", "the licence gate and the usage report"),
            pair("cargo demo -- --help", "also on a cluster that you have"),
            pair("deploy/examples/README.md", "the classes that you saw, with comments"),
            pair("cargo test --workspace", "every test, those on the real control plane included"),
        ],
    );
}

/// How to look around while everything is running.
pub fn kept(demo: &Demo<'_>, stage: &Stage) {
    let name = |short| demo.name(short);
    demo.screen.say("Everything that was not killed is running, until Ctrl-C. In another terminal, from the root of this repository:");
    demo.screen.command(&format!("export KUBECONFIG={}", stage.kubeconfig.display()));
    let payments = name("payments");
    for command in [
        "kubectl get nsc,nscb".to_owned(),
        format!("kubectl describe nscb {payments}"),
        format!("kubectl -n {payments} get networkpolicy,resourcequota,limitrange,configmap -l nsclass.io/managed"),
        format!("kubectl label namespace {} nsclass.io/name={}", name("playground"), name("baseline")),
        format!("kubectl edit nsc {}", name("baseline")),
        "kubectl explain nsc.spec".to_owned(),
    ] {
        demo.screen.command(&command);
    }
    for process in stage.processes() {
        demo.screen.command(&format!("curl http://{}/debug/scope   # {}", process.admin, process.name));
    }
    if let Some(pair) = stage.pair.get() {
        let log = pair.leader().program().dir().join("stderr");
        demo.screen.command(&format!("tail -f {}", log.display()));
    }
}

/// The end of the controller's log, warnings before anything else: the likeliest place of an explanation.
pub fn log_of_controller(stage: &Stage) -> Option<String> {
    const LINES: usize = 12;
    let log = stage.pair.get()?.leader().log().ok()?;
    let is_loud = |line: &&str| line.contains(" WARN ") || line.contains(" ERROR ");
    let mut lines: Vec<&str> = log.lines().filter(is_loud).collect();
    lines.drain(..lines.len().saturating_sub(LINES));
    (!lines.is_empty()).then(|| format!("the controller's last warnings:\n  {}", lines.join("\n  ")))
}

fn pair(what: &str, why: &str) -> Vec<String> {
    vec![what.to_owned(), why.to_owned()]
}
