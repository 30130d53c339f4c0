//! Reading the log file as it grows.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::BARRIER;
use super::event::Event;
use super::requests::Request;

/// What has been read so far.
#[derive(Debug)]
pub(crate) struct AuditLog {
    path: PathBuf,
    /// Where the next line starts.
    offset: u64,
    requests: Vec<Arc<Request>>,
    /// Received, and neither answered nor (a watch) begun to be answered.
    pending: HashSet<String>,
    /// Counted when their answer began; their end is not another request.
    streaming: HashSet<String>,
    barriers: HashSet<String>,
}

/// What every line has; the rest is decoded only where it counts.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "auditID")]
    audit_id: &'a str,
    stage: &'a str,
}

impl AuditLog {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            offset: 0,
            requests: Vec::new(),
            pending: HashSet::new(),
            streaming: HashSet::new(),
            barriers: HashSet::new(),
        }
    }

    /// Reads what is new, up to the last whole line.
    pub(super) fn read(&mut self) -> Result<()> {
        let mut file = File::open(&self.path).with_context(|| format!("{} cannot be read", self.path.display()))?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::new(file);
        let mut line = String::new();
        loop {
            line.clear();
            let length = lines.read_line(&mut line)?;
            // The server is still writing this one.
            if !line.ends_with('\n') {
                return Ok(());
            }
            self.take(&line).with_context(|| format!("audit log: not an event: {line}"))?;
            self.offset += u64::try_from(length)?;
        }
    }

    fn take(&mut self, line: &str) -> Result<()> {
        let Head { audit_id, stage } = serde_json::from_str(line)?;
        if stage == "RequestReceived" {
            self.pending.insert(audit_id.to_owned());
            return Ok(());
        }
        self.pending.remove(audit_id);
        if stage == "ResponseStarted" {
            self.streaming.insert(audit_id.to_owned());
        } else if self.streaming.remove(audit_id) {
            return Ok(());
        }
        let request = serde_json::from_str::<Event>(line)?.into_request();
        if request.name.starts_with(BARRIER) {
            self.barriers.insert(request.name);
        } else {
            self.requests.push(Arc::new(request));
        }
        Ok(())
    }

    /// In the order in which they were answered.
    pub(super) fn requests(&self) -> &[Arc<Request>] {
        &self.requests
    }

    pub(super) fn take_barrier(&mut self, name: &str) -> bool {
        self.barriers.remove(name)
    }

    pub(super) fn pending(&self) -> HashSet<String> {
        self.pending.clone()
    }

    pub(super) fn is_pending(&self, audit_id: &str) -> bool {
        self.pending.contains(audit_id)
    }

    /// The server was killed: what it had received will never be complete, and its last line may be torn.
    pub(crate) fn server_died(&mut self) -> Result<()> {
        self.read()?;
        // What follows the last whole line would run into the first line of the next server.
        OpenOptions::new().write(true).open(&self.path)?.set_len(self.offset)?;
        self.pending.clear();
        self.streaming.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use anyhow::{Result, ensure};
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    fn line(id: &str, stage: &str, verb: &str) -> String {
        let event = json!({
            "auditID": id, "stage": stage, "verb": verb, "requestURI": "/api/v1/namespaces/a/configmaps/b",
            "user": { "username": "test-admin" }, "userAgent": "t",
            "objectRef": { "resource": "configmaps", "namespace": "a", "name": "b", "apiVersion": "v1" },
            "responseStatus": { "code": 200 },
            "requestReceivedTimestamp": "2026-11-29T00:00:00.000000Z", "stageTimestamp": "2026-11-29T00:00:01.000000Z",
        });
        format!("{event}\n")
    }

    fn log(dir: &TempDir, text: &str) -> Result<AuditLog> {
        let path = dir.path().join("audit.log");
        fs::write(&path, text)?;
        Ok(AuditLog::new(path))
    }

    #[test]
    fn a_request_counts_once_and_only_when_it_is_complete() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let mut log = log(&dir, &line("1", "RequestReceived", "update"))?;
        log.read()?;
        ensure!(log.requests().is_empty() && log.is_pending("1"), "{log:?}");
        fs::write(&log.path, line("1", "RequestReceived", "update") + &line("1", "ResponseComplete", "update"))?;
        log.read()?;
        log.read()?;
        ensure!(log.requests().len() == 1 && !log.is_pending("1"), "{log:?}");
        Ok(())
    }

    #[test]
    fn a_watch_counts_when_it_begins_and_not_again_when_it_ends() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let begun = line("1", "RequestReceived", "watch") + &line("1", "ResponseStarted", "watch");
        let mut log = log(&dir, &begun)?;
        log.read()?;
        ensure!(log.requests().len() == 1 && !log.is_pending("1"), "{log:?}");
        fs::write(&log.path, begun + &line("1", "ResponseComplete", "watch"))?;
        log.read()?;
        ensure!(log.requests().len() == 1, "{log:?}");
        Ok(())
    }

    #[test]
    fn a_line_torn_by_a_kill_is_cut_off_and_the_next_server_starts_a_line_of_its_own() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let whole = line("1", "RequestReceived", "create");
        let mut log = log(&dir, &(whole.clone() + "{\"auditID\":\"2\",\"sta"))?;
        log.server_died()?;
        ensure!(fs::read_to_string(&log.path)? == whole && !log.is_pending("1"), "{log:?}");
        Ok(())
    }
}
