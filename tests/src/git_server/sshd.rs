//! A real sshd on loopback, with keys made for it.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::origin::{NAME, Origin};
use crate::assets::{SSHD, find_debian};
use crate::control_plane::Port;
use crate::process::{Launch, Process, ScratchDir};

/// A running sshd that lets one key in, as whoever runs the tests. Killed on drop.
#[derive(Debug)]
pub struct Ssh {
    process: Option<Process>,
    port: Port,
    root: PathBuf,
    user: String,
    programs: PathBuf,
    dir: ScratchDir,
}

impl Ssh {
    /// Serves `origin`.
    ///
    /// # Errors
    /// When there is no sshd on this machine and none to fetch, or it does not get ready: with the end of its log.
    pub async fn start(origin: &Origin) -> Result<Self> {
        let programs = tokio::task::spawn_blocking(|| find_debian(&SSHD)).await??;
        let dir = ScratchDir::new("nsclass-sshd-")?;
        let user = text(Command::new("id").arg("-un"))?;
        keygen(&dir.path().join("host"), "")?;
        keygen(&dir.path().join("client"), "")?;
        fs::copy(dir.path().join("client.pub"), dir.path().join("authorized"))?;
        let mut ssh =
            Self { process: None, port: Port::reserve()?, root: origin.root().to_owned(), user, programs, dir };
        ssh.serve().await?;
        Ok(ssh)
    }

    /// The repository's address.
    pub fn url(&self) -> String {
        format!("ssh://{}@127.0.0.1:{}{}", self.user, self.port.number, self.root.join(NAME).display())
    }

    /// The client's private key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn identity(&self) -> Result<String> {
        Ok(fs::read_to_string(self.dir.path().join("client"))?)
    }

    /// A key that the server does not know.
    ///
    /// # Errors
    /// When none can be made.
    pub fn stranger(&self) -> Result<String> {
        let path = self.dir.path().join("stranger");
        keygen(&path, "")?;
        Ok(fs::read_to_string(path)?)
    }

    /// A key that asks for a passphrase.
    ///
    /// # Errors
    /// When none can be made.
    pub fn locked(&self) -> Result<String> {
        let path = self.dir.path().join("locked");
        keygen(&path, "a passphrase")?;
        Ok(fs::read_to_string(path)?)
    }

    /// What `known_hosts` must hold for it now.
    ///
    /// # Errors
    /// When its key cannot be read.
    pub fn known_hosts(&self) -> Result<String> {
        let key = fs::read_to_string(self.dir.path().join("host.pub"))?;
        Ok(format!("[127.0.0.1]:{} {key}", self.port.number))
    }

    /// Shows another host key from now on, as another machine would.
    ///
    /// # Errors
    /// When it does not get ready again.
    pub async fn change_host_key(&mut self) -> Result<()> {
        self.process = None;
        fs::remove_file(self.dir.path().join("host"))?;
        keygen(&self.dir.path().join("host"), "")?;
        self.serve().await
    }

    async fn serve(&mut self) -> Result<()> {
        let dir = self.dir.path();
        let config = dir.join("config");
        fs::write(&config, configuration(dir, self.port.number))?;
        let sshd = self.programs.join("sshd");
        let libraries = libraries(&self.programs);
        let (program, args) = if self.user == "root" { contained(dir, &sshd, &config)? } else { plain(&sshd, &config) };
        let process = Process::start(Launch {
            name: "sshd".into(),
            program,
            args: args.into_iter().map(Into::into).collect(),
            envs: libraries.map(|path| ("LD_LIBRARY_PATH".into(), Some(path.into()))).into_iter().collect(),
            dir: None,
            stdout: dir.join("log"),
            stderr: dir.join("log"),
        })?;
        let port = self.port.number;
        let ready = async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
            Ok(())
        };
        process.eventually("sshd listens", ready).await?;
        self.process = Some(process);
        Ok(())
    }
}

fn configuration(dir: &Path, port: u16) -> String {
    let mut config = String::new();
    let dir = dir.display();
    // invariant: writing to a String cannot fail.
    let _ = write!(
        config,
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {dir}/host\nPidFile none\nAuthorizedKeysFile {dir}/authorized\n\
         StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n\
         PrintMotd no\nPrintLastLog no\nUseDNS no\nMaxStartups 100\n"
    );
    config
}

fn plain(sshd: &Path, config: &Path) -> (PathBuf, Vec<String>) {
    (sshd.to_owned(), vec!["-D".into(), "-e".into(), "-f".into(), config.display().to_string()])
}

/// As root sshd wants a user and a directory that only the installed package makes: it gets them in a mount namespace of its own.
fn contained(dir: &Path, sshd: &Path, config: &Path) -> Result<(PathBuf, Vec<String>)> {
    let users = fs::read_to_string("/etc/passwd")?;
    let passwd = dir.join("passwd");
    fs::write(&passwd, format!("{users}sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n"))?;
    let script = format!(
        "mount --bind {} /etc/passwd && mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec {} -D -e -f {}",
        passwd.display(),
        sshd.display(),
        config.display()
    );
    let args = ["--mount", "--", "/bin/sh", "-c", &script];
    Ok((PathBuf::from("unshare"), args.map(str::to_owned).into()))
}

/// Libraries that were fetched with it.
fn libraries(programs: &Path) -> Option<PathBuf> {
    let usr = programs.parent()?;
    let mut found = fs::read_dir(usr.join("lib")).ok()?.flatten().map(|entry| entry.path());
    found.find(|path| path.join("libwrap.so.0").exists()).filter(|_| !usr.starts_with("/usr"))
}

fn keygen(path: &Path, passphrase: &str) -> Result<()> {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-C", "test", "-N", passphrase, "-f"]).arg(path);
    text(&mut command)?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o600))?)
}

fn text(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?} cannot be run"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
