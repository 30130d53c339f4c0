//! What the watch of classes leads to: the class is looked at, and its namespaces where anything changed for them.

use std::collections::{HashMap, HashSet};

use kube::{ResourceExt, api::DynamicObject, runtime::watcher::Event};

use super::{tell_bound, tell_labelled, tell_namespaces};
use crate::{classes, context::Context, mass_delete, observe};

/// What of a class concerns its namespaces. Its status does not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    uid: String,
    generation: i64,
    deleting: bool,
    protected: bool,
    suspended: bool,
    /// What the guard is told to let through.
    confirmed: Option<String>,
}

/// Classes as they were when their namespaces were last told.
#[derive(Debug, Default)]
pub struct ClassesTold {
    versions: HashMap<String, Version>,
    relist: HashSet<String>,
}

impl ClassesTold {
    /// Tells the class's namespaces, where anything changed for them.
    pub fn on_class(&mut self, context: &Context, event: Event<DynamicObject>) {
        match event {
            Event::Apply(class) => {
                context.class_queue.add(&class.name_any());
                if self.is_new(&class) {
                    tell_namespaces(context, &class.name_any());
                }
            }
            Event::InitApply(class) => {
                self.is_new(&class);
                self.relist.insert(class.name_any());
            }
            Event::Delete(class) => self.gone(context, &class.name_any()),
            Event::Init => self.relist.clear(),
            Event::InitDone => {
                let vanished: Vec<String> =
                    self.versions.keys().filter(|name| !self.relist.contains(*name)).cloned().collect();
                for name in vanished {
                    self.gone(context, &name);
                }
                // Until now a class could be missing from the store although it exists, or be there as it was. All of them at once:
                // with a scan for each, a thousand classes would cost a thousand scans.
                self.relist.iter().for_each(|class| context.class_queue.add(class));
                tell_labelled(context);
                tell_bound(context);
            }
        }
    }

    /// Notes a class; returns whether its namespaces must know.
    fn is_new(&mut self, class: &DynamicObject) -> bool {
        let name = class.name_any();
        let version = Version {
            uid: class.metadata.uid.clone().unwrap_or_default(),
            generation: class.metadata.generation.unwrap_or_default(),
            deleting: class.metadata.deletion_timestamp.is_some(),
            protected: classes::is_protected(class),
            suspended: observe::is_suspended(class.annotations()),
            confirmed: mass_delete::confirmation(class).map(str::to_owned),
        };
        self.versions.insert(name, version.clone()) != Some(version)
    }

    fn gone(&mut self, context: &Context, name: &str) {
        self.versions.remove(name);
        context.class_queue.add(name);
        tell_namespaces(context, name);
    }
}
