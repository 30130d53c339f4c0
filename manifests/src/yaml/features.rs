//! What is in a document that some readers refuse. Which of it refuses what depends on who asks: a graph refuses more than the rest.

use super::node::{Content, Document, Mapping, Node, Style};
use super::resolve::{Reader, Resolved, plain};
use std::collections::HashSet;

/// Something unusual in a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The byte at which it stands.
    pub offset: u32,
    /// What it is.
    pub kind: FeatureKind,
}

/// What is unusual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A key that its mapping already has, by its text. Kubernetes reads the last one, kustomize fails.
    DuplicateKey(String),
    /// A key that kustomize reads as something other than a string; its text, or nothing for a collection.
    NonStringKey(String),
    /// `&name`
    Anchor(String),
    /// `*name`
    Alias,
    /// `<<`, quoted or not: kustomize merges the quoted one too.
    MergeKey,
    /// A tag, resolved (`tag:yaml.org,2002:str`).
    Tag(String),
    /// `%YAML` or `%TAG`.
    Directive,
}

impl Document<'_> {
    /// Everything unusual in the document, in file order (a directive first).
    pub fn features(&self) -> Vec<Feature> {
        let mut found = Vec::new();
        if let Some(offset) = self.directive {
            found.push(Feature { offset, kind: FeatureKind::Directive });
        }
        collect(&self.root, &mut found);
        found
    }
}

// Recursion is bounded by MAX_DEPTH.
fn collect(node: &Node<'_>, found: &mut Vec<Feature>) {
    if let Some(properties) = &node.properties {
        if let Some((_, name, span)) = &properties.anchor {
            found.push(Feature { offset: span.start, kind: FeatureKind::Anchor(name.to_string()) });
        }
        if let Some((tag, span)) = &properties.tag {
            found.push(Feature { offset: span.start, kind: FeatureKind::Tag(tag.clone()) });
        }
    }
    match &node.content {
        Content::Scalar(_) => {}
        Content::Alias(_) => found.push(Feature { offset: node.span.start, kind: FeatureKind::Alias }),
        Content::Sequence(sequence) => sequence.items.iter().for_each(|item| collect(&item.node, found)),
        Content::Mapping(mapping) => entries(mapping, found),
    }
}

fn entries(mapping: &Mapping<'_>, found: &mut Vec<Feature>) {
    let mut seen = HashSet::new();
    for entry in &mapping.entries {
        let offset = entry.key.full_start();
        if entry.key.is_merge() {
            found.push(Feature { offset, kind: FeatureKind::MergeKey });
        } else if !entry.key.is_string_key() {
            found.push(Feature {
                offset,
                kind: FeatureKind::NonStringKey(entry.key.as_str().unwrap_or_default().to_owned()),
            });
        }
        if let Some(text) = entry.key.as_str()
            && !seen.insert(text)
        {
            found.push(Feature { offset, kind: FeatureKind::DuplicateKey(text.to_owned()) });
        }
        collect(&entry.key, found);
        collect(&entry.value, found);
    }
}

impl Node<'_> {
    /// Whether this key is `<<`, in whatever style.
    pub(crate) fn is_merge(&self) -> bool {
        self.as_str() == Some("<<")
    }

    fn is_string_key(&self) -> bool {
        match &self.content {
            Content::Scalar(scalar) => match scalar.style {
                Style::Empty => false,
                Style::Plain => matches!(plain(&scalar.text, Reader::Kustomize), Resolved::Text),
                _ => true,
            },
            _ => false,
        }
    }
}
