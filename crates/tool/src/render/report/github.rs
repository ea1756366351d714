//! Annotations: commands that GitHub Actions reads in the output of a step and shows beside the lines of a change.

use super::{Entry, play, word};
use crate::shape::answer::Verdict;
use crate::shape::diagnostic::{Place, Severity};

/// A line for each verdict, each error and each warning. UNSAFE and errors are errors, UNKNOWN is a warning; SAFE is no
/// annotation but a line of the log.
pub fn text(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let file = entry.file();
        for item in entry.verdicts() {
            let message = item.message();
            match item.finding.verdict {
                Verdict::Safe => text += &format!("{file}: {}  {message}\n", word(item.finding)),
                Verdict::Unknown => {
                    text += &command("warning", file, item.place(), "agon: UNKNOWN", &message);
                }
                Verdict::Unsafe => {
                    let title = format!("agon: {} ({})", word(item.finding), item.rule().id);
                    let message = format!("{message}\n\n{}", play(file, &item.finding.play));
                    text += &command("error", file, item.place(), &title, message.trim_end());
                }
            }
        }
        for diagnostic in entry.diagnostics() {
            let kind = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let title = format!("agon: {}", diagnostic.code.as_deref().unwrap_or("message"));
            let parts = [Some(&diagnostic.message)].into_iter().chain([diagnostic.help.as_ref()]).flatten();
            let message = parts.cloned().collect::<Vec<_>>().join("\n");
            text += &command(kind, file, diagnostic.place.as_ref(), &title, &message);
        }
    }
    text
}

/// One command.
fn command(kind: &str, file: &str, place: Option<&Place>, title: &str, message: &str) -> String {
    let mut properties = vec![("file", place.and_then(|place| place.file.as_deref()).unwrap_or(file).into())];
    if let Some(place) = place {
        properties.push(("line", place.line.to_string()));
        properties.push(("endLine", place.end_line.to_string()));
        // Columns are shown only where the place is on one line.
        if place.line == place.end_line {
            properties.push(("col", place.column.to_string()));
            properties.push(("endColumn", place.end_column.to_string()));
        }
    }
    properties.push(("title", title.into()));
    let written: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    format!("::{kind} {}::{}\n", written.join(","), data(message))
}

/// A message on one line, as commands write it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, as commands write it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_or_a_message_is_escaped() {
        let place = Place { file: None, line: 3, column: 5, end_line: 3, end_column: 9, start: 0, end: 0 };
        assert_eq!(
            command("error", "a,b.ia", Some(&place), "x: 1%", "one\ntwo: 50%"),
            "::error file=a%2Cb.ia,line=3,endLine=3,col=5,endColumn=9,title=x%3A 1%25::one%0Atwo: 50%25\n"
        );
        let place = Place { end_line: 4, file: Some("h.h".into()), ..place };
        assert_eq!(
            command("warning", "a", Some(&place), "t", "m"),
            "::warning file=h.h,line=3,endLine=4,title=t::m\n"
        );
        assert_eq!(command("warning", "a", None, "t", "m"), "::warning file=a,title=t::m\n");
    }
}
