//! Small folders in which kustomize and this engine may part (folders.md F16): what kustomize refuses is never accepted,
//! what both accept renders equally, and what only kustomize accepts is a row of `KUSTOMIZE.md`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nsclass_manifests::folder::Options;
use serde_json::{Map, Value, json};
use support::examples::records;
use support::kustomize;
use support::world::{self, Files, files, rendered};

/// The kustomization of most cases that are about a document.
const USUAL: &str = "namespace: team-a\nresources: [a.yaml]\n";
/// The document of most cases that are about a kustomization.
const PLAIN: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// A name, the kustomization, the file `a.yaml`, and the row of `KUSTOMIZE.md` if only kustomize accepts it.
type Case = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Kustomization files.
    ("plain", USUAL, PLAIN, ""),
    ("with head", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("empty head", "apiVersion: ''\nkind:\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("wrong kind", "kind: Kustomisation\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("wrong version", "apiVersion: kustomize.config.k8s.io/v1\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("component as root", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, "component-root"),
    ("wrong case", "namespace: team-a\nResources: [a.yaml]\n", PLAIN, "key-case"),
    ("unknown key", "namespace: team-a\nresources: [a.yaml]\nfoo: 1\n", PLAIN, ""),
    ("duplicate key", "namespace: team-a\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, "duplicate-keys"),
    ("second document", "namespace: team-a\nresources: [a.yaml]\n---\nfoo: 1\n", PLAIN, "second-document"),
    ("second empty document", "namespace: team-a\nresources: [a.yaml]\n---\n# end\n", PLAIN, ""),
    ("first document empty", "---\n---\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("anchor", "namespace: &n team-a\nresources: [a.yaml]\n", PLAIN, "anchors"),
    ("alias", "metadata: {name: &n x, namespace: *n}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, "anchors"),
    ("tag", "namespace: !!str team-a\nresources: [a.yaml]\n", PLAIN, "anchors"),
    ("empty", "", PLAIN, ""),
    ("comment", "# x\n", PLAIN, ""),
    ("empty namespace", "namespace: ''\n", PLAIN, ""),
    ("empty resources", "resources: []\n", PLAIN, ""),
    ("null resources", "resources:\n", PLAIN, ""),
    ("only metadata", "metadata: {}\n", PLAIN, ""),
    ("only empty patches", "patches: []\n", PLAIN, "says-nothing"),
    ("only bases", "bases: []\n", PLAIN, ""),
    ("namespace no label", "namespace: Team_A\nresources: [a.yaml]\n", PLAIN, "namespace-name"),
    ("namespace number", "namespace: 12\nresources: [a.yaml]\n", PLAIN, ""),
    ("namespace boolean", "namespace: yes\nresources: [a.yaml]\n", PLAIN, ""),
    ("namespace quoted number", "namespace: '12'\nresources: [a.yaml]\n", PLAIN, ""),
    ("namespace null", "namespace:\nresources: [a.yaml]\n", PLAIN, "no-namespace"),
    ("resources text", "namespace: team-a\nresources: a.yaml\n", PLAIN, ""),
    ("resources number", "namespace: team-a\nresources: [1]\n", PLAIN, ""),
    ("resources null item", "namespace: team-a\nresources: [a.yaml, ]\n", PLAIN, ""),
    ("resources empty text", "namespace: team-a\nresources: [a.yaml, '']\n", PLAIN, ""),
    ("twice", "namespace: team-a\nresources: [a.yaml, ./a.yaml]\n", PLAIN, ""),
    ("missing", "namespace: team-a\nresources: [a.yaml, b.yaml]\n", PLAIN, ""),
    ("itself", "namespace: team-a\nresources: [a.yaml, .]\n", PLAIN, ""),
    ("its own file", "namespace: team-a\nresources: [a.yaml, kustomization.yaml]\n", PLAIN, ""),
    ("space around", "namespace: team-a\nresources: ['a.yaml ']\n", PLAIN, ""),
    ("no-op patches", "namespace: team-a\nresources: [a.yaml]\npatches: []\n", PLAIN, ""),
    ("patches of the wrong type", "namespace: team-a\nresources: [a.yaml]\npatches: ''\n", PLAIN, ""),
    ("labels of the wrong type", "namespace: team-a\nresources: [a.yaml]\ncommonLabels: []\n", PLAIN, ""),
    ("prefix of the wrong type", "namespace: team-a\nresources: [a.yaml]\nnamePrefix: {}\n", PLAIN, ""),
    ("openapi empty", "namespace: team-a\nresources: [a.yaml]\nopenapi: {}\n", PLAIN, ""),
    ("helm globals empty", "namespace: team-a\nresources: [a.yaml]\nhelmGlobals: {}\n", PLAIN, ""),
    ("name prefix", "namespace: team-a\nresources: [a.yaml]\nnamePrefix: x-\n", PLAIN, "unsupported-key"),
    ("labels", "namespace: team-a\nresources: [a.yaml]\nlabels: [{pairs: {a: b}}]\n", PLAIN, "unsupported-key"),
    ("build metadata", "namespace: team-a\nresources: [a.yaml]\nbuildMetadata: [originAnnotations]\n", PLAIN, "unsupported-key"),
    ("metadata", "metadata: {name: x, labels: {a: b}, annotations: {c: d}}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("metadata unknown", "metadata: {uid: x}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("metadata text", "metadata: x\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("metadata number", "metadata: {name: 1}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("sort fifo", "sortOptions: {order: fifo}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("sort legacy", "sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Namespace], orderLast: []}}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("sort other", "sortOptions: {order: random}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("sort nothing", "sortOptions: {}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("sort fifo with legacy options", "sortOptions: {order: fifo, legacySortOptions: {orderFirst: [Namespace]}}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("generator options", "generatorOptions: {labels: {a: b}, disableNameSuffixHash: true, immutable: false}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("generator options yes", "generatorOptions: {disableNameSuffixHash: yes}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, "yes-and-no"),
    ("generator options text", "generatorOptions: {disableNameSuffixHash: 'true'}\nnamespace: team-a\nresources: [a.yaml]\n", PLAIN, ""),
    ("a file in bases", "namespace: team-a\nbases: [a.yaml]\n", PLAIN, "file-in-bases"),
    // Files of documents.
    ("no name", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", ""),
    ("no kind", USUAL, "apiVersion: v1\nmetadata: {name: a}\n", ""),
    ("no apiVersion", USUAL, "kind: ConfigMap\nmetadata: {name: a}\n", "no-api-version"),
    ("no object", USUAL, "a: b\n", ""),
    ("a list of things", USUAL, "- a\n- b\n", ""),
    ("text", USUAL, "text\n", ""),
    ("empty file", USUAL, "", ""),
    ("only comments", USUAL, "# x\n---\n# y\n", ""),
    ("null", USUAL, "null\n", ""),
    ("empty mapping", USUAL, "{}\n", "empty-mapping"),
    ("generateName", USUAL, "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\n", ""),
    ("list", USUAL, "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", "lists"),
    ("list of a kind", USUAL, "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", "lists"),
    ("list without items", USUAL, "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n", ""),
    ("list without items and name", USUAL, "apiVersion: example.com/v1\nkind: AllowList\nspec: {}\n", "list-without-name"),
    ("json", USUAL, "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n", ""),
    ("after the end", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n...\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n", "after-the-end"),
    ("end alone", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n...\n", ""),
    ("separator with text", USUAL, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n--- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n", ""),
    ("first separator with text", USUAL, "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n", "separator-with-text"),
    ("directive", USUAL, "%YAML 1.1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", ""),
    ("duplicate key in an object", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b, a: c}\n", ""),
    ("number as key", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {1: b}\n", ""),
    ("boolean as key", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {true: b}\n", ""),
    ("yes as key", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {yes: b}\n", ""),
    ("infinity", USUAL, "apiVersion: example.com/v1\nkind: X\nmetadata: {name: a}\nspec: {x: .inf}\n", ""),
    ("custom tag", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: !x b}\n", "tags"),
    ("name is a number", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 12}\n", "no-string"),
    ("name is a yes", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yes}\n", "no-string"),
    ("namespace is a number", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: 12}\n", "no-string"),
    ("namespace is a mapping", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: {}}\n", ""),
    ("annotations are a list", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: [b]}\n", ""),
    ("annotations are text", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: b}\n", "metadata-types"),
    ("annotation is a mapping", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {b: {c: d}}}\n", "metadata-types"),
    ("labels are a list", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: [b]}\n", "metadata-types"),
    ("annotations of all types", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {a: 1, b: true, c: 1.50, d: 0x1F, e: ~, f: , g: '', h: 2026-01-01}}\n", ""),
    ("empty annotations", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {}, labels: {}}\n", ""),
    ("null annotations", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: , labels: }\n", ""),
    ("dropped annotations", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/index: '1', config.kubernetes.io/origin: x, config.k8s.io/id: '2', internal.config.kubernetes.io/path: p, alpha.config.kubernetes.io/transformations: t}}\n", ""),
    ("steering annotation", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}}\n", "steering-annotations"),
    ("local config", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: yes}}\n", ""),
    ("local config null", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    config.kubernetes.io/local-config:\n", ""),
    ("local config false", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: false}}\n", ""),
    ("anchors in annotations", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {a: &x 1, b: *x}}\n", "aliased-annotations"),
    ("merge keys", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx: &x {a: '1'}\ndata: {<<: *x, b: '2'}\n", ""),
    ("namespace renamed", USUAL, "apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n", "renamed-namespace"),
    ("namespace kept", USUAL, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n", ""),
    ("other kind called Namespace", USUAL, "apiVersion: example.com/v1\nkind: Namespace\nmetadata: {name: other}\n", ""),
    ("cluster-scoped and unknown to kustomize", USUAL, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\n", "scope"),
    ("comma in a name", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'a,b'}\n", ""),
    ("comma in a name without a namespace", "resources: [a.yaml]\n", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'a,b'}\n", ""),
    ("subjects are a mapping", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: {kind: User, name: x}\n", ""),
    ("subjects are null", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects:\n", ""),
    ("subject is text", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: [x]\n", ""),
    ("subject without a name", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: [{kind: User}]\n", ""),
    ("subject with a null namespace", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: [{kind: ServiceAccount, name: x, namespace: }]\n", ""),
    ("user with a null namespace", USUAL, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: [{kind: User, name: x, namespace: ~}]\n", "null-subject-field"),
    ("volumes are text", USUAL, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {volumes: text}}}\n", ""),
    ("api service without a service", USUAL, "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\nspec: {group: x}\n", "api-service"),
    ("api service with a service", USUAL, "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.x}\nspec: {service: {name: x}}\n", ""),
    ("crd with a conversion", USUAL, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.y}\nspec: {conversion: {webhook: {clientConfig: {service: {name: s, namespace: t}}}}}\n", ""),
    ("crd with a conversion without a namespace", USUAL, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.y}\nspec: {conversion: {webhook: {clientConfig: {service: {name: s}}}}}\n", ""),
    ("null in a list", USUAL, "apiVersion: example.com/v1\nkind: X\nmetadata: {name: a}\nspec: [a, , null]\n", ""),
    ("byte order mark", USUAL, "\u{feff}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", ""),
    ("substituted name", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${A}'}\n", "substituted-name"),
    ("own namespace", USUAL, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team-b}\n", "overridden-namespace"),
    ("scalars", USUAL, "apiVersion: example.com/v1\nkind: X\nmetadata: {name: a}\nspec: {a: yes, b: 0644, c: 0o17, d: 1_000, e: 1e3, f: .5, g: 2026-01-01, h: 12:30, i: 0b11, j: 0xF, k: ~, l: 18446744073709551615, m: 1.0, n: +1, o: '=', p: 9223372036854775808}\n", ""),
];

/// A name, the files, the directory that is built, and the row of `KUSTOMIZE.md` if only kustomize accepts it.
type FolderCase = (&'static str, &'static [(&'static str, &'static str)], &'static str, &'static str);

#[rustfmt::skip]
const FOLDERS: &[FolderCase] = &[
    ("nested namespaces", &[("kustomization.yaml", "namespace: team-a\nresources: [b]\n"), ("b/kustomization.yaml", "namespace: team-b\nresources: [a.yaml]\n"), ("b/a.yaml", PLAIN)], "", "nested-namespaces"),
    ("nested namespaces that agree", &[("kustomization.yaml", "namespace: team-a\nresources: [b]\n"), ("b/kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("b/a.yaml", PLAIN)], "", ""),
    ("two overlays of one base", &[("x/kustomization.yaml", "namespace: team-a\nresources: [../b]\n"), ("z/kustomization.yaml", "namespace: team-b\nresources: [../b]\n"), ("b/kustomization.yaml", "resources: [a.yaml]\n"), ("b/a.yaml", PLAIN)], "x", "reached-twice"),
    ("one base twice", &[("kustomization.yaml", "namespace: team-a\nresources: [x, z]\n"), ("x/kustomization.yaml", "resources: [../b]\n"), ("z/kustomization.yaml", "resources: [../b]\n"), ("b/kustomization.yaml", "resources: [a.yaml]\n"), ("b/a.yaml", PLAIN)], "", ""),
    ("json entry", &[("kustomization.yaml", "namespace: team-a\nresources: [a.json]\n"), ("a.json", "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n")], "", "json"),
    ("other extension", &[("kustomization.yaml", "namespace: team-a\nresources: [a.txt]\n"), ("a.txt", PLAIN)], "", ""),
    ("file of a parent", &[("x/kustomization.yaml", "namespace: team-a\nresources: [../a.yaml]\n"), ("a.yaml", PLAIN)], "x", ""),
    ("directory without a kustomization", &[("kustomization.yaml", "namespace: team-a\nresources: [x]\n"), ("x/a.yaml", PLAIN)], "", ""),
    ("two kustomizations", &[("kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("kustomization.yml", "namespace: team-a\nresources: [a.yaml]\n"), ("a.yaml", PLAIN)], "", ""),
    ("parent directory", &[("x/kustomization.yaml", "namespace: team-a\nresources: [..]\n"), ("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", PLAIN)], "x", ""),
    ("dots in a directory", &[("kustomization.yaml", "namespace: team-a\nresources: [x..y]\n"), ("x..y/kustomization.yaml", "resources: [a.yaml]\n"), ("x..y/a.yaml", PLAIN)], "", ""),
    ("dots in a file", &[("kustomization.yaml", "namespace: team-a\nresources: [x..y.yaml]\n"), ("x..y.yaml", PLAIN)], "", ""),
    ("a directory with a slash", &[("kustomization.yaml", "namespace: team-a\nresources: [./x/]\n"), ("x/kustomization.yaml", "resources: [a.yaml]\n"), ("x/a.yaml", PLAIN)], "", ""),
    ("a dot-directory", &[("kustomization.yaml", "namespace: team-a\nresources: [.x]\n"), (".x/kustomization.yaml", "resources: [a.yaml]\n"), (".x/a.yaml", PLAIN)], "", ""),
    ("a base that is a component", &[("kustomization.yaml", "namespace: team-a\nresources: [x]\n"), ("x/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n"), ("x/a.yaml", PLAIN)], "", ""),
    ("a service account of another base", &[("kustomization.yaml", "resources: [x, z]\n"), ("x/kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("x/a.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n"), ("z/kustomization.yaml", "namespace: team-b\nresources: [b.yaml]\n"), ("z/b.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nsubjects: [{kind: ServiceAccount, name: robot}, {kind: ServiceAccount, name: robot, namespace: default}, {kind: ServiceAccount, name: robot, namespace: team-a}]\n")], "", ""),
    ("a role binding beside its account in another namespace", &[("kustomization.yaml", "resources: [x, z]\n"), ("x/kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("x/a.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: other}\n"), ("z/kustomization.yaml", "namespace: team-b\nresources: [b.yaml]\n"), ("z/b.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nsubjects: [{kind: ServiceAccount, name: robot}, {kind: ServiceAccount, name: other, namespace: team-a}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: c}\nsubjects: [{kind: ServiceAccount, name: robot}, {kind: ServiceAccount, name: robot, namespace: default}]\n")], "", ""),
    ("a webhook whose service states its former namespace", &[("kustomization.yaml", "namespace: team-a\nresources: [s.yaml, w.yaml]\n"), ("s.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: t, namespace: team-a}\n"), ("w.yaml", "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: a, clientConfig: {service: {name: s, namespace: default}}}, {name: b, clientConfig: {service: {name: t, namespace: default}}}, {name: c, clientConfig: {service: {name: s, namespace: team-a}}}, {name: d, clientConfig: {service: {name: s, namespace: ''}}}]\n")], "", ""),
    ("default and no namespace are one", &[("kustomization.yaml", "resources: [s.yaml, t.yaml]\n"), ("s.yaml", "apiVersion: example.com/v1\nkind: X\nmetadata: {name: s}\n"), ("t.yaml", "apiVersion: example.com/v1\nkind: X\nmetadata: {name: s, namespace: default}\n")], "", ""),
    ("two service accounts of one name", &[("kustomization.yaml", "resources: [x, z, b.yaml]\n"), ("x/kustomization.yaml", "namespace: team-a\nresources: [a.yaml]\n"), ("x/a.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n"), ("z/kustomization.yaml", "namespace: team-b\nresources: [a.yaml]\n"), ("z/a.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n"), ("b.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nsubjects: [{kind: ServiceAccount, name: robot}]\n")], "", ""),
];

/// Every case as files, with the directory that is built and its row.
fn cases() -> Vec<(&'static str, Files, &'static str, &'static str)> {
    let small =
        CASES.iter().map(|(name, kustomization, document, row)| (*name, folder(kustomization, document), "", *row));
    let large = FOLDERS.iter().map(|(name, list, root, row)| (*name, files(list), *root, *row));
    small.chain(large).collect()
}

/// The files of a case; a document that nothing names is left out.
fn folder(kustomization: &str, document: &str) -> Files {
    let named: &[(&str, &str)] = if kustomization.contains("a.yaml") { &[("a.yaml", document)] } else { &[] };
    files(&[&[("kustomization.yaml", kustomization)], named].concat())
}

/// Whether kustomize accepts each case and what it makes of it: from the real one, checked against what is recorded, or
/// from the record where it cannot be built.
fn theirs() -> Map<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders/differences.json");
    let recorded = || -> Map<String, Value> { serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap() };
    let Some(kustomize) = kustomize::find() else { return recorded() };
    let built = cases().into_iter().map(|(name, files, root, _)| {
        let directory = tempfile::tempdir().unwrap();
        world::store(&files, directory.path());
        let output = kustomize::build_directory(kustomize, &directory.path().join(root));
        (name.to_owned(), output.map_or_else(|_| json!("refused"), |documents| json!(world::comparable(documents))))
    });
    let built: Map<String, Value> = built.collect();
    if records() {
        fs::write(&path, serde_json::to_string_pretty(&built).unwrap() + "\n").unwrap();
    }
    assert_eq!(built, recorded(), "kustomize says something else than what is recorded");
    built
}

#[test]
fn f16_f19_what_kustomize_refuses_is_never_accepted_and_every_other_difference_has_its_row() {
    let theirs = theirs();
    let mut failures = Vec::new();
    let mut rows = BTreeSet::new();
    for (name, files, _, row) in cases() {
        let ours = world::folder(&files, &Options::default());
        let is_valid = ours.verdict().is_valid();
        let output = &theirs[name];
        match (output == "refused", is_valid) {
            (true, true) => failures.push(format!("{name}: kustomize refuses it, and we accept it")),
            (true, false) if !row.is_empty() => {
                failures.push(format!("{name}: kustomize refuses it too, so it is no difference"));
            }
            (true, false) => {}
            (false, true) if !row.is_empty() => {
                failures.push(format!("{name}: both accept it, so it is no difference"));
            }
            (false, true) => {
                let rendered: Vec<Value> = ours.renders().iter().flat_map(|root| rendered(&ours, root)).collect();
                if json!(rendered) != *output {
                    failures.push(format!("{name}: we make of it {rendered:?}, kustomize {output}"));
                }
            }
            (false, false) if row.is_empty() => {
                failures.push(format!("{name}: only we refuse it: {}", ours.verdict().message()));
            }
            (false, false) => {
                rows.insert(row);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("KUSTOMIZE.md")).unwrap();
    let in_table: BTreeSet<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(in_table, rows, "the rows of KUSTOMIZE.md are the differences that are tried here");
}
