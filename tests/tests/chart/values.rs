//! Every documented combination of values.

/// A name, and what is set.
pub(crate) type Combination = (&'static str, &'static [&'static str]);

/// Each renders, alone.
pub(crate) const COMBINATIONS: &[Combination] = &[
    ("defaults", &[]),
    ("another instance", &["instance=\"blue\"", "crds.enabled=false", "policies.enabled=false"]),
    (
        "a digest",
        &[
            "image={\"repository\":\"registry.example/nsclass\",\"digest\":\"sha256:0123456789012345678901234567890123456789012345678901234567890123\",\"pullSecrets\":[\"registry\"]}",
        ],
    ),
    ("scope by list", &["scope.namespaces=[\"a\",\"b\"]", "scope.allowReserved=[\"default\"]"]),
    (
        "scope by selector",
        &[
            "scope.namespaceSelector={\"matchLabels\":{\"team\":\"x\"},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"v\"]},{\"key\":\"l\",\"operator\":\"Exists\"}]}",
        ],
    ),
    ("scope by the empty selector", &["scope.namespaceSelector={}"]),
    (
        "policy",
        &[
            "policy={\"allow\":[\"v1/ConfigMap\"],\"deny\":[\"apps/v1/*\"],\"permit\":[\"v1/Namespace\"],\"guardedKeys\":[\"example.com/owner\",\"cost-centre\"]}",
        ],
    ),
    (
        "a licence is wanted, and no report",
        &[
            "gate={\"mode\":\"Hybrid\",\"publicKeys\":[\"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\"]}",
            "usage.enabled=false",
        ],
    ),
    (
        "live objects to Git",
        &[
            "git={\"enabled\":true,\"pollSeconds\":30,\"repositoryMegabytes\":64,\"encryptTo\":[\"age1s7g28ufnu94sx8ds5fsvzhl538aw45q6fygdw883k42rpm5dfs9sdp4qa2\"]}",
        ],
    ),
    (
        "cert-manager",
        &["certificates.source=\"CertManager\"", "certificates.extraNames=[\"hook.example\",\"192.0.2.1\"]"],
    ),
    (
        "cert-manager with an issuer",
        &[
            "certificates.source=\"CertManager\"",
            "certificates.certManager.issuerRef={\"kind\":\"ClusterIssuer\",\"name\":\"internal\"}",
        ],
    ),
    (
        "files",
        &["certificates.source=\"Files\"", "certificates.files={\"secret\":\"pair\",\"bundleConfigMap\":\"bundle\"}"],
    ),
    ("a webhook by URL", &["webhook.url=\"https://hook.example:8443\""]),
    ("no webhook replica", &["webhook.replicas=0", "webhook.failurePolicy=\"Ignore\""]),
    ("client certificates", &["webhook.clientCAConfigMap=\"api-server-ca\""]),
    ("authors are not checked", &["webhook.authorChecks=false"]),
    (
        "kinds",
        &[
            "rbac.kinds=[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]},{\"apiGroups\":[\"networking.k8s.io\"],\"resources\":[\"networkpolicies\"]}]",
        ],
    ),
    ("grants", &["rbac.grants=true"]),
    (
        "all policies",
        &[
            "policies.lock={\"enabled\":true,\"exemptUsers\":[\"robot\"],\"exemptGroups\":[\"robots\"]}",
            "policies.requireClass={\"matchLabels\":{\"tenant\":\"true\"},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\"}]}",
            "policies.operatorNamespaces=[\"blue-system\"]",
        ],
    ),
    (
        "Prometheus operator and Grafana",
        &[
            "metrics.serviceMonitor={\"enabled\":true,\"labels\":{\"release\":\"prometheus\"}}",
            "metrics.prometheusRule={\"enabled\":true,\"labels\":{\"release\":\"prometheus\"}}",
            "metrics.dashboard={\"enabled\":true,\"labels\":{\"grafana_dashboard\":\"1\"}}",
        ],
    ),
    (
        "scraped by few",
        &["networkPolicy.metricsFrom=[{\"namespaceSelector\":{\"matchLabels\":{\"monitoring\":\"true\"}}}]"],
    ),
    ("nothing optional", &["networkPolicy.enabled=false", "podDisruptionBudget.enabled=false", "hooks.enabled=false"]),
    (
        "pods",
        &[
            "controller={\"replicas\":3,\"log\":\"debug\",\"podAnnotations\":{\"a\":\"b\"},\"podLabels\":{\"c\":\"d\"},\"nodeSelector\":{\"e\":\"f\"},\"tolerations\":[{\"operator\":\"Exists\"}],\"affinity\":{\"nodeAffinity\":{}},\"priorityClassName\":\"high\"}",
            "webhook={\"log\":\"debug\",\"podAnnotations\":{\"a\":\"b\"},\"podLabels\":{\"c\":\"d\"},\"nodeSelector\":{\"e\":\"f\"},\"tolerations\":[{\"operator\":\"Exists\"}],\"affinity\":{\"nodeAffinity\":{}},\"priorityClassName\":\"high\"}",
        ],
    ),
    (
        "times",
        &[
            "leaderElection={\"leaseDurationSeconds\":30,\"renewDeadlineSeconds\":20}",
            "certificates.authoritySeconds=100000",
            "certificates.servingSeconds=1000",
            "certificates.settleSeconds=10",
            "controller={\"workers\":4,\"periodicPassSeconds\":60,\"namespaceFinalizer\":\"Never\"}",
            "webhook={\"maxInFlight\":10,\"shutdownDelaySeconds\":10,\"timeoutSeconds\":2}",
        ],
    ),
];
