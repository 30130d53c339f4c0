//! How much of a folder is looked at before it is refused.

/// Budgets of one scan. Those of one file's documents, values and nesting are the parser's ([`crate::yaml`]).
///
/// What is beyond one is a finding that names the file, never a slow or fat process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file that is read, in bytes.
    pub file_bytes: u64,
    /// Sum of all files that are read, in bytes.
    pub total_bytes: u64,
    /// Number of files and directories that are listed.
    pub entries: usize,
    /// Number of directories above a file, within the folder.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 8 << 20, total_bytes: 512 << 20, entries: 500_000, depth: 256 }
    }
}
