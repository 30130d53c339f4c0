//! Random folders: trees of kustomizations with namespaces, files, bindings and `..` entries. A stream of dice decides
//! everything, and zero is always the plainest choice, so that failures shrink to small folders.

use std::fmt::Write;

use super::world::Files;

/// Numbers that decide; zero once they are used up.
pub struct Dice<'d> {
    numbers: std::slice::Iter<'d, u16>,
    names: usize,
}

impl<'d> Dice<'d> {
    /// Dice that show these numbers.
    pub fn new(numbers: &'d [u16]) -> Self {
        Self { numbers: numbers.iter(), names: 0 }
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.numbers.next().map_or(0, |number| usize::from(*number) % sides)
    }

    /// True once in `of` throws.
    pub fn rarely(&mut self, of: usize) -> bool {
        self.roll(of) == of - 1
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.roll(choices.len())]
    }
}

const DIRECTORIES: [&str; 7] = ["", "base", "apps", "apps/web", "overlays/one", "overlays/two", "base/nested"];
const NAMESPACES: [&str; 3] = ["team-a", "team-b", "default"];

/// A folder.
pub fn folder(dice: &mut Dice<'_>) -> Files {
    let mut files = Files::new();
    let count = 1 + dice.roll(4);
    let directories: Vec<&str> = (0..count).map(|_| dice.pick(&DIRECTORIES)).collect();
    // One namespace for most of a folder, so that many folders are valid.
    let usual = dice.pick(&NAMESPACES);
    for (at, directory) in directories.iter().enumerate() {
        let mut entries = Vec::new();
        for number in 0..=dice.roll(3) {
            let name = format!("f{at}{number}.yaml");
            files.insert(join(directory, &name), file(dice, usual).into_bytes());
            entries.push(if dice.rarely(6) { format!("./{name}") } else { name });
        }
        for target in &directories[..at] {
            if target != directory && dice.roll(3) > 0 {
                let slash = if dice.rarely(5) { "/" } else { "" };
                entries.push(relative(directory, target) + slash);
            }
        }
        if dice.rarely(60) {
            let odd = ["missing.yaml", "../f00.yaml", ".", "..", "f00.yaml", "base//x", "f00..yaml"];
            entries.push(dice.pick(&odd).to_owned());
        }
        if dice.rarely(12) {
            entries.pop();
        }
        if !dice.rarely(15) {
            let name = dice.pick(&["kustomization.yaml", "kustomization.yml", "Kustomization"]);
            files.insert(join(directory, name), kustomization(dice, usual, &entries).into_bytes());
        }
    }
    files
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn relative(from: &str, to: &str) -> String {
    let up = from.split('/').filter(|part| !part.is_empty()).count();
    let path = "../".repeat(up) + to;
    if path.is_empty() { ".".to_owned() } else { path.trim_end_matches('/').to_owned() }
}

fn kustomization(dice: &mut Dice<'_>, usual: &str, entries: &[String]) -> String {
    // What names other kustomizations often leaves the namespace to them, so that several meet in one render.
    let leaves_it = entries.iter().any(|entry| entry.contains("..") || !entry.contains(".yaml")) && dice.roll(2) == 1;
    let mut text = String::new();
    if dice.roll(2) == 1 {
        text.push_str("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n");
    }
    match dice.roll(8) {
        _ if leaves_it => {}
        0..=3 => writeln!(text, "namespace: {usual}").unwrap(),
        4 | 5 => writeln!(text, "namespace: {}", dice.pick(&NAMESPACES)).unwrap(),
        _ => {}
    }
    text.push_str(dice.pick(&[
        "",
        "",
        "sortOptions:\n  order: fifo\n",
        "generatorOptions: {}\n",
        "patches: []\n",
        "metadata:\n  name: x\n",
    ]));
    text.push_str("resources:\n");
    for entry in entries {
        writeln!(text, "- {entry}").unwrap();
    }
    if dice.rarely(60) {
        text.push_str(dice.pick(&[
            "unknown: 1\n",
            "Namespace: x\n",
            "namePrefix: x-\n",
            "bases: [base]\n",
            "resources: []\n",
        ]));
    }
    text
}

fn file(dice: &mut Dice<'_>, usual: &str) -> String {
    let mut text = String::new();
    if dice.rarely(5) {
        text.push_str("# a comment\n");
    }
    if dice.rarely(5) {
        text.push_str("---\n");
    }
    for number in 0..=dice.roll(3) {
        if number > 0 {
            text.push_str(dice.pick(&["---\n", "--- # next\n", "---\n# only a comment\n---\n", "---\n\n"]));
        }
        text.push_str(&document(dice, usual));
    }
    if dice.rarely(8) {
        text = text.replace('\n', "\r\n");
    }
    if dice.rarely(10) {
        text = text.trim_end().to_owned();
    }
    text
}

fn metadata(dice: &mut Dice<'_>, name: &str, usual: &str) -> String {
    let mut text = format!("metadata:\n  name: {name}\n");
    match dice.roll(8) {
        4 => writeln!(text, "  namespace: {usual}").unwrap(),
        5 => writeln!(text, "  namespace: {}", dice.pick(&NAMESPACES)).unwrap(),
        6 => text.push_str(dice.pick(&["  namespace: \"\"\n", "  namespace:\n", "  namespace: null\n"])),
        _ => {}
    }
    if dice.rarely(4) {
        text.push_str(dice.pick(&[
            "  annotations: {}\n",
            "  annotations:\n",
            "  annotations:\n    a: 1\n    b: yes\n    c: 0x1F\n    d: 2020-01-01\n    e: ~\n    f:\n",
            "  annotations:\n    config.kubernetes.io/local-config: \"true\"\n",
            "  annotations:\n    config.kubernetes.io/local-config: false\n",
            "  annotations: {config.kubernetes.io/path: x, config.kubernetes.io/index: '1', keep: '2'}\n",
            "  annotations:\n    internal.config.kubernetes.io/index: '0'\n",
            "  annotations:\n    config.kubernetes.io/origin: x\n",
            "  labels: {}\n",
            "  labels:\n    x: \"1\"\n  creationTimestamp: null\n",
        ]));
    }
    text
}

fn name(dice: &mut Dice<'_>) -> &'static str {
    dice.pick(&["a", "b", "c", "default", "d", "e", "f", "g", "h"])
}

/// A name that is mostly taken once.
fn own_name(dice: &mut Dice<'_>) -> String {
    dice.names += 1;
    if dice.rarely(12) { name(dice).to_owned() } else { format!("{}{}", name(dice), dice.names) }
}

fn document(dice: &mut Dice<'_>, usual: &str) -> String {
    let kind = dice.roll(14);
    // What others refer to has a name from the small set.
    let name = if matches!(kind, 2 | 3) && dice.roll(4) < 3 { name(dice).to_owned() } else { own_name(dice) };
    let name = &*name;
    let meta = metadata(dice, name, usual);
    match kind {
        0 | 1 => format!("apiVersion: v1\nkind: ConfigMap\n{meta}data:\n  k: |\n    line\n    line two\n"),
        2 => format!("apiVersion: v1\nkind: ServiceAccount\n{meta}"),
        3 => format!("apiVersion: v1\nkind: Service\n{meta}spec:\n  ports:\n  - port: 80\n    targetPort: 0x50\n"),
        4 | 5 => format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n{meta}{}", binding(dice, usual)),
        6 => format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: {name}\n{}",
            binding(dice, usual)
        ),
        7 => format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: {name}\nwebhooks:\n- name: x.example.com\n  clientConfig:\n    service:\n      name: {}\n{}",
            self::name(dice),
            service_namespace(dice, usual)
        ),
        8 => {
            let own = if dice.rarely(5) { "other" } else { usual };
            format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {own}\n")
        }
        9 => format!(
            "apiVersion: apps/v1\nkind: Deployment\n{meta}spec:\n  replicas: 1\n  template:\n    spec:\n      serviceAccountName: a\n      containers:\n      - &c\n        name: x\n        image: y:1.0\n      initContainers:\n      - <<: *c\n        name: z\n"
        ),
        10 => format!(
            "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata:\n  name: {name}\nspec:\n  group: x\n{}",
            if dice.rarely(3) { String::new() } else { format!("  service:\n    name: {}\n", self::name(dice)) }
        ),
        11 => format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.{name}.example.com\nspec:\n  group: {name}.example.com\n  scope: {}\n  names: {{kind: Widget, plural: widgets}}\n  conversion:\n    strategy: Webhook\n    webhook:\n      clientConfig:\n        service:\n          name: s\n{}",
            dice.pick(&["Namespaced", "Cluster"]),
            dice.pick(&["", "          namespace: former\n"])
        ),
        12 => format!(
            "apiVersion: {name}.example.com/v1\nkind: Widget\n{meta}spec: {{a: , b: 1e3, c: 012, d: 0o14, e: 1_000, f: .5, g: \"\\u00e9\"}}\n"
        ),
        _ => format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\n{meta}spec:\n  defaultBackend:\n    service:\n      name: {}\n      port: {{number: 80}}\n",
            self::name(dice)
        ),
    }
}

fn binding(dice: &mut Dice<'_>, usual: &str) -> String {
    let mut text = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects:\n".to_owned();
    for _ in 0..=dice.roll(3) {
        let kind = dice.pick(&["ServiceAccount", "ServiceAccount", "User", "Group"]);
        let name = self::name(dice);
        writeln!(text, "- kind: {kind}\n  name: {name}").unwrap();
        match dice.roll(5) {
            2 => writeln!(text, "  namespace: {usual}").unwrap(),
            3 => writeln!(text, "  namespace: {}", dice.pick(&["team-a", "team-b", "default", "elsewhere"])).unwrap(),
            4 if dice.rarely(4) => text.push_str(dice.pick(&["  namespace: \"\"\n", "  namespace: null\n"])),
            _ => {}
        }
    }
    text
}

fn service_namespace(dice: &mut Dice<'_>, usual: &str) -> String {
    match dice.roll(4) {
        2 => format!("      namespace: {usual}\n"),
        3 => format!("      namespace: {}\n", dice.pick(&["team-a", "default", "elsewhere", "\"\""])),
        _ => String::new(),
    }
}
