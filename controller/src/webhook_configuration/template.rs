//! The template of the webhook configuration: what may stand in it, and what is put into it.

mod rules;

use nsclass_shared::names;
use serde_json::{Value, json};
use thiserror::Error;

use super::Reach;

/// Why a template is refused. The text names the path and says what would do.
#[derive(Error, Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// Not YAML.
    #[error("{0}")]
    Syntax(String),
    /// A field that is not what it must be.
    #[error("{path}: {rule}")]
    Field {
        /// Where.
        path: String,
        /// What it must be, and why.
        rule: &'static str,
    },
}

/// A template that keeps the rules of admission.md A14 and A15.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(Value);

/// What is put into a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Filling<'a> {
    /// Whose configuration it is.
    pub instance: &'a str,
    /// Namespace of the operator, and so of the Service.
    pub operator_namespace: &'a str,
    /// Who we are, where that is a `ServiceAccount`: our own writes are not judged.
    pub own_user: Option<&'a str>,
    /// Which namespaces' objects are judged.
    pub reach: &'a Reach,
    /// Where the CA bundle comes from.
    pub trust: Trust<'a>,
}

/// Where the CA bundle comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Trust<'a> {
    /// Here it is, base64 of PEM.
    Bundle(&'a str),
    /// cert-manager puts it there; the annotation's value tells it whose.
    Injected {
        /// `NAMESPACE/CERTIFICATE`.
        from: String,
        /// What it has put there, by the entry's name; it stays.
        there: &'a [(String, Value)],
    },
}

/// Tells cert-manager's injector whose CA to put into a configuration.
pub const INJECT_ANNOTATION: &str = "cert-manager.io/inject-ca-from";

impl Template {
    /// Reads a template and checks it.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let value: Value = serde_saphyr::from_str(text).map_err(|error| {
            let text = error.to_string();
            TemplateError::Syntax(text.lines().next().unwrap_or("not YAML").trim_start_matches("error: ").to_owned())
        })?;
        rules::check(&value)?;
        Ok(Self(value))
    }

    /// The configuration's name.
    pub fn name(&self) -> &str {
        self.0["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// The whole configuration, as it must be.
    pub fn render(&self, filling: &Filling<'_>) -> Value {
        let mut configuration = self.0.clone();
        configuration["metadata"]["labels"][names::MANAGED_BY_LABEL] = json!("nsclass");
        configuration["metadata"]["labels"][names::INSTANCE_LABEL] = json!(filling.instance);
        if let Trust::Injected { from, .. } = &filling.trust {
            configuration["metadata"]["annotations"][INJECT_ANNOTATION] = json!(from);
        }
        for webhook in configuration["webhooks"].as_array_mut().into_iter().flatten() {
            fill(webhook, filling);
        }
        configuration
    }
}

fn fill(webhook: &mut Value, filling: &Filling<'_>) {
    let bundle = match &filling.trust {
        Trust::Bundle(bundle) => Some(json!(bundle)),
        Trust::Injected { there, .. } => {
            there.iter().find(|(name, _)| webhook["name"] == **name).map(|(_, bundle)| bundle.clone())
        }
    };
    let client = &mut webhook["clientConfig"];
    if let Some(bundle) = bundle {
        client["caBundle"] = bundle;
    }
    if client["service"].is_object() {
        client["service"]["namespace"] = json!(filling.operator_namespace);
    }
    if rules::is_namespaced(webhook) {
        webhook["namespaceSelector"] = filling.reach.selector(["kube-system", filling.operator_namespace]);
    }
    if let Some(user) = filling.own_user {
        // A user's name is of letters, digits, `:`, `-` and `.` where it is a ServiceAccount's: nothing to escape.
        let own = json!({ "name": "not-the-operator", "expression": format!("request.userInfo.username != '{user}'") });
        match webhook["matchConditions"].as_array_mut() {
            Some(conditions) => conditions.push(own),
            None => webhook["matchConditions"] = json!([own]),
        }
    }
}

#[cfg(test)]
mod tests;
