//! Renaming an identifier everywhere, without changing the meaning of the program.

use agon_base::source::Span;
use agon_ia::names::{DeclarationId, names};
use agon_ia::parse::parse;
use agon_ia::token::{Token, tokenize};

use super::document::Document;

/// The places to change; the reason, if the new name would change the meaning.
pub fn rename(document: &Document, id: DeclarationId, to: &str) -> Result<Vec<Span>, String> {
    let mut diagnostics = Vec::new();
    let tokens = tokenize(to, &mut diagnostics);
    let is_name = matches!(&tokens[..], [(Token::Name, span), (Token::End, _)] if span.start == 0 && span.end as usize == to.len());
    if !is_name || !diagnostics.is_empty() {
        return Err(format!("`{to}` is not a name"));
    }
    let places: Vec<Span> = document.names.mentions(id).collect();
    let mut text = document.text.text.clone();
    for place in places.iter().rev() {
        text.replace_range(place.range(), to);
    }
    // Each mention must still refer to the same declaration.
    let renamed = names(&parse(&text).0);
    if renamed.binding() != document.names.binding() {
        return Err(format!(
            "with `{to}`, something would be called like something else; choose another name"
        ));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn renamed(text: &str, at: usize, to: &str) -> Result<usize, String> {
        let document = Document::read("test", text.into(), 0, &[]);
        let (_, id) = document.names.at(at as u32).expect("there is a name");
        rename(&document, id, to).map(|places| places.len())
    }

    #[test]
    fn names_are_changed_unless_they_would_be_confused() {
        let text = "f : com |- new int x in let g = x := 1 in { f; g }";
        assert_eq!(renamed(text, 19, "y"), Ok(2));
        assert_eq!(renamed(text, 19, "g"), Ok(2), "the definition of g does not see itself");
        assert!(renamed(text, 0, "x").is_err(), "f would be taken for the cell");
        assert!(renamed(text, 0, "g").is_err());
        assert_eq!(renamed(text, 0, "while"), Err("`while` is not a name".into()));
        assert_eq!(renamed(text, 0, "a b"), Err("`a b` is not a name".into()));
        assert_eq!(renamed(text, 0, ""), Err("`` is not a name".into()));
    }
}
