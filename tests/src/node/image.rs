//! Images, built by buildah from a Dockerfile with nothing pulled: the operator's own, and what holds pods together.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::programs;
use crate::process::{Launch, Process, ScratchDir};
use crate::program::WORKSPACE;
use crate::progress;

/// The image of a pod's first process.
pub(super) const PAUSE: &str = "localhost/pause:1";
/// What the operator's image is called on the node.
pub const OPERATOR: &str = "localhost/nsclass";
/// The image that stands in for the official one of Rust: this machine's programs are mounted into it while it builds.
const BUILDER: &str = "localhost/nsclass-builder";
/// Every date in an image, in seconds since 1970.
const EPOCH: &str = "0";

/// An image in an archive of Docker's format.
#[derive(Debug, Clone)]
pub struct Image {
    /// The file.
    pub archive: PathBuf,
    /// The hash of its configuration and so of all that it holds.
    pub id: String,
}

/// buildah with a store of its own.
#[derive(Debug)]
pub struct Images {
    dir: ScratchDir,
    buildah: PathBuf,
    /// Where Cargo keeps what it compiles for the image, from one run to the next.
    target: PathBuf,
}

impl Images {
    /// An empty store.
    ///
    /// # Errors
    /// When there is no buildah, or no place for it.
    pub fn new() -> Result<Self> {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| Path::new(WORKSPACE).join("target"), PathBuf::from);
        let target = std::path::absolute(target)?.join("image");
        fs::create_dir_all(&target).with_context(|| format!("{} cannot be made", target.display()))?;
        let dir = ScratchDir::new("nsclass-images-")?;
        fs::create_dir(dir.path().join("tmp"))?;
        let images = Self { buildah: programs::path("buildah")?, target, dir };
        images.make_builder()?;
        Ok(images)
    }

    /// Builds `deploy/Dockerfile` and saves it under `tag`; blocks meanwhile.
    ///
    /// # Errors
    /// When it does not build, with the end of what was said.
    pub fn operator(&self, tag: &str, to: &Path) -> Result<Image> {
        let workspace = Path::new(WORKSPACE).canonicalize()?;
        let toolchain = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(&workspace))?;
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let cargo = cargo.context("neither CARGO_HOME nor HOME is set")?;
        let mounts = [
            ("/usr".to_owned(), "/usr:ro"),
            ("/etc/alternatives".to_owned(), "/etc/alternatives:ro"),
            (toolchain.trim().to_owned(), "/rust:ro"),
            (cargo.display().to_string(), "/cargo"),
            (self.target.display().to_string(), "/target"),
        ];
        let mut args = vec![format!("--build-arg=BUILDER={BUILDER}"), format!("--build-arg=SOURCE_DATE_EPOCH={EPOCH}")];
        args.extend(mounts.map(|(from, to)| format!("--volume={from}:{to}")));
        args.push(format!("--file={}", workspace.join("deploy/Dockerfile").display()));
        self.build(&format!("{OPERATOR}:{tag}"), &args, &workspace, "building the operator's image, release code", to)
    }

    /// Builds what holds a pod's namespaces.
    ///
    /// # Errors
    /// As [`Images::operator`].
    pub fn pause(&self, to: &Path) -> Result<Image> {
        let context = self.dir.path().join("pause");
        fs::create_dir_all(&context)?;
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/node/pause.rs");
        let mut rustc = Command::new("rustc");
        rustc.args(["-C", "target-feature=+crt-static", "-C", "panic=abort", "-C", "strip=symbols", "-O", source]);
        output(rustc.current_dir(&context))?;
        fs::write(context.join("Dockerfile"), "FROM scratch\nCOPY pause /pause\nENTRYPOINT [\"/pause\"]\n")?;
        self.build(PAUSE, &[], &context, "building the pause image", to)
    }

    /// Symlinks and mount points: what is behind them comes from the machine, and nothing of it stays in the image.
    fn make_builder(&self) -> Result<()> {
        let context = self.dir.path().join("builder");
        let root = context.join("root");
        for dir in ["usr", "etc/alternatives", "tmp", "rust", "cargo", "target"] {
            fs::create_dir_all(root.join(dir))?;
        }
        for link in ["bin", "sbin", "lib", "lib64"] {
            symlink(format!("usr/{link}"), root.join(link))?;
        }
        let dockerfile = "FROM scratch\nCOPY root/ /\n\
                          ENV PATH=/rust/bin:/usr/sbin:/usr/bin CARGO_HOME=/cargo CARGO_TARGET_DIR=/target\n";
        fs::write(context.join("Dockerfile"), dockerfile)?;
        self.run("build", &["--quiet".to_owned(), format!("--tag={BUILDER}")], Some(&context), "making a builder")
    }

    fn build(&self, name: &str, args: &[String], context: &Path, what: &str, to: &Path) -> Result<Image> {
        let id = self.dir.path().join("id");
        let mut all =
            vec![format!("--tag={name}"), format!("--timestamp={EPOCH}"), format!("--iidfile={}", id.display())];
        all.extend_from_slice(args);
        self.run("build", &all, Some(context), what)?;
        let archive = to.join(format!("{}.tar", name.replace(['/', ':'], "-")));
        let target = format!("docker-archive:{}:{name}", archive.display());
        self.run("push", &[name.to_owned(), target], None, "saving an image")?;
        Ok(Image { archive, id: fs::read_to_string(id)?.trim().to_owned() })
    }

    fn run(&self, command: &str, args: &[String], context: Option<&Path>, what: &str) -> Result<()> {
        let store = |part: &str| self.dir.path().join(part).display().to_string();
        let mut all =
            vec!["--root".to_owned(), store("store"), "--runroot".to_owned(), store("run"), command.to_owned()];
        all.extend_from_slice(args);
        all.extend(context.map(|context| context.display().to_string()));
        let log = self.dir.path().join("log");
        let buildah = Process::start(Launch {
            name: format!("buildah {command}"),
            program: self.buildah.clone(),
            args: all.into_iter().map(Into::into).collect(),
            // Steps run in a changed root directory: no container engine, no network of their own.
            envs: [("BUILDAH_ISOLATION", "chroot"), ("TMPDIR", &store("tmp"))]
                .map(|(name, value)| (name.into(), Some(value.into())))
                .into(),
            dir: None,
            stdout: log.clone(),
            stderr: log,
        })?;
        progress::wait(&buildah, what)
    }
}

fn output(command: &mut Command) -> Result<String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{shown} cannot be run"))?;
    ensure!(output.status.success(), "{shown}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?)
}
