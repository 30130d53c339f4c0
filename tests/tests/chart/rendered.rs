//! What the chart renders to, without a cluster.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use nsclass_controller::webhook_configuration::Template;
use nsclass_shared::config::{Config, Settings};
use nsclass_shared::names::controller_lease;
use nsclass_tests::helm::{CHART, chart_file};
use serde_json::{Value, json};

use crate::stage::{Rendered, helm, title};
use crate::values::COMBINATIONS;

fn settings(rendered: &Rendered) -> Result<Settings> {
    Ok(Config::parse(&rendered.config()?)?.settings()?)
}

/// Pod specs, with what they belong to.
fn pods(rendered: &Rendered) -> Vec<(String, &Value)> {
    let of = ["Deployment", "Job"].into_iter().flat_map(|kind| rendered.kind(kind));
    of.map(|object| (title(object), &object["spec"]["template"]["spec"])).collect()
}

#[test]
fn the_chart_has_nothing_that_lint_complains_of() -> Result<()> {
    helm()?.run(["lint", "--strict", CHART])?.ok().map(drop)
}

#[test]
fn every_documented_combination_renders_a_configuration_that_the_processes_take() -> Result<()> {
    for (name, values) in COMBINATIONS {
        let rendered = Rendered::with(values).context(*name)?;
        let settings =
            settings(&rendered).with_context(|| format!("{name}: {}", rendered.config().unwrap_or_default()))?;
        let template = rendered.get("ConfigMap", &settings.config.certificates.template_config_map()).context(*name)?;
        let text = template["data"]["webhook-configuration.yaml"].as_str().context("no template")?;
        Template::parse(text).with_context(|| format!("{name}: {text}"))?;
        rendered.get("Lease", &controller_lease(&settings.config.instance))?;
        let twice: BTreeSet<String> = rendered.names().into_iter().collect();
        ensure!(twice.len() == rendered.all().len(), "{name}: two objects of one name: {:?}", rendered.names());
    }
    Ok(())
}

#[test]
fn the_files_fields_are_all_values_and_have_the_processes_own_defaults() -> Result<()> {
    let rendered = settings(&Rendered::with(&[])?)?.config;
    let own = Config::default();
    let certificates = own.certificates.clone();
    ensure!(rendered == own, "the chart says\n{rendered}\nand the processes\n{own}");
    ensure!(certificates.service == "nsclass-webhook", "{}", certificates.service);
    let changed = COMBINATIONS.iter().find(|(name, _)| *name == "times").context("no such combination")?.1;
    let config = settings(&Rendered::with(changed)?)?.config;
    ensure!(config.controller.workers == 4 && config.webhook.max_in_flight == 10, "{config}");
    ensure!(config.leader_election.lease_duration_seconds == 30, "{config}");
    ensure!(config.certificates.authority_seconds == 100_000, "{config}");
    Ok(())
}

#[test]
fn s02_a_selector_that_is_empty_and_one_that_is_not_there_are_two_things() -> Result<()> {
    ensure!(settings(&Rendered::with(&[])?)?.config.scope.namespace_selector.is_none(), "a selector by default");
    let config = settings(&Rendered::with(&["scope.namespaceSelector={}"])?)?.config;
    ensure!(config.scope.is_empty_selector(), "{config}");
    Ok(())
}

