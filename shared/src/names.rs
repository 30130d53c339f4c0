//! Every name that users, the API server and other operators see, spelled once.

/// API group of all our kinds.
pub const GROUP: &str = "nsclass.io";
/// The only version of [`GROUP`] so far.
pub const VERSION: &str = "v1alpha1";

/// Suffix that every key in our own metadata namespace ends with before the slash: `nsclass.io/…`, `var.nsclass.io/…`.
pub const DOMAIN: &str = "nsclass.io";

/// Namespace label that asks for a class.
pub const CLASS_LABEL: &str = "nsclass.io/name";
/// Prefix of the namespace labels and annotations that only a trusted hand can set (class.md C19).
pub const GUARDED_PREFIX: &str = "var.nsclass.io/";
/// Finalizer on bound classes, and on namespaces that own cluster-scoped objects.
pub const FINALIZER: &str = "nsclass.io/finalizer";

/// Label on every managed object; its value is always `"true"`.
pub const MANAGED_LABEL: &str = "nsclass.io/managed";
/// Label on every managed object: the class it came from.
pub const OBJECT_CLASS_LABEL: &str = "nsclass.io/class";
/// Label on every managed object: the namespace it was made for.
pub const OBJECT_NAMESPACE_LABEL: &str = "nsclass.io/namespace";
/// Annotation on every managed object: `<group>/<Kind>/<namespace>/<name>` of the object itself. Copies give themselves away.
pub const OBJECT_ANNOTATION: &str = "nsclass.io/object";
/// Annotation on every managed object: UID of the namespace it was made for.
pub const OWNER_UID_ANNOTATION: &str = "nsclass.io/owner-namespace-uid";

/// Annotation on every managed object: hash of what was rendered for it. The managedFields entry tells which fields are ours, not their
/// values, so this is how an apply whose answer never reached the inventory is noticed.
pub const RENDERED_ANNOTATION: &str = "nsclass.io/rendered";

/// Annotation on an item: `"false"` leaves its text as it is (class.md C12).
pub const TEMPLATE_ANNOTATION: &str = "nsclass.io/template";
/// Annotation on an item: `Delete` or `Orphan`, before what the class says (class.md C48).
pub const ON_DELETE_ANNOTATION: &str = "nsclass.io/on-delete";
/// Annotation on an item: `"true"` makes fields that others add drift too (class.md C34).
pub const EXACT_ANNOTATION: &str = "nsclass.io/exact";

/// Annotations under `nsclass.io/` that an item may carry; every other key there is refused (class.md C15).
pub const ITEM_ANNOTATIONS: [&str; 3] = [TEMPLATE_ANNOTATION, ON_DELETE_ANNOTATION, EXACT_ANNOTATION];

/// Annotation on a class: digests of the changes that the mass-delete guard lets through, separated by commas (class.md C47).
pub const CONFIRM_ANNOTATION: &str = "nsclass.io/confirm-delete";
/// Annotation on a class or a namespace: `"true"` stops writes there (class.md C39).
pub const SUSPEND_ANNOTATION: &str = "nsclass.io/suspend";

/// Field manager of managed objects.
pub const FIELD_MANAGER: &str = "nsclass-controller";
/// Field manager of the status of classes and bindings.
pub const STATUS_MANAGER: &str = "nsclass-status";
/// Field manager of the certificates' `Secret`s and of the webhook configuration.
pub const CERTS_MANAGER: &str = "nsclass-certs";
/// Label that says which program made an object, for people.
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";
/// Label of the webhook configuration: the instance that keeps it.
pub const INSTANCE_LABEL: &str = "nsclass.io/instance";

/// Name of the Lease, in the operator's namespace, that the controllers of one instance agree by.
pub fn controller_lease(instance: &str) -> String {
    format!("nsclass-controller-{instance}")
}

/// Label on the `Secret`s of the operator's namespace that hold licences; its value means nothing.
pub const LICENCE_LABEL: &str = "nsclass.io/licence";

/// Name of the `ConfigMap`, in the operator's namespace, that keeps what the licence gate of one instance must not forget.
pub fn licence_record(instance: &str) -> String {
    format!("nsclass-licence-{instance}")
}

/// Name of the `ConfigMap`, in the operator's namespace, with the usage report of one instance.
pub fn usage_report(instance: &str) -> String {
    format!("nsclass-usage-{instance}")
}

/// Who events say they are from.
pub const REPORTING_CONTROLLER: &str = "nsclass.io/controller";
/// Annotation on that Lease: the instance is released, so nobody leads it and nothing is written (class.md C46). Its value says since
/// when, for people.
pub const RELEASED_ANNOTATION: &str = "nsclass.io/released";

/// Prefix of every metric.
pub const METRIC_PREFIX: &str = "nsclass_";
