//! What opens a repository, in files that nobody else can read, for as long as one call takes (folders.md F55).

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use nsclass_shared::livegit::{redact::percent_encoded, url::Transport};

use super::{
    GitError,
    environment::{CONFIGURATION, protocol},
};
use crate::livegit::change::Remote;

/// A private directory with the program's configuration and the credentials of one remote. Gone with this value.
#[derive(Debug)]
pub struct Keys {
    dir: PathBuf,
    ssh: Option<OsString>,
}

impl Keys {
    /// Writes the files into `dir`, which is made anew.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn write(dir: PathBuf, remote: Option<&Remote>) -> Result<Self, GitError> {
        let mut keys = Self { dir, ssh: None };
        keys.fill(remote).map_err(|error| GitError::io(&error))?;
        Ok(keys)
    }

    fn fill(&mut self, remote: Option<&Remote>) -> io::Result<()> {
        match fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        DirBuilder::new().mode(0o700).create(&self.dir)?;
        let mut config = CONFIGURATION.to_owned();
        if let Some(remote) = remote {
            let transport = remote.url.transport;
            config.extend([format!("[protocol \"{}\"]\n\tallow = always\n", protocol(transport))]);
            match transport {
                Transport::Https => self.https(remote, &mut config)?,
                Transport::Ssh => self.ssh(remote)?,
                Transport::Local => {}
            }
        }
        self.file("config", &config)
    }

    fn https(&self, remote: &Remote, config: &mut String) -> io::Result<()> {
        let credentials = &remote.credentials;
        let origin = format!("https://{}", remote.url.host);
        if let Some((user, password)) = &credentials.basic {
            let line = format!("https://{}:{}@{}\n", percent_encoded(user), percent_encoded(password), remote.url.host);
            self.file("credentials", &line)?;
            // A helper is run by a shell.
            let path = self.dir.join("credentials").display().to_string().replace('\'', r"'\''");
            let helper = format!("store --file='{path}'");
            config.extend([format!("[credential \"{origin}\"]\n\thelper = \"{}\"\n", quoted(&helper))]);
        }
        if let Some(token) = &credentials.bearer {
            // Only for this server, and redirects are not followed.
            config.extend([format!(
                "[http \"{origin}/\"]\n\textraHeader = \"Authorization: Bearer {}\"\n",
                quoted(token)
            )]);
        }
        if let Some(ca) = &credentials.ca {
            self.file("ca.crt", ca)?;
            let path = self.dir.join("ca.crt").display().to_string();
            config.extend([format!("[http]\n\tsslCAInfo = \"{}\"\n", quoted(&path))]);
        }
        Ok(())
    }

    fn ssh(&mut self, remote: &Remote) -> io::Result<()> {
        let Some(identity) = &remote.credentials.ssh else { return Ok(()) };
        self.file("identity", &identity.key)?;
        self.file("known_hosts", &identity.known_hosts)?;
        let path = |name| format!("'{}'", self.dir.join(name).display().to_string().replace('\'', r"'\''"));
        let (identity, known_hosts) = (path("identity"), path("known_hosts"));
        self.ssh = Some(
            format!(
                "ssh -F /dev/null -i {identity} -o UserKnownHostsFile={known_hosts} -o GlobalKnownHostsFile=/dev/null \
                 -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes \
                 -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no -o ForwardAgent=no -o UpdateHostKeys=no \
                 -o PermitLocalCommand=no -o ControlPath=none -o ConnectTimeout=15 -o ServerAliveInterval=10 \
                 -o ServerAliveCountMax=3"
            )
            .into(),
        );
        Ok(())
    }

    fn file(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.dir.join(name))?;
        file.write_all(text.as_bytes())
    }

    /// Where the files are.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// How ssh is called, for an SSH remote.
    pub(super) fn ssh_command(&self) -> Option<&OsString> {
        self.ssh.as_ref()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // What is left behind is overwritten by the next call; there is nobody to tell here.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A text inside a quoted value of Git's configuration.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
