//! Who made a change (folders.md F52): what audit events claim, and which claims are certain. A wrong author is worse than none.
//!
//! An audit event names the user and, with its response body, the UID and resourceVersion that the request led to. Two requests can
//! end with the same pair: one that changed the object, and later ones that changed nothing. Events come in batches and out of order,
//! so neither the first to arrive nor the only one so far is certain. What is ([`Strength::Proved`]):
//! - a create that was answered 201: the UID is new;
//! - an update that named an older resourceVersion than it was answered.
//!
//! A patch proves nothing. It is [`Strength::Likely`] where `managedFields` say that a field was set in the second of the request or
//! later, else [`Strength::Possible`]. These count when the wait is over, by which all events have come, and only where nobody else
//! claims as much. A deletion is claimed by UID alone, since its answer need not hold the last resourceVersion.

mod claims;
mod event;

pub use claims::{Answer, Claims};
pub use event::{AuditEvent, AuditEvents, Claim, Strength};
