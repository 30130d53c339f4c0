//! Commits made of bytes, by one `git fast-import`: no index, no checkout, and nothing refers to them before all are whole.

use std::{collections::BTreeMap, ffi::OsString, fmt::Write as _, sync::Arc};

use jiff::Timestamp;
use nsclass_shared::livegit::{failure::Failure, person::Person};

use super::{GitError, Repository};

/// Where new commits stand in the copy until they are pushed.
const NEW: &str = "refs/nsclass/new";

/// A file's mode and bytes; `None` for one that goes.
pub type NewFile = Option<(u32, Arc<[u8]>)>;

/// A commit to make.
#[derive(Clone, Debug)]
pub struct NewCommit {
    /// Who made the change.
    pub author: Person,
    /// Who commits.
    pub committer: Person,
    /// When.
    pub time: Timestamp,
    /// The message.
    pub message: String,
    /// Files by path from the repository's root. Never empty.
    pub files: BTreeMap<String, NewFile>,
}

impl Repository {
    /// Makes these commits, one on the other, the first on `base`; with `None` it begins a history. Returns their names.
    ///
    /// # Errors
    /// The program fails, for want of room for instance; then none is there.
    pub async fn commit(&self, base: Option<&str>, commits: &[NewCommit]) -> Result<Vec<String>, GitError> {
        let marks = self.git_dir().join("nsclass-marks");
        let mut option = OsString::from("--export-marks=");
        option.push(&marks);
        // `--force` lets our own reference move on to commits that do not descend from those of the last call.
        let mut args =
            ["fast-import", "--quiet", "--done", "--force", "--date-format=raw"].map(OsString::from).to_vec();
        args.push(option);
        self.run(None, args, stream(base, commits), self.budget.local).await?;
        let printed = std::fs::read_to_string(&marks).map_err(|error| GitError::io(&error))?;
        let made = read_marks(&printed, commits.len());
        made.ok_or_else(|| GitError::new(Failure::GitFailed, "git fast-import did not say what it made"))
    }
}

/// Lines `:MARK OBJECT`, in any order.
fn read_marks(printed: &str, count: usize) -> Option<Vec<String>> {
    let marks: BTreeMap<usize, String> = printed
        .lines()
        .filter_map(|line| {
            let (mark, object) = line.strip_prefix(':')?.split_once(' ')?;
            Some((mark.parse().ok()?, object.to_owned()))
        })
        .collect();
    (1..=count).map(|mark| marks.get(&mark).cloned()).collect()
}

fn stream(base: Option<&str>, commits: &[NewCommit]) -> Vec<u8> {
    let mut stream = Vec::new();
    if base.is_none() {
        stream.extend(format!("reset {NEW}\n\n").into_bytes());
    }
    for (index, commit) in commits.iter().enumerate() {
        let seconds = commit.time.as_second();
        let mut head = format!("commit {NEW}\nmark :{}\n", index + 1);
        // invariant: writing to a String cannot fail.
        let _ = writeln!(head, "author {} {seconds} +0000", commit.author);
        let _ = writeln!(head, "committer {} {seconds} +0000", commit.committer);
        stream.extend(head.into_bytes());
        data(&mut stream, commit.message.as_bytes());
        match base {
            Some(base) if index == 0 => stream.extend(format!("from {base}\n").into_bytes()),
            _ if index > 0 => stream.extend(format!("from :{index}\n").into_bytes()),
            _ => {}
        }
        for (path, file) in &commit.files {
            let path = quoted(path);
            match file {
                Some((mode, bytes)) => {
                    stream.extend(format!("M {mode:o} inline {path}\n").into_bytes());
                    data(&mut stream, bytes);
                }
                None => stream.extend(format!("D {path}\n").into_bytes()),
            }
        }
        stream.push(b'\n');
    }
    stream.extend(b"done\n");
    stream
}

fn data(stream: &mut Vec<u8>, bytes: &[u8]) {
    stream.extend(format!("data {}\n", bytes.len()).into_bytes());
    stream.extend(bytes);
    stream.push(b'\n');
}

/// A path as fast-import reads it, in quotes whatever it holds.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f51_commits_stand_one_on_the_other_with_author_committer_and_bytes_as_they_are() {
        let commit = |name: &str| NewCommit {
            author: Person::of_user(name),
            committer: Person::new("Operator", "o@x"),
            time: Timestamp::UNIX_EPOCH,
            message: "m\nn".into(),
            files: [
                ("a \"b\".yaml".to_owned(), Some((0o100_644, Arc::from(b"x\r\n".as_slice())))),
                ("c".to_owned(), None),
            ]
            .into(),
        };
        let text = String::from_utf8(stream(Some("abc"), &[commit("ann"), commit("bob")])).unwrap();
        let one = |mark: u32, name: &str, from: &str| {
            format!(
                "commit refs/nsclass/new\nmark :{mark}\nauthor {name} <{name}@users.invalid> 0 +0000\n\
                 committer Operator <o@x> 0 +0000\ndata 3\nm\nn\nfrom {from}\n\
                 M 100644 inline \"a \\\"b\\\".yaml\"\ndata 3\nx\r\n\nD \"c\"\n\n"
            )
        };
        assert_eq!(text, one(1, "ann", "abc") + &one(2, "bob", ":1") + "done\n");
    }
}
