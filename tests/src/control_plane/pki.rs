//! Certificates and keys of one control plane, made for it and gone with it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};

/// Who the harness itself is to the API server.
pub(super) const ADMIN: &str = "test-admin";
/// The user that the bootstrap roles of RBAC know the controller-manager by.
const CONTROLLER_MANAGER: &str = "system:kube-controller-manager";
/// Every name the serving certificate is good for; pods come by the address of the Service.
const SERVER_NAMES: [&str; 6] =
    ["127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", SERVICE_ADDRESS];

/// The address of the Service `kubernetes`: the first of the Services' range.
const SERVICE_ADDRESS: &str = "10.0.0.1";

/// A certificate and its key as files.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Pki {
    /// The authority's certificate, as a file and as what clients trust.
    pub(super) ca: PathBuf,
    pub(super) ca_der: Vec<u8>,
    pub(super) serving: Pair,
    pub(super) admin: Pair,
    pub(super) controller_manager: Pair,
    /// Signs and verifies the tokens of service accounts.
    pub(super) service_account_key: PathBuf,
    pub(super) service_account_public_key: PathBuf,
}

impl Pki {
    pub(super) fn issue(dir: &Path) -> Result<Self> {
        let dir = dir.join("pki");
        fs::create_dir(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;

        let mut authority = params("nsclass-tests", None, &[])?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
        let ca = dir.join("ca.crt");
        fs::write(&ca, authority.pem())?;

        let pair = |file: &str, mut params: CertificateParams, usage| -> Result<Pair> {
            params.extended_key_usages = vec![usage];
            let key_pair = KeyPair::generate()?;
            let pair = Pair { certificate: dir.join(format!("{file}.crt")), key: dir.join(format!("{file}.key")) };
            fs::write(&pair.certificate, params.signed_by(&key_pair, &authority)?.pem())?;
            write_secret(&pair.key, &key_pair.serialize_pem())?;
            Ok(pair)
        };
        let client = ExtendedKeyUsagePurpose::ClientAuth;
        let serving =
            pair("serving", params("kube-apiserver", None, &SERVER_NAMES)?, ExtendedKeyUsagePurpose::ServerAuth)?;
        let admin = pair("admin", params(ADMIN, Some("system:masters"), &[])?, client.clone())?;
        let controller_manager = pair("controller-manager", params(CONTROLLER_MANAGER, None, &[])?, client)?;

        let tokens = KeyPair::generate()?;
        let service_account_key = dir.join("service-account.key");
        let service_account_public_key = dir.join("service-account.pub");
        write_secret(&service_account_key, &tokens.serialize_pem())?;
        fs::write(&service_account_public_key, tokens.public_key_pem())?;

        Ok(Self {
            ca,
            ca_der: authority.der().to_vec(),
            serving,
            admin,
            controller_manager,
            service_account_key,
            service_account_public_key,
        })
    }
}

/// Common name is the user, organization the group.
fn params(user: &str, group: Option<&str>, names: &[&str]) -> Result<CertificateParams> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, user);
    if let Some(group) = group {
        params.distinguished_name.push(DnType::OrganizationName, group);
    }
    Ok(params)
}

/// Readable by its owner only, from its first byte.
pub(super) fn write_secret(path: &Path, text: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).with_context(|| format!("{} cannot be written", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))
}
