use std::sync::Arc;

use super::document::{Classified, classify};
use crate::path::FolderPath;
use crate::record::{Fault, FileContent, FileRecord, Interner, When};
use crate::verdict::Reason;
use crate::yaml::{self, ErrorKind};

/// An error of the parser as a fault.
fn yaml_fault(error: &yaml::Error, remedy: &str) -> Fault {
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

/// Parses a file. `...` before any content is refused here too: Go's readers fail on it.
///
/// # Errors
/// What the parser refuses, as a fault.
pub(crate) fn parse<'b>(bytes: &'b [u8], remedy: &str) -> Result<yaml::File<'b>, Fault> {
    let file = yaml::parse(bytes).map_err(|error| yaml_fault(&error, remedy))?;
    let mut lines = file.text.trim_start_matches('\u{feff}').lines();
    let first = lines.find(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with('#'));
    if first.is_some_and(|line| line.trim_end() == "..." || line.starts_with("... ")) {
        return Err(Fault {
            when: When::Always,
            document: Some(1),
            reason: Reason::MalformedYaml,
            what: "the file begins with `...`, which ends a document before there is one".to_owned(),
            remedy: "remove the line".to_owned(),
        });
    }
    Ok(file)
}

impl FileRecord {
    /// Reads the bytes of a file that is no kustomization.
    pub fn read(path: FolderPath, bytes: Arc<[u8]>, interner: &mut Interner) -> Self {
        let content = content(&bytes, interner);
        Self { path, bytes, content }
    }
}

fn content(bytes: &[u8], interner: &mut Interner) -> FileContent {
    let file = match parse(bytes, "repair the YAML, or name the file in .sourceignore if it is no manifest") {
        Ok(file) => file,
        Err(fault) => return FileContent::Faulty(vec![fault]),
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
