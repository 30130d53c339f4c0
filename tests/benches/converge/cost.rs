//! What a stretch of work cost in processor time, program by program: on a full machine that is what decides a rate, and it varies less.

use std::{collections::BTreeMap, fmt, fs};

use anyhow::Result;

use crate::leader;

/// Processor time by program, in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost(BTreeMap<String, f64>);

impl Cost {
    /// Of these processes, from their start until now.
    pub(crate) fn so_far(pids: &[u32]) -> Result<Self> {
        let of = |pid: &u32| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm"))?;
            Ok((name.trim_end().to_owned(), leader::cpu_seconds(*pid)?))
        };
        Ok(Self(pids.iter().map(of).collect::<Result<_>>()?))
    }

    /// What came since an earlier look at the same processes.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let spent = |(name, now): (&String, &f64)| (name.clone(), now - earlier.0.get(name).unwrap_or(&0.0));
        Self(self.0.iter().map(spent).collect())
    }

    /// In milliseconds for each of `objects`, dearest first.
    #[allow(clippy::cast_precision_loss, reason = "counts of a benchmark")]
    pub(crate) fn for_each(&self, objects: usize) -> impl fmt::Display {
        let mut programs: Vec<_> = self.0.iter().collect();
        programs.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let each = |seconds: f64| seconds * 1000.0 / objects.max(1) as f64;
        let parts: Vec<_> = programs.iter().map(|(name, s)| format!("{name} {:.3}", each(**s))).collect();
        let sum: f64 = self.0.values().sum();
        format!("processor time in ms an object: {:.3} ({})", each(sum), parts.join(", "))
    }
}
