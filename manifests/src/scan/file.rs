use std::sync::Arc;

use super::document::{Classified, classify};
use crate::path::FolderPath;
use crate::record::{Fault, FileContent, FileRecord, Interner, When};
use crate::verdict::Reason;
use crate::yaml::{self, ErrorKind};

/// An error of the parser as a fault.
pub(crate) fn yaml_fault(error: &yaml::Error, remedy: &str) -> Fault {
    let kind = error.kind.to_string();
    let (what, remedy) = kind.split_once("; ").unwrap_or((&kind, remedy));
    let reason = match error.kind {
        ErrorKind::NotUtf8 => Reason::NotUtf8,
        ErrorKind::TooLarge(_) | ErrorKind::TooManyDocuments | ErrorKind::TooManyNodes => Reason::TooLarge,
        _ => Reason::MalformedYaml,
    };
    Fault {
        when: When::Always,
        document: u32::try_from(error.document).ok(),
        reason,
        what: format!("line {}, column {}: {what}", error.position.line, error.position.column),
        remedy: remedy.to_owned(),
    }
}

impl FileRecord {
    /// Reads the bytes of a file that is no kustomization.
    pub fn read(path: FolderPath, bytes: Arc<[u8]>, interner: &mut Interner) -> Self {
        let content = content(&bytes, interner);
        Self { path, bytes, content }
    }
}

fn content(bytes: &[u8], interner: &mut Interner) -> FileContent {
    let file = match yaml::parse(bytes) {
        Ok(file) => file,
        Err(error) => {
            let fault = yaml_fault(&error, "repair the YAML, or name the file in .sourceignore if it is no manifest");
            return FileContent::Faulty(vec![fault]);
        }
    };
    let mut documents = Vec::new();
    let mut foreign = None;
    for document in &file.documents {
        match classify(document, file.slice(document.range), interner) {
            Classified::Empty => {}
            Classified::Foreign => {
                foreign.get_or_insert(u32::try_from(document.number).unwrap_or(u32::MAX));
            }
            Classified::Object(record) => documents.push(record),
        }
    }
    match foreign {
        None => {
            documents.shrink_to_fit();
            FileContent::Objects(documents)
        }
        Some(_) if documents.is_empty() => FileContent::Foreign,
        Some(document) => FileContent::Faulty(vec![Fault {
            when: When::Always,
            document: Some(document),
            reason: Reason::MixedFile,
            what: "the document has no apiVersion and kind, beside documents that do".to_owned(),
            remedy: "move it to a file of its own".to_owned(),
        }]),
    }
}
