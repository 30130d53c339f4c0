//! What the watch of bindings leads to: somebody else's change is looked at, and every class concerned counts again.

use std::collections::{HashMap, HashSet};

use kube::{ResourceExt, runtime::watcher::Event};

use crate::{bindings::Guarded, context::Context, licence};

/// The class of each binding, as its class was last told. A binding that goes over to another class, or goes, concerns the class that
/// it leaves, which the event no longer names.
#[derive(Debug, Default)]
pub struct BindingsTold {
    /// By namespace; never empty.
    classes: HashMap<String, String>,
    relist: HashSet<String>,
    /// Namespaces of the list that is under way whose binding somebody else changed, each with its class. They are told when the store
    /// has the list: who looked earlier would see what was.
    changed: Vec<(String, String)>,
}

impl BindingsTold {
    /// Tells whom it concerns.
    pub fn on_binding(&mut self, context: &Context, event: Event<Guarded>) {
        match event {
            Event::Apply(binding) => {
                if !context.bindings.is_own_write(&binding) {
                    context.namespace_queue.add(&binding.name_any());
                }
                self.note(context, &binding);
            }
            Event::InitApply(binding) => {
                let namespace = binding.name_any();
                if !context.bindings.is_own_write(&binding) {
                    let class = binding.0.as_ref().map_or("", |binding| &binding.spec.class_name);
                    self.changed.push((class.to_owned(), namespace.clone()));
                }
                self.note(context, &binding);
                self.relist.insert(namespace);
            }
            Event::Delete(binding) => {
                context.bindings.saw_deleted(&binding);
                self.gone(context, &binding.name_any());
            }
            Event::Init => {
                self.relist.clear();
                self.changed.clear();
            }
            // What vanished while the watch was broken gets no event of its own.
            Event::InitDone => {
                context.bindings.saw_all();
                for (class, namespace) in std::mem::take(&mut self.changed) {
                    context.namespace_queue.add_to(&class, &namespace);
                }
                for namespace in self.vanished() {
                    self.gone(context, &namespace);
                }
                self.relist = HashSet::new();
            }
        }
    }

    fn note(&mut self, context: &Context, binding: &Guarded) {
        // One that cannot be read stays with the class that it was last read with.
        if let Ok(binding) = &binding.0 {
            let ours = binding.spec.instance == context.settings().config.instance;
            let status = binding.status.as_ref().filter(|_| ours);
            context.drift.inventory_is(&binding.name_any(), status.map_or(&[][..], |status| &status.inventory));
            // One that waits for a licence concerns the class that it waits for.
            for class in self.moves(&binding.name_any(), licence::class_of(binding)) {
                context.class_queue.add(&class);
            }
        }
    }

    fn gone(&mut self, context: &Context, namespace: &str) {
        context.drift.inventory_is(namespace, &[]);
        context.namespace_queue.add(namespace);
        for class in self.moves(namespace, "") {
            context.class_queue.add(&class);
        }
    }

    /// Notes the class of a binding, empty for none; returns the classes that must count again.
    fn moves(&mut self, namespace: &str, class: &str) -> HashSet<String> {
        let before = if class.is_empty() {
            self.classes.remove(namespace)
        } else {
            self.classes.insert(namespace.to_owned(), class.to_owned())
        };
        let now = Some(class).filter(|class| !class.is_empty()).map(ToOwned::to_owned);
        before.into_iter().chain(now).collect()
    }

    fn vanished(&self) -> Vec<String> {
        self.classes.keys().filter(|namespace| !self.relist.contains(*namespace)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_that_changes_its_class_concerns_both_and_one_that_goes_its_last() {
        let mut told = BindingsTold::default();
        let set = |classes: &[&str]| classes.iter().map(|&class| class.to_owned()).collect::<HashSet<_>>();
        assert_eq!(told.moves("pay", ""), set(&[]));
        assert_eq!(told.moves("pay", "a"), set(&["a"]));
        assert_eq!(told.moves("pay", "a"), set(&["a"]));
        assert_eq!(told.moves("pay", "b"), set(&["a", "b"]));
        assert_eq!(told.moves("pay", ""), set(&["b"]));
        assert_eq!(told.moves("pay", ""), set(&[]));
    }

    #[test]
    fn what_a_list_no_longer_holds_has_vanished() {
        let mut told = BindingsTold::default();
        told.moves("pay", "a");
        told.moves("shop", "a");
        told.relist.insert("shop".to_owned());
        assert_eq!(told.vanished(), ["pay"]);
    }
}
