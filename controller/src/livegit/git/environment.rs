//! What the program sees of the world: as little as it needs.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use nsclass_shared::livegit::url::Transport;

/// Variables that are handed on where we have them: where programs are, and how a company's network is left.
const HANDED_ON: [&str; 7] = ["PATH", "TMPDIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE"];

/// The variables of every call. `home` is a directory with our configuration file `config`.
pub(super) fn variables(home: &Path, repository: &Path) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> =
        HANDED_ON.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect();
    let own: [(&str, PathBuf); 13] = [
        ("HOME", home.to_owned()),
        ("GIT_DIR", repository.to_owned()),
        ("GIT_CONFIG_GLOBAL", home.join("config")),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_ATTR_NOSYSTEM", "1".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_LITERAL_PATHSPECS", "1".into()),
        ("GIT_NO_REPLACE_OBJECTS", "1".into()),
        ("GIT_SSH_VARIANT", "ssh".into()),
        ("SSH_ASKPASS_REQUIRE", "never".into()),
        // Complaints are sorted by their English words.
        ("LC_ALL", "C".into()),
        ("LANGUAGE", "C".into()),
    ];
    all.extend(own.map(|(name, value)| (name.into(), value.into_os_string())));
    all
}

/// The configuration that does not depend on the remote.
pub(super) const CONFIGURATION: &str = "\
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tlooseCompression = 1
[pack]
\tthreads = 1
\tcompression = 1
[gc]
\tauto = 0
[maintenance]
\tauto = false
[fetch]
\trecurseSubmodules = false
\twriteCommitGraph = false
[push]
\tfollowTags = false
[credential]
\thelper =
[http]
\tfollowRedirects = false
\tlowSpeedLimit = 1
\tlowSpeedTime = 30
[safe]
\tdirectory = *
[protocol]
\tallow = never
";

/// The one protocol that may be spoken.
pub(super) fn protocol(transport: Transport) -> &'static str {
    match transport {
        Transport::Https => "https",
        Transport::Ssh => "ssh",
        Transport::Local => "file",
    }
}
