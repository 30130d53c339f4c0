//! `gate:` whether a licence is wanted (scope.md S60–S62).

use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::licence::{GateMode, PublicKey};

/// Most keys: one in use, one for its successor, and some for who holds licences of several issuers.
const MOST_KEYS: usize = 16;

/// Whether a licence is wanted, and whose. Licences are `Secret`s with the label `nsclass.io/licence` in the operator's namespace. Changes
/// take effect while running.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GateConfig {
    /// What a missing licence stops: nothing (`None`), that further namespaces come in (`Hybrid`), or all reconciles of namespaces
    /// (`Strict`).
    pub mode: GateMode,
    /// The public keys that licences may be signed with, as `nsclass licence keygen` prints them. At least one, unless `mode` is `None`.
    pub public_keys: Vec<String>,
}

impl GateConfig {
    pub(super) fn public_keys(&self) -> Result<Vec<PublicKey>, ConfigError> {
        if self.public_keys.len() > MOST_KEYS {
            return Err(ConfigError::TooManyPublicKeys(self.public_keys.len(), MOST_KEYS));
        }
        if self.public_keys.is_empty() && self.mode != GateMode::None {
            return Err(ConfigError::NoPublicKey);
        }
        let read =
            |(index, text): (usize, &String)| text.parse().map_err(|source| ConfigError::PublicKey { index, source });
        self.public_keys.iter().enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn refused(section: &str) -> String {
        Config::parse(&format!("gate: {section}")).and_then(Config::settings).unwrap_err().to_string()
    }

    #[test]
    fn bad13_a_gate_that_nothing_could_open_is_refused() {
        insta::assert_snapshot!(refused("{ mode: Hybrid }"), @"gate.publicKeys: empty, and gate.mode wants a licence; name the key that your licences are signed with, as nsclass licence keygen prints it");
        insta::assert_snapshot!(refused("{ publicKeys: [abc] }"), @r#"gate.publicKeys[0]: "abc" is no public key: 32 bytes as base64, as nsclass licence keygen prints them"#);
        insta::assert_snapshot!(refused("{ mode: Loose }"), @"line 1 column 15: unknown variant `Loose`, expected one of None, Hybrid, Strict");
        insta::assert_snapshot!(refused("{ publicKey: a }"), @"line 1 column 9: unknown field `publicKey`, expected one of mode, publicKeys");
        let many = refused(&format!("{{ publicKeys: [{}] }}", vec!["a"; 17].join(", ")));
        insta::assert_snapshot!(many, @"gate.publicKeys: 17 keys are too many, at most 16");
    }

    #[test]
    fn by_default_no_licence_is_wanted() {
        let settings = Config::default().settings().unwrap();
        assert_eq!((settings.config.gate.mode, settings.public_keys), (crate::licence::GateMode::None, vec![]));
        let key = crate::licence::SigningKey::generate().unwrap().public();
        let config = Config::parse(&format!("gate: {{ mode: Strict, publicKeys: [\"{key}\"] }}")).unwrap();
        assert_eq!(config.settings().unwrap().public_keys, [key]);
    }
}
