//! Made-up series: two installations in which all is well, and for each alert what is wrong in one of them.

/// Labels of the installation in which something goes wrong.
const OURS: &str = "namespace=\"nsclass-system\",app_kubernetes_io_instance=\"nsclass\"";
/// Labels of another one on the same Prometheus, in which all is well throughout.
const OTHER: &str = "namespace=\"blue-system\",app_kubernetes_io_instance=\"blue\"";

/// Something that is wrong, and when the alert fires for it.
pub(crate) struct Scenario {
    pub(crate) alert: &'static str,
    pub(crate) about: &'static str,
    /// Replaces the healthy series of [`OURS`] with the same name and labels, and adds those that none has.
    wrong: &'static [Wrong],
    /// At these times it fires, or does not.
    pub(crate) at: &'static [(&'static str, bool)],
}

/// A metric, its labels but for the installation's, and its values a minute apart; or that nobody shows a metric any more.
enum Wrong {
    Is(&'static str, &'static str, &'static str),
    Gone(&'static str),
}

use Wrong::{Gone, Is};

/// Values for a day.
const ALWAYS: [(&str, &str, &str); 17] = [
    ("nsclass_leader", "pod=\"controller-a\"", "1x1500"),
    ("nsclass_leader", "pod=\"controller-b\"", "0x1500"),
    ("nsclass_ca_bundle_in_step", "pod=\"controller-a\"", "1x1500"),
    // A standby shows zeros.
    ("nsclass_ca_bundle_in_step", "pod=\"controller-b\"", "0x1500"),
    ("nsclass_admission_in_flight", "pod=\"webhook-a\"", "0x1500"),
    ("nsclass_admission_failures_total", "pod=\"webhook-a\",category=\"panicked\"", "0x1500"),
    // Whoever sends nonsense is no fault of ours.
    ("nsclass_admission_failures_total", "pod=\"webhook-a\",category=\"malformed\"", "0+9x1500"),
    ("nsclass_scope_age_seconds", "pod=\"controller-a\"", "20 55 3x1500"),
    ("nsclass_certificate_failures_total", "pod=\"controller-a\",reason=\"request\"", "0 1x1500"),
    ("nsclass_certificate_not_after_seconds", "pod=\"webhook-a\",role=\"serving\"", "2592000x1500"),
    ("nsclass_bindings", "pod=\"controller-a\",reason=\"BindingRecorded\"", "120x1500"),
    ("nsclass_queue_depth", "pod=\"controller-a\",queue=\"namespaces\"", "0 400 90 0x1500"),
    ("nsclass_scope_backlog", "pod=\"controller-a\",subscriber=\"namespaces\"", "0x1500"),
    ("nsclass_reconcile_panics_total", "pod=\"controller-a\"", "0x1500"),
    ("nsclass_configuration_refused", "pod=\"controller-a\"", "0x1500"),
    ("nsclass_licence_expiry_seconds", "pod=\"controller-a\"", "0x1500"),
    ("nsclass_licence_held_namespaces", "pod=\"controller-a\",why=\"new\"", "0x1500"),
];

/// Every series of both installations while all is well. Each has a digest of its own, equal on its replicas.
pub(crate) fn healthy() -> Vec<(String, String)> {
    let of = |installation: &str, digest: &str| -> Vec<(String, String)> {
        let digests = ["controller-a", "controller-b", "webhook-a"].map(|pod| {
            (key("nsclass_scope_digest", installation, &format!("pod=\"{pod}\"")), format!("{digest}x1500"))
        });
        let always =
            ALWAYS.iter().map(|(name, labels, values)| (key(name, installation, labels), (*values).to_owned()));
        always.chain(digests).collect()
    };
    [of(OURS, "281474976710655"), of(OTHER, "7")].concat()
}

fn key(name: &str, installation: &str, labels: &str) -> String {
    format!("{name}{{{installation},{labels}}}")
}

impl Scenario {
    /// What is scraped.
    pub(crate) fn series(&self) -> Vec<(String, String)> {
        let mut all = healthy();
        for wrong in self.wrong {
            match wrong {
                Gone(name) => all.retain(|(series, _)| series.split('{').next() != Some(name)),
                Is(name, labels, values) => {
                    let key = key(name, OURS, labels);
                    all.retain(|(series, _)| *series != key);
                    all.push((key, (*values).to_owned()));
                }
            }
        }
        all
    }
}

/// Nothing is wrong, and no alert fires.
pub(crate) const ALL_IS_WELL: Scenario =
    Scenario { alert: "", about: "all is well", wrong: &[], at: &[("30m", false), ("2h", false)] };

/// At least one for each alert.
pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario {
        alert: "NsclassNoLeader",
        about: "the leader stops after ten minutes and the standby does not take over",
        wrong: &[Is("nsclass_leader", "pod=\"controller-a\"", "1x9 0x1490")],
        at: &[("9m", false), ("11m", false), ("13m", true)],
    },
    Scenario {
        alert: "NsclassNoLeader",
        about: "a takeover within a minute",
        wrong: &[
            Is("nsclass_leader", "pod=\"controller-a\"", "1x9 0x1490"),
            Is("nsclass_leader", "pod=\"controller-b\"", "0x10 1x1489"),
            Is("nsclass_ca_bundle_in_step", "pod=\"controller-b\"", "0x10 1x1489"),
        ],
        at: &[("11m", false), ("20m", false)],
    },
    Scenario {
        alert: "NsclassNoLeader",
        about: "no controller is scraped",
        wrong: &[Gone("nsclass_leader")],
        at: &[("1m", false), ("3m", true)],
    },
    Scenario {
        alert: "NsclassWebhookDown",
        about: "no webhook is scraped",
        wrong: &[Gone("nsclass_admission_in_flight")],
        at: &[("4m", false), ("6m", true)],
    },
    Scenario {
        alert: "NsclassWebhookErrors",
        about: "a burst of panics after ten minutes",
        wrong: &[Is("nsclass_admission_failures_total", "pod=\"webhook-a\",category=\"panicked\"", "0x9 5x1490")],
        at: &[("9m", false), ("12m", true), ("40m", false)],
    },
    Scenario {
        alert: "NsclassWebhookErrors",
        about: "one review was not answered in time",
        wrong: &[Is("nsclass_admission_failures_total", "pod=\"webhook-a\",category=\"deadline\"", "0x9 1x1490")],
        at: &[("12m", false), ("20m", false)],
    },
    Scenario {
        alert: "NsclassDigestsDiffer",
        about: "one webhook goes by another scope from minute ten on",
        wrong: &[Is("nsclass_scope_digest", "pod=\"webhook-a\"", "281474976710655x9 281474976710654x1490")],
        at: &[("9m", false), ("18m", false), ("21m", true)],
    },
    Scenario {
        alert: "NsclassDigestsDiffer",
        about: "a namespace that crosses the edge reaches one replica a minute later",
        wrong: &[Is("nsclass_scope_digest", "pod=\"webhook-a\"", "281474976710655x9 3 281474976710655x1489")],
        at: &[("10m", false), ("11m", false), ("30m", false)],
    },
    Scenario {
        alert: "NsclassSnapshotOld",
        about: "a replica hears nothing from minute ten on",
        wrong: &[Is("nsclass_scope_age_seconds", "pod=\"controller-a\"", "3x9 3+60x100")],
        at: &[("12m", false), ("16m", true)],
    },
    Scenario {
        alert: "NsclassCaBundleOutOfStep",
        about: "somebody else keeps writing the configuration",
        wrong: &[Is("nsclass_ca_bundle_in_step", "pod=\"controller-a\"", "1x9 0x1490")],
        at: &[("9m", false), ("19m", false), ("21m", true)],
    },
    Scenario {
        alert: "NsclassCaBundleOutOfStep",
        about: "a rotation",
        wrong: &[Is("nsclass_ca_bundle_in_step", "pod=\"controller-a\"", "1x9 0x3 1x1485")],
        at: &[("13m", false), ("25m", false)],
    },
    Scenario {
        alert: "NsclassCertificatesNotInOrder",
        about: "every look fails",
        wrong: &[Is("nsclass_certificate_failures_total", "pod=\"controller-a\",reason=\"template\"", "0x9 0+12x1490")],
        at: &[("9m", false), ("15m", true)],
    },
    Scenario {
        alert: "NsclassCertificatesNotInOrder",
        about: "the API server was away for a minute",
        wrong: &[Is("nsclass_certificate_failures_total", "pod=\"controller-a\",reason=\"request\"", "0x9 12x1490")],
        at: &[("11m", false), ("20m", false)],
    },
    Scenario {
        alert: "NsclassCertificateNearEnd",
        about: "three days are left from minute ten on",
        wrong: &[Is("nsclass_certificate_not_after_seconds", "pod=\"webhook-a\",role=\"serving\"", "259800x1500")],
        at: &[("9m", false), ("14m", false), ("17m", true)],
    },
    Scenario {
        alert: "NsclassCertificateNearEnd",
        about: "replaced in time",
        wrong: &[Is(
            "nsclass_certificate_not_after_seconds",
            "pod=\"webhook-a\",role=\"serving\"",
            "259800x11 2592000x1488",
        )],
        at: &[("13m", false), ("20m", false)],
    },
    Scenario {
        alert: "NsclassNamespacesFailing",
        about: "two namespaces hold somebody else's object",
        wrong: &[Is("nsclass_bindings", "pod=\"controller-a\",reason=\"NotOwned\"", "0x9 2x1490")],
        at: &[("9m", false), ("24m", false), ("26m", true)],
    },
    Scenario {
        alert: "NsclassNamespacesFailing",
        about: "namespaces are on their way, opting out and suspended",
        wrong: &[
            Is("nsclass_bindings", "pod=\"controller-a\",reason=\"Applying\"", "9x1500"),
            Is("nsclass_bindings", "pod=\"controller-a\",reason=\"OptingOut\"", "3x1500"),
            Is("nsclass_bindings", "pod=\"controller-a\",reason=\"Suspended\"", "3x1500"),
        ],
        at: &[("30m", false)],
    },
    Scenario {
        alert: "NsclassGuardEngaged",
        about: "an edit would empty forty namespaces",
        wrong: &[Is("nsclass_bindings", "pod=\"controller-a\",reason=\"GuardEngaged\"", "0x9 40x20 0x1470")],
        at: &[("9m", false), ("11m", true), ("25m", true), ("32m", false)],
    },
    Scenario {
        alert: "NsclassBacklog",
        about: "more comes in than goes out",
        wrong: &[Is("nsclass_queue_depth", "pod=\"controller-a\",queue=\"namespaces\"", "0x9 100+50x1490")],
        at: &[("24m", false), ("26m", true)],
    },
    Scenario {
        alert: "NsclassBacklog",
        about: "flips are not taken",
        wrong: &[Is("nsclass_scope_backlog", "pod=\"controller-a\",subscriber=\"namespaces\"", "51x1500")],
        at: &[("14m", false), ("16m", true)],
    },
    Scenario {
        alert: "NsclassBacklog",
        about: "a class edit over many namespaces, done in ten minutes",
        wrong: &[Is(
            "nsclass_queue_depth",
            "pod=\"controller-a\",queue=\"namespaces\"",
            "0x9 10000 9000-1000x8 0x1480",
        )],
        at: &[("19m", false), ("30m", false)],
    },
    Scenario {
        alert: "NsclassReconcilePanics",
        about: "one panic",
        wrong: &[Is("nsclass_reconcile_panics_total", "pod=\"controller-a\"", "0x9 1x1490")],
        at: &[("9m", false), ("12m", true), ("80m", false)],
    },
    Scenario {
        alert: "NsclassConfigurationRefused",
        about: "a bad file, mended an hour later",
        wrong: &[Is("nsclass_configuration_refused", "pod=\"controller-a\"", "0x9 1x59 0x1430")],
        at: &[("9m", false), ("14m", false), ("16m", true), ("71m", false)],
    },
    Scenario {
        alert: "NsclassLicenceNearEnd",
        about: "two weeks are left from minute ten on",
        wrong: &[Is("nsclass_licence_expiry_seconds", "pod=\"controller-a\"", "1210200x1500")],
        at: &[("9m", false), ("11m", true)],
    },
    Scenario {
        alert: "NsclassLicenceNearEnd",
        about: "a year is left",
        wrong: &[Is("nsclass_licence_expiry_seconds", "pod=\"controller-a\"", "31536000x1500")],
        at: &[("11m", false)],
    },
    Scenario {
        alert: "NsclassLicenceHolds",
        about: "five namespaces more than the licence allows",
        wrong: &[Is("nsclass_licence_held_namespaces", "pod=\"controller-a\",why=\"new\"", "0x9 5x1490")],
        at: &[("19m", false), ("21m", true)],
    },
];
