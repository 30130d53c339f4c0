//! Secrets, encrypted with the `sops` program for the recipients that the configuration names (folders.md F39).
//!
//! Nobody here can read what was encrypted, and the same text never gives the same cipher. So a document says which state of which object
//! it was made from, and for whom: only where that differs is the Secret encrypted anew. The program gets it through a pipe, and nothing of
//! it is ever on a disk or a command line.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

use nsclass_manifests::{
    edit,
    folder::Folder,
    identity::LiveId,
    plan::{STAMP, stamp},
};
use serde_json::{Value, json};

use super::{
    batch::{Batch, Work},
    change::What,
    git::call::Call,
};

/// Longest that one Secret may take.
const LONGEST: Duration = Duration::from_secs(30);
/// Most bytes of an encrypted Secret: one of a megabyte is a third larger, and then in hexadecimal here and there.
const MOST: u64 = 16 << 20;

/// Encrypts Secrets.
#[derive(Clone, Debug)]
pub struct Sealer {
    program: PathBuf,
    recipients: Vec<String>,
}

/// What becomes of a Secret.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sealed {
    /// Its document was made from this state already.
    AsItStands,
    /// It is written so.
    As(Arc<Value>),
}

/// Those of a batch. A Secret that is not here could not be encrypted, and is refused.
pub(super) type AllSealed = BTreeMap<LiveId, Sealed>;

impl Sealer {
    /// With that program, for these age recipients; `None` without any.
    pub fn new(program: PathBuf, recipients: &[String]) -> Option<Self> {
        (!recipients.is_empty()).then(|| Self { program, recipients: recipients.to_vec() })
    }

    /// Encrypts what of a batch is not in the folder yet.
    pub(super) async fn seal(&self, folder: &Folder, batch: &Batch) -> AllSealed {
        let mut all = AllSealed::new();
        for (id, secret) in secrets(batch) {
            let stamp = self.stamp(secret);
            if stamp_in(folder, id).as_deref() == Some(&*stamp) {
                all.insert(id.clone(), Sealed::AsItStands);
                continue;
            }
            match self.encrypt(secret, &stamp).await {
                Ok(sealed) => {
                    all.insert(id.clone(), Sealed::As(Arc::new(sealed)));
                }
                Err(why) => tracing::warn!(secret = %id, why, "a Secret cannot be encrypted, and is not written"),
            }
        }
        all
    }

    /// Which state of which object, and for whom.
    fn stamp(&self, secret: &Value) -> String {
        let part = |field: &str| secret["metadata"][field].as_str().unwrap_or_default().to_owned();
        format!("{}@{} for {}", part("uid"), part("resourceVersion"), self.recipients.join(","))
    }

    async fn encrypt(&self, secret: &Value, stamp: &str) -> Result<Value, String> {
        // In the order in which it will be written, which the code that guards the values covers.
        let text = edit::new_file(&without_state(secret));
        let recipients = self.recipients.join(",");
        let args = [
            "encrypt",
            "--age",
            &recipients,
            "--encrypted-regex",
            "^(data|stringData)$",
            "--input-type",
            "yaml",
            "--output-type",
            "json",
            "--filename-override",
            "secret.yaml",
        ];
        let path = env::var_os("PATH").map(|path| ("PATH".into(), path));
        let call = Call {
            program: &self.program,
            args: args.map(OsString::from).to_vec(),
            variables: path.into_iter().chain([("HOME".into(), "/".into())]).collect(),
            input: text.into_bytes(),
            deadline: LONGEST,
            most: MOST,
        };
        // What sops says of its input may hold some of it.
        let ended = call.run().await.map_err(|error| format!("sops cannot be run: {}", error.failure))?;
        if !ended.success {
            return Err(format!(
                "sops ended with {:?}; are the recipients right, and is it 3.11 or later?",
                ended.code
            ));
        }
        let mut sealed: Value =
            serde_json::from_slice(&ended.stdout).map_err(|_| "sops answered with no JSON".to_owned())?;
        if !sealed["sops"].is_object() {
            return Err("sops answered with nothing encrypted".to_owned());
        }
        sealed["sops"][STAMP] = json!(stamp);
        Ok(sealed)
    }
}

/// The Secrets that a batch puts, each as it is last.
fn secrets(batch: &Batch) -> BTreeMap<&LiveId, &Value> {
    let is_secret = |id: &LiveId| id.group.is_empty() && &*id.resource == "secrets";
    match &batch.work {
        Work::Changes(steps) => {
            let puts = steps.iter().filter_map(|step| match &step.what {
                What::Put(value) => Some((&step.id, &**value)),
                What::Delete => None,
            });
            puts.filter(|(id, _)| is_secret(id)).collect()
        }
        Work::Resync(resync) => {
            let objects = resync.objects.iter().map(|(id, value)| (id, &**value));
            objects.filter(|(id, _)| is_secret(id)).collect()
        }
    }
}

/// What the document of a Secret was made from, where it is one of ours.
fn stamp_in(folder: &Folder, id: &LiveId) -> Option<String> {
    let path = &folder.find(id)?.file.path;
    let values = folder.values(path).ok()?;
    let own = values.iter().find(|(index, _)| folder.documents()[*index].live.as_ref() == Some(id))?;
    stamp(&own.1).map(str::to_owned)
}

/// A Secret as it is written: without what tells its state.
fn without_state(secret: &Value) -> Value {
    let mut secret = secret.clone();
    if let Some(metadata) = secret["metadata"].as_object_mut() {
        metadata.remove("uid");
        metadata.remove("resourceVersion");
    }
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(version: &str) -> Value {
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "uid": "u", "resourceVersion": version } })
    }

    #[test]
    fn f39_a_secret_is_encrypted_anew_when_it_changed_or_is_for_others() {
        let sealer = |recipients: &[&str]| {
            let recipients: Vec<String> = recipients.iter().map(|one| (*one).to_owned()).collect();
            Sealer::new("sops".into(), &recipients)
        };
        assert!(sealer(&[]).is_none());
        let (one, two) = (sealer(&["age1a"]).unwrap(), sealer(&["age1a", "age1b"]).unwrap());
        assert_eq!(one.stamp(&secret("1")), one.stamp(&secret("1")));
        assert_ne!(one.stamp(&secret("1")), one.stamp(&secret("2")));
        assert_ne!(one.stamp(&secret("1")), two.stamp(&secret("1")));
        assert_eq!(without_state(&secret("1"))["metadata"], json!({ "name": "s" }));
    }
}
