//! Folders and disks that misbehave: a clear refusal that names the file, bounded memory and time, nothing written.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod support;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use nsclass_manifests::changeset::{self, WriteError};
use nsclass_manifests::folder::{Folder, Options};
use nsclass_manifests::judge;
use nsclass_manifests::kinds::KindTable;
use nsclass_manifests::limits::Limits;
use nsclass_manifests::path::FolderPath;
use nsclass_manifests::plan::{Change, Plan, Policy, plan};
use nsclass_manifests::scan::scan;
use nsclass_manifests::source::{DirSource, Entry, EntryKind, MapSource, Source, SourceError};
use nsclass_manifests::verdict::Reason;
use serde_json::json;
use support::world::{self, files};

const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: team-a\n";

fn read(directory: &Path) -> Folder {
    judge(scan(&DirSource::open(directory).unwrap(), &Limits::default()), &KindTable::builtin(), &Options::default())
}

/// A folder of which a part may not be read.
struct Denied(MapSource);
impl Source for Denied {
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError> {
        if directory.as_str() == "sub" { Err(SourceError::Denied) } else { self.0.list(directory) }
    }
    fn read(&self, file: &FolderPath, limit: u64) -> Result<Vec<u8>, SourceError> {
        if file.as_str() == "a.yaml" { Err(SourceError::Denied) } else { self.0.read(file, limit) }
    }
    fn kind(&self, path: &FolderPath) -> Result<Option<EntryKind>, SourceError> {
        self.0.kind(path)
    }
}

/// A folder that goes while it is read.
struct Vanishing;
impl Source for Vanishing {
    fn list(&self, directory: &FolderPath) -> Result<Vec<Entry>, SourceError> {
        if !directory.is_root() {
            return Err(SourceError::Gone);
        }
        let entry = |name: &str, kind| Entry { name: name.to_owned(), kind };
        Ok(vec![entry("gone.yaml", EntryKind::File), entry("sub", EntryKind::Directory)])
    }
    fn read(&self, _: &FolderPath, _: u64) -> Result<Vec<u8>, SourceError> {
        Err(SourceError::Gone)
    }
    fn kind(&self, _: &FolderPath) -> Result<Option<EntryKind>, SourceError> {
        Ok(None)
    }
}

/// The first refusal, which must name `path`.
fn refusal(folder: &Folder, path: &str) -> (Reason, String) {
    let first = folder.verdict().refusals().first().unwrap_or_else(|| panic!("{path} is not refused"));
    assert_eq!(first.path.as_str(), path, "{first}");
    (first.reason, first.to_string())
}

fn quickly<T>(what: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = what();
    assert!(start.elapsed() < Duration::from_secs(10), "it took {:?}", start.elapsed());
    result
}

#[test]
fn a_file_of_a_hundred_megabytes_is_refused_without_being_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = fs::File::create(directory.path().join("big.yaml")).unwrap();
    file.set_len(100 << 20).unwrap();
    let folder = quickly(|| read(directory.path()));
    assert_eq!(refusal(&folder, "big.yaml").0, Reason::TooLarge);
    assert_eq!(folder.tree().bytes(), 0);
}

#[test]
fn budgets_of_the_whole_folder_are_refusals_that_name_where_it_stopped() {
    let files = files(&[("a.yaml", OBJECT), ("b.yaml", OBJECT), ("c/d.yaml", OBJECT)]);
    let whole = Limits::default();
    for (limits, path, words) in [
        (Limits { file_bytes: 10, ..whole }, "a.yaml", "larger than 10 bytes"),
        (Limits { total_bytes: 100, ..whole }, "b.yaml", "more than 100 bytes"),
        (Limits { entries: 1, ..whole }, "b.yaml", "more than 1 files"),
        (Limits { depth: 0, ..whole }, "c", "more than 0 deep"),
    ] {
        let tree = scan(&world::source(&files), &limits);
        let folder = judge(tree, &KindTable::builtin(), &Options::default());
        let about = folder.verdict().refusals().iter().find(|finding| finding.reason == Reason::TooLarge).unwrap();
        assert!(about.path.as_str() == path && about.what.contains(words), "{about}");
    }
}

#[test]
fn a_hundred_thousand_empty_documents_are_refused() {
    let folder = quickly(|| world::folder(&files(&[("a.yaml", &"---\n".repeat(100_000))]), &Options::default()));
    assert_eq!(refusal(&folder, "a.yaml").0, Reason::TooLarge);
}

#[test]
fn a_mapping_ten_thousand_deep_is_refused_in_flow_and_in_block_style() {
    let flow = format!("{OBJECT}data: {}1{}\n", "{a: ".repeat(10_000), "}".repeat(10_000));
    let block: String = (0..3_000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    let compact = format!("{OBJECT}data:\n  {}1\n", "- ".repeat(10_000));
    for text in [flow, format!("{OBJECT}data:\n{}", block.replace("a:", " a:")), compact] {
        let folder = quickly(|| world::folder(&files(&[("a.yaml", &text)]), &Options::default()));
        let (_, message) = refusal(&folder, "a.yaml");
        assert!(message.contains("nested more than"), "{message}");
    }
}

#[test]
fn aliases_that_multiply_are_refused_in_bounded_time() {
    let mut text = OBJECT.to_owned() + "spec:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let items = [below.as_str(); 10].join(", ");
        writeln!(text, "  a{level}: &a{level} [{items}]").unwrap();
    }
    let folder = quickly(|| world::folder(&files(&[("a.yaml", &text)]), &Options::default()));
    assert!(refusal(&folder, "a.yaml").1.contains("aliases expand to more than"));
}