#[test]
fn every_pod_is_restricted() -> Result<()> {
    for (name, values) in COMBINATIONS {
        let rendered = Rendered::with(values)?;
        for (title, pod) in pods(&rendered) {
            let security = &pod["securityContext"];
            ensure!(security["runAsNonRoot"] == true, "{name}: {title}: {security}");
            ensure!(security["seccompProfile"]["type"] == "RuntimeDefault", "{name}: {title}: {security}");
            let containers = pod["containers"].as_array().context("no containers")?;
            for container in containers {
                let expected = json!({ "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                    "capabilities": { "drop": ["ALL"] } });
                ensure!(container["securityContext"] == expected, "{name}: {title}: {container}");
                ensure!(container["resources"]["limits"]["memory"].is_string(), "{name}: {title}: no memory limit");
            }
        }
    }
    Ok(())
}

#[test]
fn probes_and_services_lead_to_the_ports_of_the_configuration() -> Result<()> {
    let rendered = Rendered::with(&[])?;
    let config = settings(&rendered)?.config;
    for (name, admin) in [("controller", config.controller.admin_address), ("webhook", config.webhook.admin_address)] {
        let deployment = rendered.get("Deployment", &format!("nsclass-{name}"))?;
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        let ports = container["ports"].as_array().context("no ports")?;
        let admin_port = ports.iter().find(|port| port["name"] == "admin").context("no port admin")?;
        ensure!(admin_port["containerPort"] == admin.port(), "{admin_port}");
        let probe = |probe: &str| (&container[probe]["httpGet"]["path"], &container[probe]["httpGet"]["port"]);
        ensure!(probe("livenessProbe") == (&json!("/livez"), &json!("admin")), "{container}");
        ensure!(probe("readinessProbe") == (&json!("/readyz"), &json!("admin")), "{container}");
        ensure!(deployment["spec"]["replicas"] == 2, "{deployment}");
    }
    let webhook = rendered.get("Deployment", "nsclass-webhook")?;
    let ports = &webhook["spec"]["template"]["spec"]["containers"][0]["ports"];
    ensure!(ports[0] == json!({ "name": "admission", "containerPort": config.webhook.address.port() }), "{ports}");
    // The leader asks each listed port for a handshake, so there is one.
    let service = rendered.get("Service", &config.certificates.service)?;
    ensure!(service["spec"]["ports"].as_array().map(Vec::len) == Some(1), "{service}");
    Ok(())
}

#[test]
fn the_guarded_keys_stand_in_the_configuration_and_in_the_policy() -> Result<()> {
    let rendered = Rendered::with(&["policy.guardedKeys=[\"example.com/owner\",\"cost-centre\"]"])?;
    ensure!(settings(&rendered)?.config.policy.guarded_keys == ["example.com/owner", "cost-centre"], "not configured");
    let policy = rendered.get("ValidatingAdmissionPolicy", "nsclass-namespace-keys")?;
    let variables = policy["spec"]["variables"].as_array().context("no variables")?;
    let keys = variables.iter().find(|variable| variable["name"] == "guardedKeys").context("no guardedKeys")?;
    ensure!(keys["expression"] == "[] + [\"example.com/owner\",\"cost-centre\"]", "{keys}");
    Ok(())
}

#[test]
fn a15_policies_leave_out_every_operators_namespace() -> Result<()> {
    let rendered = Rendered::of(["x", "ops"], &["policies.operatorNamespaces=[\"blue\"]"])?;
    let policy = rendered.get("ValidatingAdmissionPolicy", "nsclass-marks")?;
    let values = &policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"][0]["values"];
    ensure!(*values == json!(["kube-system", "ops", "blue"]), "{values}");
    Ok(())
}

#[test]
fn a07_the_policy_that_requires_a_class_is_narrowed_to_the_selector() -> Result<()> {
    let rendered = Rendered::with(&["policies.requireClass={\"matchLabels\":{\"tenant\":\"true\"}}"])?;
    let policy = rendered.get("ValidatingAdmissionPolicy", "nsclass-require-class")?;
    let selector = &policy["spec"]["matchConstraints"]["namespaceSelector"];
    ensure!(selector["matchLabels"] == json!({ "tenant": "true" }), "{selector}");
    ensure!(selector["matchExpressions"][0]["operator"] == "NotIn", "{selector}");
    Ok(())
}

#[test]
fn two_releases_of_two_instances_share_no_name() -> Result<()> {
    let one = Rendered::with(&[])?;
    let shared = ["instance=\"blue\"", "crds.enabled=false", "policies.enabled=false"];
    for release in [["blue", "blue-system"], ["blue", "nsclass-system"]] {
        let two = Rendered::of(release, &shared)?;
        let names: BTreeSet<String> = one.names().into_iter().collect();
        let both: Vec<String> = two.names().into_iter().filter(|name| names.contains(name)).collect();
        ensure!(both.is_empty(), "{release:?}: {both:?}");
    }
    Ok(())
}

#[test]
fn definitions_stay_when_the_release_goes_and_are_the_generated_ones() -> Result<()> {
    let rendered = Rendered::with(&[])?;
    for definition in nsclass_shared::api::crds() {
        let name = definition.metadata.name.clone().unwrap_or_default();
        let object = rendered.get("CustomResourceDefinition", &name)?;
        ensure!(object["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep", "{name}");
        let spec: Value = serde_json::to_value(&definition.spec)?;
        let mut found = object["spec"].clone();
        // A schema's limits are floating-point numbers in Rust.
        whole(&mut found);
        let mut expected = spec;
        whole(&mut expected);
        ensure!(found == expected, "{name} is another one");
    }
    Ok(())
}

/// Every number as a floating-point one.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64()),
        Value::Array(list) => list.iter_mut().for_each(whole),
        Value::Object(map) => map.values_mut().for_each(whole),
        _ => {}
    }
}

#[test]
fn the_default_installation_is_the_committed_one() -> Result<()> {
    let committed = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/manifests.yaml"))?;
    let committed = Rendered::parse(&committed)?;
    let rendered = Rendered::parse(&helm()?.manifests()?)?;
    let (namespace, rest) = committed.all().split_first().context("it is empty")?;
    ensure!(title(namespace) == "Namespace /nsclass-system", "{namespace}");
    ensure!(rest == rendered.all(), "deploy/manifests.yaml is not up to date; run `cargo generate`");
    Ok(())
}

#[test]
fn the_chart_has_the_version_of_what_it_installs() -> Result<()> {
    let chart: Value = serde_saphyr::from_str(&fs::read_to_string(chart_file("Chart.yaml"))?)?;
    for field in ["version", "appVersion"] {
        ensure!(chart[field] == env!("CARGO_PKG_VERSION"), "{field} is {}", chart[field]);
    }
    Ok(())
}

#[test]
fn every_value_is_known_to_the_schema_and_the_other_way_round() -> Result<()> {
    let values: Value = serde_saphyr::from_str(&fs::read_to_string(chart_file("values.yaml"))?)?;
    let schema: Value = serde_json::from_str(&fs::read_to_string(chart_file("values.schema.json"))?)?;
    let mut paths = BTreeSet::new();
    let mut known = BTreeSet::new();
    list_values(&values, &schema, "", &mut paths);
    list_schema(&schema, "", &mut known);
    known.remove("/global");
    let optional =
        |path: &String| path.starts_with("/certificates/certManager/issuerRef/") || path.contains("/resources/");
    known.retain(|path| !optional(path));
    paths.retain(|path| !optional(path));
    let missing: Vec<_> = known.symmetric_difference(&paths).collect();
    ensure!(missing.is_empty(), "in one and not in the other: {missing:?}");
    Ok(())
}

/// Paths of values as deep as the schema names them.
fn list_values(values: &Value, schema: &Value, path: &str, into: &mut BTreeSet<String>) {
    for (key, value) in values.as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        let below = &schema["properties"][key];
        if below["properties"].is_object() && value.is_object() {
            list_values(value, below, &path, into);
        }
        into.insert(path);
    }
}

fn list_schema(schema: &Value, path: &str, into: &mut BTreeSet<String>) {
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        // What may be left out has no default to list.
        if below["type"] == "object" {
            list_schema(below, &path, into);
        }
        into.insert(path);
    }
}
