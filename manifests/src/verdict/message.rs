use super::Finding;

/// Longest text of a condition, in bytes. The API server allows 32768; a status that a person reads wants far less.
const SUMMARY_BYTES: usize = 1024;
/// Longest what or remedy in a finding, in bytes: names and entries come from files and may be of any length.
const PART_BYTES: usize = 600;

/// `text` on one line, without control characters, and bounded.
pub(super) fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(PART_BYTES));
    for c in text.chars() {
        if line.len() + c.len_utf8() > PART_BYTES {
            line.push('…');
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// The first refusal, and the number of others.
pub(super) fn summary(judged: bool, refusals: &[Finding]) -> String {
    let Some(first) = refusals.first() else {
        return if judged { "every document is explained".to_owned() } else { "the folder is being read".to_owned() };
    };
    let more = match refusals.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more)".to_owned(),
        more => format!(" (and {more} more)"),
    };
    let mut text = first.to_string();
    let room = SUMMARY_BYTES - more.len();
    if text.len() > room {
        let mut end = room - '…'.len_utf8();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text + &more
}

#[cfg(test)]
mod tests {
    use crate::path::FolderPath;
    use crate::verdict::{Finding, Reason, Validity, Verdict};

    fn finding(path: &str, document: u32, reason: Reason) -> Finding {
        Finding::new(&FolderPath::new(path).unwrap(), reason, "x".repeat(5000), "do that").in_document(document)
    }

    #[test]
    fn f20_the_message_names_the_first_offender_counts_the_rest_and_is_bounded() {
        let verdict = Verdict::new(vec![
            finding("b.yaml", 2, Reason::DuplicateIdentity),
            finding("a.yaml", 2, Reason::NoNamespace),
            finding("a.yaml", 1, Reason::Note),
        ]);
        assert_eq!(verdict.validity(), Validity::False(Reason::NoNamespace));
        assert!(verdict.message().starts_with("a.yaml#2: xxx"), "{}", verdict.message());
        assert!(verdict.message().ends_with(" (and 1 more)"));
        assert!(verdict.message().len() <= super::SUMMARY_BYTES);
    }

    #[test]
    fn f20_a_finding_is_one_line_whatever_the_file_holds() {
        let odd = Finding::new(&FolderPath::new("a.yaml").unwrap(), Reason::MalformedYaml, "a\nb\u{1b}[31m", "fix\tit");
        assert_eq!(odd.to_string(), r"a.yaml: a\nb\u{1b}[31m; fix\tit");
    }

    #[test]
    fn f20_unknown_while_scanning() {
        assert_eq!(Verdict::unknown().validity(), Validity::Unknown);
        assert_eq!(Verdict::new(Vec::new()).validity(), Validity::True);
    }
}
