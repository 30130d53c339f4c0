//! What is wrong with a `GitProvider`, whatever else there is.

use super::branch::is_branch;
use super::fault::{Fault, Reason};
use super::message::MessageTemplate;
use super::url::RepositoryUrl;
use crate::api::GitProviderSpec;

/// Everything that is wrong. `allow_local` is what the configuration says of local repositories.
pub fn check(spec: &GitProviderSpec, allow_local: bool) -> Vec<Fault> {
    let url = RepositoryUrl::parse(&spec.url, allow_local).err();
    let branches = spec.branches.iter().enumerate().filter(|(_, branch)| !is_branch(branch)).map(|(index, branch)| {
        let what = format!("{:?} is no name of a branch", branch.0);
        Fault::new(
            Reason::BranchNotAllowed,
            format!("spec.branches[{index}]"),
            what,
            "write one like main or team/prod",
        )
    });
    let message = spec.commit.message.as_deref().and_then(|text| MessageTemplate::parse(text).err());
    url.into_iter().chain(branches).chain(message).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::provider;
    use super::*;

    #[test]
    fn a05_every_fault_of_a_provider_is_named_at_once() {
        let mut provider = provider("pay", "origin");
        assert_eq!(check(&provider.spec, false), []);
        provider.spec.url = "https://me:secret@example.com/a".to_owned();
        provider.spec.branches.push(crate::api::BranchName("a..b".to_owned()));
        provider.spec.commit.message = Some("{what}".to_owned());
        let fields: Vec<_> = check(&provider.spec, false).into_iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["spec.url", "spec.branches[1]", "spec.commit.message"]);
    }
}
