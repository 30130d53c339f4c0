//! The folder engine: reads a hand-kept directory of manifests, finds each live object's document in it, and edits that
//! document where it stands. Bytes in, verdicts and bytes out; no Kubernetes client, no Git.
//!
//! Four steps, each a function of values:
//! 1. [`scan::scan`] reads a tree from any [`source`] and keeps records of what is in it ([`record`]).
//! 2. [`graph`] follows the kustomizations, so that each namespace flows to the files it reaches.
//! 3. [`judge()`] says who every document is ([`identity`]) and whether all of it is explained ([`verdict`]).
//! 4. [`plan::plan`] turns changed live objects into changed files, checks them by rendering ([`mod@render`]) the folder before
//!    and after, and [`changeset::write`] puts them on disk.
//!
//! Below them, [`yaml`] reads documents with their byte spans, and [`edit`] changes one in place.
//!
//! ```
//! use nsclass_manifests::folder::Options;
//! use nsclass_manifests::plan::{Change, Policy, plan};
//! use nsclass_manifests::{judge, kinds::KindTable, limits::Limits, path::FolderPath, scan::scan, source::MapSource};
//!
//! let file = |path: &str, text: &str| (FolderPath::new(path).unwrap(), text.as_bytes().into());
//! let source = MapSource::new([
//!     file("kustomization.yaml", "namespace: team-a\nresources: [settings.yaml]\n"),
//!     file("settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  level: info # or debug\n"),
//! ]);
//! let (kinds, options) = (KindTable::builtin(), Options::default());
//! let folder = judge(scan(&source, &Limits::default()), &kinds, &options);
//! assert!(folder.verdict().is_valid());
//!
//! let live = serde_json::json!({
//!     "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "team-a"},
//!     "data": {"level": "debug"},
//! });
//! let plan = plan(&folder, &kinds, &options, Policy::default(), &[Change::Put(live)]).unwrap();
//! let after = plan.files[&FolderPath::new("settings.yaml").unwrap()].after.as_ref().unwrap();
//! assert!(after.ends_with(b"data:\n  level: debug # or debug\n"));
//! ```

pub mod changeset;
pub mod edit;
pub mod folder;
pub mod graph;
pub mod identity;
pub mod judge;
pub mod kinds;
pub mod kustomization;
pub mod limits;
pub mod live;
pub mod path;
pub mod plan;
pub mod record;
pub mod render;
pub mod scan;
pub mod source;
pub mod verdict;
pub mod yaml;

pub use judge::judge;