#[test]
fn an_unreadable_file_and_an_unreadable_directory_are_named() {
    let directory = tempfile::tempdir().unwrap();
    world::store(&files(&[("a.yaml", OBJECT), ("sub/b.yaml", OBJECT)]), directory.path());
    // The super-user may read anything, so the system's own answer is only asked for where it says no.
    let denied = Denied(world::source(&world::load(directory.path())));
    let folder = judge(scan(&denied, &Limits::default()), &KindTable::builtin(), &Options::default());
    let refused: Vec<_> = folder.verdict().refusals().iter().map(|finding| finding.path.to_string()).collect();
    assert_eq!(refused, ["a.yaml", "sub"]);
    assert!(folder.verdict().message().contains("permission denied"), "{}", folder.verdict().message());
    fs::set_permissions(directory.path().join("a.yaml"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(directory.path().join("a.yaml")).is_err() {
        assert_eq!(refusal(&read(directory.path()), "a.yaml").0, Reason::Unreadable);
    }
}

#[test]
fn what_vanishes_while_it_is_read_is_named() {
    let tree = scan(&Vanishing, &Limits::default());
    let folder = judge(tree, &KindTable::builtin(), &Options::default());
    assert!(refusal(&folder, "gone.yaml").1.contains("vanished"));
    assert_eq!(folder.verdict().refusals().len(), 2);
}

#[test]
fn names_that_are_no_utf8_and_fifos_do_not_hang_or_pass() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.yaml")), OBJECT).unwrap();
    assert_eq!(refusal(&read(directory.path()), "").0, Reason::Unreadable);
    let directory = tempfile::tempdir().unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        directory.path().join("pipe.yaml"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
    assert!(quickly(|| read(directory.path())).verdict().is_valid(), "a FIFO is no file");
}

#[test]
fn a_very_wide_and_a_very_deep_tree_are_read_in_time() {
    let wide: Vec<(String, String)> =
        (0..5_000).map(|at| (format!("d{at}/a.yaml"), OBJECT.replace("name: a", &format!("name: a{at}")))).collect();
    let wide: Vec<(&str, &str)> = wide.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert!(quickly(|| world::folder(&files(&wide), &Options::default())).verdict().is_valid());
    let deep = format!("{}a.yaml", "d/".repeat(200));
    assert!(quickly(|| world::folder(&files(&[(&deep, OBJECT)]), &Options::default())).verdict().is_valid());
}

fn change(directory: &Path) -> Plan {
    let live = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "team-a"}, "data": {"k": "v"}});
    plan(&read(directory), &KindTable::builtin(), &Options::default(), Policy::default(), &[Change::Put(live)]).unwrap()
}

#[test]
fn a_plan_is_written_by_rename_and_keeps_the_mode() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.yaml"), OBJECT).unwrap();
    fs::set_permissions(directory.path().join("a.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    changeset::write(directory.path(), &change(directory.path())).unwrap();
    let text = fs::read_to_string(directory.path().join("a.yaml")).unwrap();
    assert_eq!(text, format!("{OBJECT}data:\n  k: v\n"));
    assert_eq!(fs::metadata(directory.path().join("a.yaml")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.yaml");
    fs::write(&path, OBJECT).unwrap();
    let plan = change(directory.path());
    fs::write(&path, format!("{OBJECT}# by hand\n")).unwrap();
    assert!(matches!(changeset::write(directory.path(), &plan), Err(WriteError::Changed { .. })));
    fs::remove_file(&path).unwrap();
    assert!(matches!(changeset::write(directory.path(), &plan), Err(WriteError::Changed { .. })));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_symlink_swapped_in_for_a_file_or_a_directory_is_never_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("sub")).unwrap();
    fs::write(outside.path().join("sub/a.yaml"), OBJECT).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("sub")).unwrap();
    fs::write(directory.path().join("sub/a.yaml"), OBJECT).unwrap();
    let plan = change(directory.path());
    fs::remove_file(directory.path().join("sub/a.yaml")).unwrap();
    symlink(outside.path().join("sub/a.yaml"), directory.path().join("sub/a.yaml")).unwrap();
    assert!(matches!(
        changeset::write(directory.path(), &plan),
        Err(WriteError::Path { source: SourceError::Symlink, .. })
    ));
    fs::remove_dir_all(directory.path().join("sub")).unwrap();
    symlink(outside.path().join("sub"), directory.path().join("sub")).unwrap();
    assert!(matches!(
        changeset::write(directory.path(), &plan),
        Err(WriteError::Path { source: SourceError::Symlink, .. })
    ));
    assert_eq!(fs::read_to_string(outside.path().join("sub/a.yaml")).unwrap(), OBJECT);
    assert!(read(directory.path()).verdict().is_valid(), "an unnamed symlink is not followed and refuses nothing");
    assert_eq!(read(directory.path()).documents().len(), 0);
}

#[test]
fn a_kustomization_or_a_sourceignore_that_is_a_symlink_is_refused_since_others_follow_it() {
    for name in ["kustomization.yaml", "Kustomization", ".sourceignore"] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a.yaml"), OBJECT).unwrap();
        symlink("elsewhere", directory.path().join(name)).unwrap();
        assert_eq!(refusal(&read(directory.path()), name).0, Reason::Symlink);
    }
}
