//! The tree of who supplies which namespace.

use std::collections::HashMap;

use anyhow::Result;
use nsclass_manifests::folder::Folder;
use nsclass_manifests::graph::{Edge, NodeId};
use nsclass_manifests::path::FolderPath;

use crate::output::{Output, Style};

/// Deeper kustomizations are not drawn; `identify` lists every document.
const MAX_DEPTH: usize = 32;

/// Draws every kustomization that no other names, and counts what stands outside of all of them.
pub(super) fn print(folder: &Folder, out: &mut Output) -> Result<()> {
    let drawing = Drawing { folder, namespaces: namespaces(folder) };
    for root in folder.graph().roots() {
        drawing.node(*root, "", "", 0, out)?;
    }
    let outside = folder.documents().iter().filter(|document| document.named_by.is_none()).count();
    if outside > 0 && !folder.graph().roots().is_empty() {
        out.line(format!("outside every kustomization: {outside} documents"))?;
    }
    if !folder.graph().roots().is_empty() {
        out.line("")?;
    }
    Ok(())
}

struct Drawing<'f> {
    folder: &'f Folder,
    namespaces: Namespaces<'f>,
}

impl Drawing<'_> {
    fn node(&self, id: NodeId, first: &str, indent: &str, depth: usize, out: &mut Output) -> Result<()> {
        let node = self.folder.graph().node(id);
        let namespace = match node.namespace() {
            Some(namespace) => format!(" {} {}", out.paint(Style::Quiet, "assigns"), out.paint(Style::Good, namespace)),
            None => String::new(),
        };
        let mark = if node.is_supported { "" } else { " (unsupported)" };
        let path = out.paint(Style::Strong, node.record.path.as_str());
        out.line(format!("{first}{path}{namespace}{}", out.paint(Style::Bad, mark)))?;
        if depth >= MAX_DEPTH {
            return out.line(format!("{indent}└─ …"));
        }
        for (position, edge) in node.edges.iter().enumerate() {
            let is_last = position + 1 == node.edges.len();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            match edge {
                Edge::Kustomization(child) => {
                    let (first, indent) = (format!("{indent}{branch}"), format!("{indent}{below}"));
                    self.node(*child, &first, &indent, depth + 1, out)?;
                }
                Edge::File(path) => {
                    let known = self.namespaces.get(path).map(|known| format!(" → {}", known.join(", ")));
                    let text = out.paint(Style::Quiet, &known.unwrap_or_default());
                    out.line(format!("{indent}{branch}{path}{text}"))?;
                }
            }
        }
        Ok(())
    }
}

/// The namespaces of the documents of each file.
type Namespaces<'f> = HashMap<&'f FolderPath, Vec<&'f str>>;

fn namespaces(folder: &Folder) -> Namespaces<'_> {
    let mut all = Namespaces::new();
    for document in folder.documents() {
        let namespace = match &document.live {
            Some(live) => live.namespace.as_deref().unwrap_or("cluster"),
            None => "none",
        };
        let known = all.entry(&document.file.path).or_default();
        if !known.contains(&namespace) {
            known.push(namespace);
        }
    }
    all
}
