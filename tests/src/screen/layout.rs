//! Text in lines and columns.

/// Columns of the narrowest terminal that the output is made for.
pub const WIDTH: usize = 80;

/// Breaks `text` between words, so that no line is longer than `width` unless a word is.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}

/// The head and each row as one line, every column as wide as its widest cell.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(rows).collect();
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let padded = |(column, cell): (usize, &String)| format!("{cell:<0$}", width(column).unwrap_or_default());
    all.iter()
        .map(|row| row.iter().enumerate().map(padded).collect::<Vec<_>>().join("  ").trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_between_words_and_loses_none() {
        assert_eq!(wrap("one two  three\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("a verylongword b", 5), ["a", "verylongword", "b"]);
        assert!(wrap(" ", 5).is_empty());
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let rows = [vec!["ConfigMap".to_owned(), "a".to_owned()], vec!["Role".to_owned(), String::new()]];
        assert_eq!(columns(&["KIND", "NAME"], &rows), ["KIND       NAME", "ConfigMap  a", "Role"]);
    }
}
