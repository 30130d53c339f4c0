//! What a class records of the mass-delete guard (class.md C47), so that a restart forgets nothing.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mass-delete guard of one class. Written by the controller alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct GuardStatus {
    /// What has been let through lately without a confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GuardPassed")]
    pub passed: Option<GuardPassed>,
    /// The changes that are held. Each goes on as soon as the class's annotation `nsclass.io/confirm-delete` holds its digest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 3), extend("x-kubernetes-list-type" = "atomic"))]
    pub held: Vec<GuardHeld>,
}

impl GuardStatus {
    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.passed.is_none() && self.held.is_empty()
    }
}

/// What has been let through lately. It is written before it happens and rounded up, so that whoever takes over counts at least what
/// happened.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct GuardPassed {
    /// When this was written.
    pub at: Time,
    /// At most so many namespaces have lost objects in the ten minutes before, or are about to.
    #[schemars(with = "i32", range(min = 0))]
    pub namespaces: u32,
    /// How many namespaces had the class before they did.
    #[schemars(with = "i32", range(min = 0))]
    pub bound: u32,
}

/// A change that is held until it is confirmed or undone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct GuardHeld {
    /// What happened.
    pub cause: GuardCause,
    /// Names exactly this change, in the annotation that confirms it.
    pub digest: String,
    /// Of labels that went: the last one that the digest speaks of. One that goes later is another change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    pub up_to: Option<Time>,
    /// How many namespaces keep their objects for now.
    #[schemars(with = "i32", range(min = 0))]
    pub namespaces: u32,
}

/// What would take objects from many namespaces.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardCause {
    /// The class was edited and no longer has them.
    ClassEdited,
    /// The class was deleted.
    ClassDeleted,
    /// The namespaces lost their label.
    LabelsLost,
}
