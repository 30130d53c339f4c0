//! Swaps of the directory, good and bad, under a server that goes on.

use std::os::unix::fs::symlink;

use nsclass_certs::pair::PairError;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConnection, SupportedProtocolVersion,
    pki_types::{CertificateDer, UnixTime, pem::PemObject},
    version::{TLS12, TLS13},
};
use tempfile::TempDir;

use super::*;

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

fn pair(name: &str) -> Files {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 1), date_time_ymd(2028, 1, 1));
    let key = KeyPair::generate().unwrap();
    let chain = params.self_signed(&key).unwrap().pem();
    Files { chain: chain.into_bytes(), key: key.serialize_pem().into_bytes() }
}

fn write(dir: &Path, files: &Files) {
    fs::write(dir.join(CHAIN_FILE), &files.chain).unwrap();
    fs::write(dir.join(KEY_FILE), &files.key).unwrap();
}

/// What a kubelet does with a new version of a mounted `Secret`.
fn mount(dir: &Path, version: &str, files: &Files) {
    let data = dir.join(version);
    fs::create_dir(&data).unwrap();
    write(&data, files);
    let next = dir.join("..data_tmp");
    symlink(version, &next).unwrap();
    fs::rename(next, dir.join(MOUNTED_VERSION)).unwrap();
}

fn names(serving: &ServingPair) -> Vec<String> {
    serving.current().map(|pair| pair.leaf.names.clone()).unwrap_or_default()
}

#[test]
fn a21_a_swap_of_a_mounted_secret_is_seen_whole() {
    let (dir, serving) = (TempDir::new().unwrap(), ServingPair::default());
    assert!(matches!(serving.look(dir.path(), NOW), Look::Refused(_)));
    assert!(serving.is_valid(NOW).unwrap_err().starts_with("no serving pair yet: "));
    for (version, name) in [("..1", "one"), ("..2", "two"), ("..3", "three")] {
        mount(dir.path(), version, &pair(name));
        assert_eq!(serving.look(dir.path(), NOW), Look::Taken);
        assert_eq!(serving.look(dir.path(), NOW), Look::Same);
        assert_eq!(names(&serving), [name]);
    }
    let status = serving.status();
    assert_eq!((status.taken, status.refused, status.why_refused), (3, 1, None));
}

#[test]
fn fault16_a_bad_pair_keeps_the_last_good_one_and_is_counted_once() {
    let (dir, serving) = (TempDir::new().unwrap(), ServingPair::default());
    let (good, other) = (pair("good"), pair("other"));
    write(dir.path(), &good);
    serving.look(dir.path(), NOW);
    let half = Files { chain: good.chain[..300].to_vec(), key: good.key.clone() };
    let mixed = Files { chain: other.chain.clone(), key: good.key.clone() };
    for bad in [&half, &mixed] {
        write(dir.path(), bad);
        assert!(matches!(serving.look(dir.path(), NOW), Look::Refused(_)));
        assert_eq!(serving.look(dir.path(), NOW), Look::Same);
        assert_eq!(names(&serving), ["good"]);
        assert!(serving.is_valid(NOW).is_ok());
    }
    let status = serving.status();
    assert_eq!((status.taken, status.refused), (1, 2));
    assert!(status.why_refused.unwrap().ends_with(&PairError::Mismatch.to_string()));
    write(dir.path(), &good);
    assert_eq!(serving.look(dir.path(), NOW), Look::Same);
    assert_eq!(serving.status().why_refused, None);
    write(dir.path(), &other);
    assert_eq!(serving.look(dir.path(), NOW), Look::Taken);
}

#[test]
fn a25_what_is_counted_of_the_pair_is_in_the_registry() {
    let (dir, serving) = (TempDir::new().unwrap(), Arc::new(ServingPair::default()));
    let registry = prometheus::Registry::new();
    registry.register(Box::new(PairMetrics::new(serving.clone()).unwrap())).unwrap();
    let text = || prometheus::TextEncoder::new().encode_to_string(&registry.gather()).unwrap();
    serving.look(dir.path(), NOW);
    assert!(!text().contains("not_after"), "there is none");
    write(dir.path(), &pair("one"));
    serving.look(dir.path(), NOW);
    for line in [
        "nsclass_certificate_not_after_seconds{role=\"serving\"} 1830297600",
        "nsclass_certificate_reloads_total{result=\"taken\"} 1",
        "nsclass_certificate_reloads_total{result=\"refused\"} 1",
    ] {
        assert!(text().contains(line), "{line} is not in {}", text());
    }
}

#[test]
fn a25_the_wall_clock_decides_whether_the_pair_is_still_valid() {
    let (dir, serving) = (TempDir::new().unwrap(), ServingPair::default());
    let late: Timestamp = "2028-01-01T00:00:01Z".parse().unwrap();
    write(dir.path(), &pair("early"));
    assert_eq!(serving.look(dir.path(), NOW), Look::Taken);
    assert_eq!(serving.is_valid(late).unwrap_err(), "the serving pair expired at 2028-01-01T00:00:00Z");
    // What expired before it was ever served is not taken.
    let fresh = ServingPair::default();
    assert!(matches!(fresh.look(dir.path(), late), Look::Refused(why) if why.contains("expired at")));
}

/// A client's clock.
#[derive(Debug)]
struct At(Timestamp);

impl rustls::time_provider::TimeProvider for At {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(self.0.as_second().unsigned_abs())))
    }
}

/// A whole handshake without a socket, by a client that trusts `pair` alone.
fn handshake(server: &Arc<ServerConfig>, version: &'static SupportedProtocolVersion, pair: &Files) -> Option<()> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&pair.chain).ok()?).ok()?;
    let client = ClientConfig::builder_with_details(Arc::new(ring::default_provider()), Arc::new(At(NOW)))
        .with_protocol_versions(&[version])
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut client = ClientConnection::new(Arc::new(client), "good".try_into().ok()?).ok()?;
    let mut server = ServerConnection::new(Arc::clone(server)).ok()?;
    while client.is_handshaking() || server.is_handshaking() {
        let mut wire = Vec::new();
        client.write_tls(&mut wire).ok()?;
        server.read_tls(&mut wire.as_slice()).ok()?;
        server.process_new_packets().ok()?;
        wire.clear();
        server.write_tls(&mut wire).ok()?;
        client.read_tls(&mut wire.as_slice()).ok()?;
        client.process_new_packets().ok()?;
    }
    (client.protocol_version() == Some(version.version)).then_some(())
}

#[test]
fn a20_one_configuration_speaks_tls_1_2_and_1_3_and_serves_the_pair_of_the_moment() {
    let (dir, serving) = (TempDir::new().unwrap(), Arc::new(ServingPair::default()));
    let server = Arc::new(serving.server_config().unwrap());
    let (first, second) = (pair("good"), pair("good"));
    assert!(handshake(&server, &TLS13, &first).is_none(), "there is no pair yet");
    for version in [&TLS12, &TLS13] {
        for (right, wrong) in [(&first, &second), (&second, &first)] {
            write(dir.path(), right);
            assert_eq!(serving.look(dir.path(), NOW), Look::Taken);
            assert!(handshake(&server, version, right).is_some(), "{version:?}");
            assert!(handshake(&server, version, wrong).is_none(), "{version:?}: the pair before is still served");
        }
    }
}
