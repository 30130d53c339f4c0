//! `deploy/crds/<plural>.<group>.yaml`, one for each of our kinds.

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use nsclass_shared::api;

use crate::tree::GeneratedFile;
use crate::yaml;

pub(crate) fn files() -> Result<Vec<GeneratedFile>> {
    api::crds().iter().map(file).collect()
}

fn file(crd: &CustomResourceDefinition) -> Result<GeneratedFile> {
    let name = format!("{}.{}.yaml", crd.spec.names.plural, crd.spec.group);
    let text = yaml::document(crd).with_context(|| format!("{name} cannot be made"))?;
    Ok(GeneratedFile { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_as_the_definition_it_was_made_from() {
        let files = files().unwrap();
        assert_eq!(
            files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
            [
                "namespaceclasses.nsclass.io.yaml",
                "namespaceclassbindings.nsclass.io.yaml",
                "gitproviders.nsclass.io.yaml",
                "gittargets.nsclass.io.yaml",
                "watchrules.nsclass.io.yaml",
                "clusterwatchrules.nsclass.io.yaml"
            ]
        );
        for (file, crd) in files.iter().zip(api::crds()) {
            let read: CustomResourceDefinition = serde_saphyr::from_str(&file.text).unwrap();
            assert_eq!(read, crd, "{}", file.name);
        }
    }
}
