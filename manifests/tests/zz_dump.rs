#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout, warnings)]
mod laws;
use laws::dice::Dice;
use laws::*;
use nsclass_manifests::yaml::{parse, Reader};
use std::io::Write;
#[test]
fn dump() {
    let Some(mut state) = std::env::var("SEED").ok().and_then(|s| s.parse::<u64>().ok()) else { return };
    let mut next = || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state };
    let mut out = std::io::BufWriter::new(std::fs::File::create(std::env::var("DUMP").unwrap()).unwrap());
    let head = "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: nm\n";
    let mut emit = |text: &str, what: &str| {
        let file = match parse(text.as_bytes()) { Ok(f) => f, Err(e) => { writeln!(out, "{}", serde_json::json!({"what": what, "text": text, "error": e.to_string()})).unwrap(); return } };
        if file.documents.len() != 1 { return; }
        let d = &file.documents[0];
        let k = d.to_value(Reader::Kubernetes);
        let u = d.to_value(Reader::Kustomize);
        writeln!(out, "{}", serde_json::json!({"what": what, "text": text, "k": k.as_ref().ok(), "u": u.as_ref().ok(), "ke": k.as_ref().err().map(|e| e.to_string()), "ue": u.as_ref().err().map(|e| e.to_string())})).unwrap();
    };
    for e in std::fs::read_dir("tests/corpus").unwrap().chain(std::fs::read_dir("fuzz/seeds").unwrap()) {
        let Ok(t) = std::fs::read_to_string(e.unwrap().path()) else { continue };
        let Ok(f) = parse(t.as_bytes()) else { continue };
        for d in &f.documents {
            let slice = f.slice(d.range).to_owned();
            let slice = if slice.contains("apiVersion") { slice } else { format!("apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: nm\n{}", slice.trim_start_matches("---\n")) };
            emit(&slice, "corpus");
            for _ in 0..120 {
                let mut b = slice.clone().into_bytes();
                for _ in 0..1 + next() % 2 {
                    let at = (next() as usize) % b.len().max(1);
                    let set = b" \n:-#{}[],'\"|>&*!%?\t\\0x~.+=@`<$y"; let c = set[(next() as usize) % set.len()];
                    if at < b.len() { match next() % 4 { 0 => b[at] = c, 1 => b.insert(at, c), 2 => { b.remove(at); } _ => { let end = b[at..].iter().position(|x| *x == b'\n').map_or(b.len(), |n| at + n + 1); b.drain(at..end); } } }
                }
                if let Ok(t) = String::from_utf8(b) { emit(&t, "cmut"); }
            }
        }
    }
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    for i in 0..n {
        let bytes: Vec<u8> = (0..200).map(|_| next() as u8).collect();
        let mut text = text::file(&mut Dice::new(&bytes));
        if text.contains("---") || text.contains("\n...") || text.starts_with('\u{feff}') { continue; }
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let text = format!("{}{}", head.replace('\n', eol), text);
        emit(&text, "gen");
        // byte mutations
        if i % 2 == 0 {
            let mut b = text.clone().into_bytes();
            for _ in 0..1 + next() % 3 {
                let at = head.len() + 10 + (next() as usize) % (b.len() - head.len()).max(1);
                let c = *b" \n:-#{}[],'\"|>&*!%?\t\\x0~.+=@`<".get((next() % 32) as usize).unwrap_or(&b'x');
                if at < b.len() { match next() % 3 { 0 => b[at] = c, 1 => b.insert(at, c), _ => { b.remove(at); } } }
            }
            if let Ok(t) = String::from_utf8(b) { emit(&t, "mut"); }
        }
        let file = parse(text.as_bytes()).unwrap();
        let mut dice_bytes: Vec<u8> = (0..60).map(|_| next() as u8).collect();
        let mut dice = Dice::new(&dice_bytes);
        for reader in READERS {
            let Ok(cur) = file.documents[0].to_value(reader) else { continue };
            let mut wanted = change::changed(&mut dice, &cur);
            for k in ["apiVersion", "kind", "metadata"] { wanted[k] = cur[k].clone(); }
            if let Ok(e) = check_edit(&file, 1, &wanted, reader) { emit(&e.text, "edit"); }
        }
    }
}
