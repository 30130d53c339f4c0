//! Writes of a namespace's record. There are two to each first convergence and one to each edit, so what they cost the API server
//! decides how fast classes spread.

use http::{Request, Uri};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::{
    Api, Resource, ResourceExt,
    api::{ApiResource, DeleteParams, PostParams, Preconditions},
};
use nsclass_shared::{answer::Action, api::NamespaceClassBinding, names, plan::Outcome};

use crate::{answers, context::Context, requests};

pub(super) async fn write(context: &Context, binding: &NamespaceClassBinding) -> Outcome {
    let name = binding.name_any();
    context.bindings.write_begins(&name);
    let request = match write_request(binding) {
        Ok(request) => request,
        Err(error) => {
            context.bindings.write_failed(&name);
            return answers::no_answer(&error, Action::Record);
        }
    };
    match context.client.request::<NamespaceClassBinding>(request).await {
        Ok(mut written) => {
            written.metadata.managed_fields = None;
            if context.bindings.wrote(written.clone()) {
                context.namespace_queue.add(&name);
            }
            Outcome::BindingWritten(Box::new(written))
        }
        Err(error) => {
            context.bindings.write_failed(&name);
            failed(context, &name, &error).await
        }
    }
}

/// Creates the binding, or replaces the revision of it that it carries.
///
/// A replacement asks for no managedFields, and the API server keeps none of an object that has none and was never applied. A binding has
/// one writer, so they would say nothing, and they name each field of each inventory entry: they were half of the object, and half of the
/// server's work on it. Nor does the server look for unknown fields, which the type cannot have.
fn write_request(binding: &NamespaceClassBinding) -> Result<Request<Vec<u8>>, kube::Error> {
    let params = PostParams { field_manager: Some(names::STATUS_MANAGER.into()), ..PostParams::default() };
    let api = kube::core::Request::new(NamespaceClassBinding::url_path(&(), None));
    let body = |binding: &NamespaceClassBinding| serde_json::to_vec(binding).map_err(kube::Error::SerdeError);
    let mut request = if binding.resource_version().is_some() {
        let mut unmanaged = binding.clone();
        unmanaged.metadata.managed_fields = Some(vec![ManagedFieldsEntry::default()]);
        api.replace(&binding.name_any(), &params, body(&unmanaged)?)
    } else {
        api.create(&params, body(binding)?)
    }
    .map_err(kube::Error::BuildRequest)?;
    let uri = format!("{}&fieldValidation=Ignore", request.uri()).parse::<Uri>();
    *request.uri_mut() = uri.map_err(|error| kube::Error::HttpError(error.into()))?;
    Ok(request)
}

pub(super) async fn delete(context: &Context, binding: &NamespaceClassBinding) -> Outcome {
    let api: Api<NamespaceClassBinding> = Api::all(context.client.clone());
    let preconditions = Preconditions { uid: binding.uid(), resource_version: binding.resource_version() };
    let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
    match api.delete(&binding.name_any(), &params).await {
        Ok(_) => {
            context.bindings.deleted(binding);
            Outcome::Done
        }
        Err(error) => failed(context, &binding.name_any(), &error).await,
    }
}

/// A binding that is not what we hold is read anew; the pass begins again.
async fn failed(context: &Context, name: &str, error: &kube::Error) -> Outcome {
    if let kube::Error::Api(status) = error
        && (status.code == 409 || requests::is_definitely_absent(status, name))
    {
        if let Err(error) = context.bindings.refresh(&context.client, name).await {
            return answers::no_answer(&error, Action::Record);
        }
        return Outcome::Stale;
    }
    answers::outcome(
        error,
        Action::Record,
        &answers::binding_identity(name),
        &ApiResource::erase::<NamespaceClassBinding>(&()),
    )
}

#[cfg(test)]
mod tests {
    use nsclass_shared::api::BindingSpec;
    use serde_json::{Value, json};

    use super::*;

    fn sent(resource_version: Option<&str>) -> (String, Value) {
        let mut binding = NamespaceClassBinding::new("pay", BindingSpec::default());
        binding.metadata.resource_version = resource_version.map(Into::into);
        let request = write_request(&binding).unwrap();
        (format!("{} {}", request.method(), request.uri()), serde_json::from_slice(request.body()).unwrap())
    }

    #[test]
    fn a_replacement_carries_its_revision_and_drops_the_fields_that_nobody_reads() {
        let (line, body) = sent(Some("7"));
        let path = "/apis/nsclass.io/v1alpha1/namespaceclassbindings";
        assert_eq!(line, format!("PUT {path}/pay?&fieldManager=nsclass-status&fieldValidation=Ignore"));
        assert_eq!(body["metadata"]["resourceVersion"], "7");
        assert_eq!(body["metadata"]["managedFields"], json!([{}]));
        let (line, body) = sent(None);
        assert_eq!(line, format!("POST {path}?&fieldManager=nsclass-status&fieldValidation=Ignore"));
        assert_eq!(body["metadata"].get("managedFields"), None);
    }
}
