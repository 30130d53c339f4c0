//! A class that is wrong in five places.

use anyhow::{Result, bail, ensure};
use kube::Api;
use kube::api::{DynamicObject, PostParams};
use kube::core::ApiResource;
use nsclass_shared::api::NamespaceClass;
use serde_json::{Value, json};

use crate::demo::Demo;

const NAME: &str = "faulty";

const ITEMS: &str = r#"- { apiVersion: v1, kind: Namespace, metadata: { name: mine } }
- { apiVersion: v1, kind: ConfigMap, metadata: { name: held, finalizers: [a.b/c] } }
- { apiVersion: v1, kind: ConfigMap, metadata: { name: about },
    data: { text: "{{ .Namespace.Nmae }}" } }
- { apiVersion: v1, kind: ConfigMap, metadata: { name: Not_A_Name } }
- { apiVersion: v1, kind: ConfigMap, metadata: { name: owned,
    ownerReferences: [{ apiVersion: v1, kind: Secret, name: a, uid: b }] } }"#;

pub async fn play(demo: &Demo<'_>) -> Result<()> {
    demo.screen.step(
        "A class with five faults",
        "The webhooks judge a class by the code that the controller would go by. An author hears everything at once.",
    );
    let items: Vec<Value> = serde_saphyr::from_str(ITEMS)?;
    demo.screen.command(&format!("kubectl create -f {NAME}.yaml   # its spec.resources:"));
    demo.screen.table(&[""], &ITEMS.lines().map(|line| vec![line.to_owned()]).collect::<Vec<_>>());
    let classes: Api<DynamicObject> = Api::all_with(demo.cluster.client(), &ApiResource::erase::<NamespaceClass>(&()));
    let class = serde_json::from_value(json!({
        "apiVersion": "nsclass.io/v1alpha1", "kind": "NamespaceClass", "metadata": { "name": NAME },
        "spec": { "resources": items },
    }))?;
    let findings = demo
        .fact("it is refused, with five findings in one answer", async || {
            let answer = classes.create(&PostParams::default(), &class).await;
            let Err(kube::Error::Api(status)) = answer else { bail!("{answer:?}") };
            ensure!(status.message.contains("namespaceclasses.nsclass.io"), "{} {}", status.code, status.message);
            let causes = status.details.map(|details| details.causes).unwrap_or_default();
            ensure!(causes.len() == 5, "{} findings: {}", causes.len(), status.message);
            Ok(causes)
        })
        .await?;
    for finding in &findings {
        demo.screen.say(&format!("- {}: {}", finding.field, finding.message));
    }
    demo.fact("nothing of it was stored", async || {
        ensure!(demo.cluster.class(NAME).await?.is_none(), "it is there");
        Ok(())
    })
    .await
}
