//! The laws of the editor over random files and random live changes.

// Helpers of tests count as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod laws;

use laws::dice::Dice;
use laws::{READERS, change, check_edit, check_removal, fuzz_edit, fuzz_parse, text};
use nsclass_manifests::edit::Reason;
use nsclass_manifests::yaml::parse;
use proptest::prelude::*;

fn budget() -> ProptestConfig {
    ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(budget())]

    #[test]
    fn f30_random_files_read_and_their_parts_add_up(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = text::file(&mut Dice::new(&bytes));
        prop_assert!(parse(text.as_bytes()).is_ok(), "{:?}\n{text}", parse(text.as_bytes()).err());
        fuzz_parse(text.as_bytes());
    }

    #[test]
    fn f30_f32_random_changes_are_made_exactly_and_leave_every_other_byte(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        changes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let text = text::file(&mut Dice::new(&bytes));
        let file = parse(text.as_bytes()).unwrap();
        let mut dice = Dice::new(&changes);
        for document in &file.documents {
            for reader in READERS {
                let Ok(current) = document.to_value(reader) else { continue };
                let wanted = change::changed(&mut dice, &current);
                let result = check_edit(&file, document.number, &wanted, reader);
                if let Err(refused) = result {
                    prop_assert!(refused.reason != Reason::Mismatch, "{reader:?}\n{text}\nwanted {wanted}");
                }
            }
            check_removal(&file, document.number);
        }
    }

    #[test]
    fn f30_any_bytes_are_read_or_refused_and_edited_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz_parse(&bytes);
        fuzz_edit(&bytes);
    }
}

/// The laws would hold for an editor that refuses everything.
#[test]
fn f30_most_random_changes_are_made_and_few_are_refused() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bytes = |count: usize| -> Vec<u8> {
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(count).collect()
    };
    let (mut whole, mut partly, mut none) = (0_usize, 0_usize, 0_usize);
    for _ in 0..400 {
        let text = text::file(&mut Dice::new(&bytes(250)));
        let changes = bytes(60);
        let file = parse(text.as_bytes()).unwrap();
        let Ok(current) = file.documents[0].to_value(READERS[0]) else { continue };
        let wanted = change::changed(&mut Dice::new(&changes), &current);
        match check_edit(&file, 1, &wanted, READERS[0]) {
            Ok(edited) if edited.changes.is_empty() && edited.refused.is_empty() => {}
            Ok(edited) if edited.refused.is_empty() => whole += 1,
            Ok(_) => partly += 1,
            Err(_) => none += 1,
        }
    }
    assert!(whole > 200 && partly * 4 < whole && none * 10 < whole, "{whole} made, {partly} in part, {none} refused");
}
