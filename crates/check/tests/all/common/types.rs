//! Types of numbers in the text of a program, and the same program over others.

/// The types of numbers in a text, with their places.
pub fn number_types(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(at) {
            at += 1;
            continue;
        }
        let start = at;
        while is_word(at) {
            at += 1;
        }
        match &text[start..at] {
            "int" if bytes.get(at) == Some(&b'%') => {
                at += 1;
                if bytes.get(at) == Some(&b'(') {
                    let mut depth = 0;
                    loop {
                        match bytes[at] {
                            b'(' => depth += 1,
                            b')' => depth -= 1,
                            _ => {}
                        }
                        at += 1;
                        if depth == 0 {
                            break;
                        }
                    }
                } else {
                    while is_word(at) {
                        at += 1;
                    }
                }
                found.push((start, at));
            }
            "int" if bytes.get(at) == Some(&b'$') => {}
            "int" | "i8" | "i32" | "u32" | "u64" => found.push((start, at)),
            _ => {}
        }
    }
    found
}

/// A text with some of its types of numbers written differently.
pub fn with_types(text: &str, new: impl Fn(usize, &str) -> Option<String>) -> String {
    let mut written = text.to_string();
    for (from, to) in number_types(text).into_iter().rev() {
        if let Some(new) = new(from, &text[from..to]) {
            written.replace_range(from..to, &new);
        }
    }
    written
}

/// Where the identifiers of the environment end.
pub fn interface(text: &str) -> usize {
    text.find("|-").unwrap_or(0)
}

/// The same program, whose environment gives 0, 1 or 2 only where it is asked for a number. A difference between two such
/// programs is one between the others.
pub fn with_few_answers(text: &str) -> String {
    let end = interface(text);
    // What stands last in the type of an identifier is what the environment gives; a variable may be read and written.
    let mut ends = Vec::new();
    let mut depth = 0;
    for (at, c) in text[..end].char_indices().chain([(end, ',')]) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => ends.push(text[..at].trim_end().len()),
            _ => {}
        }
    }
    let given: Vec<usize> = number_types(text)
        .into_iter()
        .filter(|(from, to)| ends.contains(to) && !text[..*from].trim_end().ends_with("var"))
        .map(|(from, _)| from)
        .collect();
    with_types(text, |at, _| given.contains(&at).then(|| "int%3".to_string()))
}
