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
