//! Every way in which a pair can be bad, and the sentence for it.

use jiff::SignedDuration;
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};

use super::*;

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

struct Files {
    chain: String,
    key: String,
}

fn files(change: impl FnOnce(&mut CertificateParams)) -> Files {
    let mut params = CertificateParams::new(["localhost".to_owned(), "::1".to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 1), date_time_ymd(2028, 1, 1));
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    Files { chain: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
}

fn refused(files: &Files, now: Timestamp) -> String {
    Pair::parse(files.chain.as_bytes(), files.key.as_bytes(), now).unwrap_err().to_string()
}

#[test]
fn a21_a_good_pair_says_whom_it_is_for_and_how_long() {
    let files = files(|_| {});
    let pair = Pair::parse(files.chain.as_bytes(), files.key.as_bytes(), NOW).unwrap();
    assert_eq!(pair.leaf.names, ["localhost", "::1"]);
    assert_eq!(pair.not_after.to_string(), "2028-01-01T00:00:00Z");
    let secret = files.key.lines().nth(1).unwrap();
    assert!(!format!("{pair:?}").contains(secret));
}

#[test]
fn a21_a_pair_that_is_half_written_is_refused_at_every_length() {
    let whole = files(|_| {});
    let end = whole.chain.trim_end().len();
    for length in 0..end {
        let half = Files { chain: whole.chain[..length].to_owned(), key: whole.key.clone() };
        refused(&half, NOW);
    }
    for length in 0..whole.key.trim_end().len() {
        let half = Files { chain: whole.chain.clone(), key: whole.key[..length].to_owned() };
        refused(&half, NOW);
    }
    let empty = Files { chain: String::new(), key: whole.key.clone() };
    insta::assert_snapshot!(refused(&empty, NOW), @"tls.crt: holds no certificate; it must hold the serving certificate and then those between it and its CA, as PEM");
    let keyless = Files { chain: whole.chain, key: String::new() };
    insta::assert_snapshot!(refused(&keyless, NOW), @"tls.key: holds no private key; it must hold the key of the first certificate of tls.crt, as PEM");
}

#[test]
fn a21_halves_of_two_pairs_are_refused() {
    let (one, two) = (files(|_| {}), files(|_| {}));
    insta::assert_snapshot!(refused(&Files { chain: one.chain, key: two.key }, NOW), @"tls.key: is not the key of the first certificate of tls.crt; replace both together");
}

#[test]
fn a21_a_pair_out_of_its_time_is_refused_and_a_second_inside_is_not() {
    let pair = files(|_| {});
    let (from, until): (Timestamp, Timestamp) =
        ("2026-01-01T00:00:00Z".parse().unwrap(), "2028-01-01T00:00:00Z".parse().unwrap());
    let second = SignedDuration::from_secs(1);
    insta::assert_snapshot!(refused(&pair, from - second), @"tls.crt: certificate 1 is not valid before 2026-01-01T00:00:00Z; is a clock wrong?");
    insta::assert_snapshot!(refused(&pair, until + second), @"tls.crt: certificate 1 expired at 2028-01-01T00:00:00Z; issue a new pair");
    for inside in [from, until] {
        assert!(Pair::parse(pair.chain.as_bytes(), pair.key.as_bytes(), inside).is_ok(), "{inside}");
    }
}

#[test]
fn a21_what_no_client_would_take_is_refused() {
    let client = files(|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    insta::assert_snapshot!(refused(&client, NOW), @"tls.crt: certificate 1 is not for servers; its extended key usage must include serverAuth");
    let nameless = files(|params| params.subject_alt_names.clear());
    insta::assert_snapshot!(refused(&nameless, NOW), @"tls.crt: certificate 1 names no host; list DNS names or addresses as subject alternative names");
    // Made by `openssl req -x509 -x509v1`; nobody issues these on purpose.
    let old = Files { chain: include_str!("version1.crt").to_owned(), key: files(|_| {}).key };
    insta::assert_snapshot!(refused(&old, NOW), @"tls.crt: certificate 1 is an X.509 version 1 certificate, which TLS libraries refuse; issue it with extensions (version 3)");
    let other = Files { chain: files(|_| {}).chain, key: include_str!("version1.crt").to_owned() };
    insta::assert_snapshot!(refused(&other, NOW), @"tls.key: holds no private key; it must hold the key of the first certificate of tls.crt, as PEM");
}
