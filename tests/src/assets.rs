//! The programs of the control plane: found, or built with Go.
//!
//! In this order: the directory named by `KUBEBUILDER_ASSETS`; the user's cache directory; a build from the Go modules under
//! `tests/control-plane`, into the cache. A machine with none of these gets an error that names the ways out, never a skipped test.

mod build;
mod debian;
mod machine;
mod module;
mod sops;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub use debian::{AGE, PROMETHEUS, Package, SSHD, find_debian};
use machine::Machine;
pub use sops::find_sops;

/// Where Go modules are listed, relative to this crate.
const MODULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/control-plane");

/// One program, the Go package it is built from, and the Go module that gives it its version.
#[derive(Debug)]
struct Tool {
    program: &'static str,
    package: &'static str,
    module: &'static str,
}

/// Programs that are found and built together, from one Go module.
#[derive(Debug)]
pub struct Set {
    /// Directory under [`MODULES`].
    module: &'static str,
    tools: &'static [Tool],
    /// How long the first build takes on two cores, for the person who waits.
    first_build: &'static str,
    /// Whether a directory in `KUBEBUILDER_ASSETS` is expected to hold these programs.
    in_assets: bool,
    /// Flags for the linker, from the version of the first tool.
    ldflags: fn(&str) -> String,
}

/// kube-apiserver, kube-controller-manager and etcd.
pub static CONTROL_PLANE: Set = Set {
    module: "kubernetes",
    tools: &[
        Tool {
            program: "kube-apiserver",
            package: "k8s.io/kubernetes/cmd/kube-apiserver",
            module: "k8s.io/kubernetes",
        },
        Tool {
            program: "kube-controller-manager",
            package: "k8s.io/kubernetes/cmd/kube-controller-manager",
            module: "k8s.io/kubernetes",
        },
        Tool { program: "etcd", package: "go.etcd.io/etcd/server/v3", module: "go.etcd.io/etcd/server/v3" },
    ],
    first_build: "about five minutes the first time",
    in_assets: true,
    ldflags: module::component_base_version,
};

/// kubelet, kube-proxy and kube-scheduler: what a node and its pods take besides [`CONTROL_PLANE`].
pub static NODE: Set = Set {
    module: "kubernetes",
    tools: &[
        Tool { program: "kubelet", package: "k8s.io/kubernetes/cmd/kubelet", module: "k8s.io/kubernetes" },
        Tool { program: "kube-proxy", package: "k8s.io/kubernetes/cmd/kube-proxy", module: "k8s.io/kubernetes" },
        Tool {
            program: "kube-scheduler",
            package: "k8s.io/kubernetes/cmd/kube-scheduler",
            module: "k8s.io/kubernetes",
        },
    ],
    first_build: "half a minute the first time, once the control plane is built",
    in_assets: false,
    ldflags: module::component_base_version,
};

/// kustomize, the judge of what the folder engine says about a kustomization.
pub static KUSTOMIZE: Set = Set {
    module: "kustomize",
    tools: &[Tool {
        program: "kustomize",
        package: "sigs.k8s.io/kustomize/kustomize/v5",
        module: "sigs.k8s.io/kustomize/kustomize/v5",
    }],
    first_build: "half a minute the first time",
    in_assets: false,
    ldflags: |_| String::new(),
};

/// Helm, which renders and installs the chart.
pub static HELM: Set = Set {
    module: "helm",
    tools: &[Tool { program: "helm", package: "helm.sh/helm/v4/cmd/helm", module: "helm.sh/helm/v4" }],
    first_build: "about two minutes the first time",
    in_assets: false,
    ldflags: |version| format!("-X helm.sh/helm/v4/internal/version.version={version}"),
};

impl Set {
    /// The programs that `dir` lacks.
    fn missing_in(&self, dir: &Path) -> Vec<&'static str> {
        self.tools.iter().map(|tool| tool.program).filter(|program| !dir.join(program).is_file()).collect()
    }
}

/// The directory that holds every program of `set`; blocks while they are built.
///
/// # Errors
/// When `KUBEBUILDER_ASSETS` names a directory that lacks one of them, when there is neither that nor a cached build nor Go, and
/// when the build fails.
pub fn find(set: &Set) -> Result<PathBuf> {
    Machine::this()?.find(set)
}

/// The directory for what is kept from one run to the next: `nsclass` in `XDG_CACHE_HOME` or `~/.cache`.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match (set("XDG_CACHE_HOME"), set("HOME")) {
        (Some(cache), _) if cache.is_absolute() => Ok(cache.join("nsclass")),
        (_, Some(home)) => Ok(home.join(".cache/nsclass")),
        _ => bail!("there is no cache directory: set HOME or an absolute XDG_CACHE_HOME"),
    }
}
