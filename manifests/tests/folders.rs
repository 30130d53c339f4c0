//! The example folders, each with what is said of it and what the real kustomize makes of it (folders.md, "The example
//! folders"). A new "can we support X?" is a new directory.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use nsclass_manifests::verdict::Reason;
use serde_json::Value;
use support::examples::{self, describe};
use support::world::rendered;

fn fail_with(failures: &[String]) {
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_example_folder_says_what_its_expected_file_says() {
    let mut failures = Vec::new();
    for example in examples::all() {
        let folder = example.folder();
        if folder.verdict().is_valid() != example.is_supported {
            failures.push(format!("{}: {}", example.name, folder.verdict().message()));
        }
        failures.extend(example.expect("expected.yaml", &describe(&folder)).err());
    }
    fail_with(&failures);
}

#[test]
fn f16_every_example_folder_renders_as_kustomize_renders_it_and_what_kustomize_refuses_is_never_accepted() {
    let mut failures = Vec::new();
    for example in examples::all() {
        let folder = example.folder();
        let theirs = example.kustomize(&folder);
        let golden = serde_json::to_string_pretty(&theirs).unwrap() + "\n";
        failures.extend(example.expect("kustomize.json", &golden).err());
        let is_valid = folder.verdict().is_valid();
        for (at, output) in &theirs {
            if is_valid && output == "refused" {
                failures.push(format!("{}: kustomize refuses {at}, and the folder is valid", example.name));
            }
        }
        if !is_valid {
            continue;
        }
        for root in folder.renders() {
            let at = folder.graph().node(root.root).directory.to_string();
            if Value::Array(rendered(&folder, root)) != theirs[&at] {
                failures.push(format!("{}: {at} renders as {:?}", example.name, rendered(&folder, root)));
            }
        }
    }
    fail_with(&failures);
}

#[test]
fn f11_each_unsupported_key_yields_no_namespace_and_names_the_key() {
    let keys = [
        ("patches", "patches"),
        ("patches-strategic", "patchesStrategicMerge"),
        ("patches-json6902", "patchesJson6902"),
        ("generators", "configMapGenerator"),
        ("secret-generator", "secretGenerator"),
        ("components", "components"),
        ("helm", "helmCharts"),
        ("name-prefix", "namePrefix"),
        ("name-suffix", "nameSuffix"),
        ("common-labels", "commonLabels"),
        ("labels", "labels"),
        ("common-annotations", "commonAnnotations"),
        ("images", "images"),
        ("replicas", "replicas"),
        ("replacements", "replacements"),
        ("build-metadata", "buildMetadata"),
        ("open-api", "openapi"),
    ];
    for (name, key) in keys {
        let example = examples::all().into_iter().find(|example| example.name == name).unwrap();
        let folder = example.folder();
        let mut refusals = folder.verdict().refusals().iter();
        let about_key = refusals.find(|finding| finding.reason == Reason::UnsupportedKustomization);
        assert!(
            about_key.is_some_and(|finding| finding.what.starts_with(key)),
            "{name}: {}",
            folder.verdict().message()
        );
        let web = folder.documents().iter().find(|document| document.file.path.as_str() == "web.yaml").unwrap();
        assert_eq!((web.source.as_str(), &web.live), ("None", &None), "{name}");
    }
}

#[test]
fn f20_every_finding_names_a_path_says_what_and_what_to_change() {
    for example in examples::all() {
        for finding in example.folder().verdict().refusals() {
            let text = finding.to_string();
            assert!(!finding.what.is_empty() && !finding.remedy.is_empty(), "{}: {text}", example.name);
            assert!(finding.what.starts_with(|c: char| !c.is_uppercase() || text.contains(&finding.what)), "{text}");
            assert!(text.len() < 1500, "{text}");
        }
    }
}
