//! Places: from offsets in preprocessed texts to spans in the original files, by line markers and by the words of each line.

use std::collections::HashMap;

use agon_base::source::{Source, Span};

use crate::read::Unit;
use crate::token::words;

/// Where the words of all units come from.
pub struct Positions {
    /// The words of each unit, in order.
    units: Vec<Vec<Word>>,
}

/// A word of a preprocessed text, and the place in the source that it comes from.
struct Word {
    start: usize,
    end: usize,
    /// Nothing if a macro made it; then the places of the words around it are what is known.
    from: Option<Span>,
    /// What lies between the places of the words around it.
    gap: Span,
}

/// A line of a preprocessed text: where it is, and which line of which file it comes from.
struct Line {
    start: usize,
    end: usize,
    file: usize,
    number: usize,
}

/// A macro call is looked for in at most this many lines.
const MOST_LINES: usize = 64;
/// Lines of more words than this are not compared word by word.
const MOST_WORDS: usize = 600;
/// A file that is gone is written again from what is left of it, with at most this many empty lines at once.
const MOST_EMPTY: usize = 10_000;

impl Positions {
    /// Finds the files that the units come from, and the places of all words.
    pub fn new(units: &[Unit], originals: &dyn Fn(&str) -> Option<String>) -> (Positions, Source) {
        let mut names: Vec<String> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut number = |name: &str| {
            *numbers.entry(name.to_string()).or_insert_with(|| {
                names.push(name.to_string());
                names.len() - 1
            })
        };
        // The files that were given come first, in their order.
        units.iter().for_each(|unit| _ = number(&unit.name));
        let all: Vec<_> = units.iter().map(|unit| lines(unit, &mut number)).collect();
        let text = |(n, name): (usize, String)| {
            let text = originals(&name).unwrap_or_else(|| rebuilt(units, &all, n));
            (name, text)
        };
        let source = Source::joined(names.into_iter().enumerate().map(text));
        let files: Vec<(u32, &str)> = source.files().map(|file| (file.start, file.text)).collect();
        let starts: Vec<Vec<usize>> = files.iter().map(|(_, text)| line_starts(text)).collect();
        let place = |unit: &Unit, lines: &Vec<Line>| {
            let mut found = Vec::new();
            // A preprocessor breaks a line where a macro of a header begins and ends.
            for pieces in lines.chunk_by(|a, b| (a.file, a.number) == (b.file, b.number)) {
                let (base, text) = files[pieces[0].file];
                align(&unit.text, pieces, (base as usize, text, &starts[pieces[0].file]), &mut found);
            }
            found
        };
        let units = units.iter().zip(&all).map(|(unit, lines)| place(unit, lines)).collect();
        (Positions { units }, source)
    }

    /// The place of a part of a unit's text.
    pub fn span(&self, unit: usize, start: usize, end: usize) -> Span {
        let Some(words) = self.units.get(unit).filter(|words| !words.is_empty()) else {
            return Span::default();
        };
        let first = words.partition_point(|word| word.end <= start).min(words.len() - 1);
        let last = words.partition_point(|word| word.start < end).saturating_sub(1).max(first);
        let (first, last) = (&words[first], &words[last]);
        let (from, to) = (first.from.unwrap_or(first.gap), last.from.unwrap_or(last.gap));
        if from.start <= to.end { Span { start: from.start, end: to.end } } else { from }
    }
}

/// The lines of a unit that have words.
fn lines(unit: &Unit, mut file: impl FnMut(&str) -> usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut name, mut number) = (unit.name.clone(), 1);
    let mut start = 0;
    for text in unit.text.split_inclusive('\n') {
        let end = start + text.len();
        match marker(text) {
            Some((marked, file)) => {
                number = marked;
                name = file.unwrap_or(name);
            }
            None => {
                if !text.trim().is_empty() && !text.trim_start().starts_with('#') {
                    lines.push(Line { start, end, file: file(&name), number });
                }
                number += 1;
            }
        }
        start = end;
    }
    lines
}

/// The line number and the file of a line marker.
fn marker(line: &str) -> Option<(usize, Option<String>)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"').map(|rest| {
        let mut name = String::new();
        let mut letters = rest.chars();
        while let Some(c) = letters.next().filter(|c| *c != '"') {
            name.push(if c == '\\' { letters.next().unwrap_or(c) } else { c });
        }
        name
    });
    Some((number, name))
}

/// The text of a file that is gone, as far as the units have it.
fn rebuilt(units: &[Unit], all: &[Vec<Line>], file: usize) -> String {
    let mut text = String::new();
    let mut next = 1;
    for (unit, lines) in units.iter().zip(all) {
        for line in lines.iter().filter(|line| line.file == file) {
            if line.number < next {
                continue;
            }
            text.extend(std::iter::repeat_n('\n', (line.number - next).min(MOST_EMPTY)));
            text += unit.text[line.start..line.end].trim_end_matches('\n');
            text.push('\n');
            next = line.number + 1;
        }
    }
    text
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The original lines that a line comes from: one, or more while brackets are open.
fn region<'a>(text: &'a str, starts: &[usize], number: usize) -> (usize, &'a str) {
    let at = number.saturating_sub(1).min(starts.len() - 1);
    let start = starts[at];
    let mut open = 0i64;
    for last in at..(at + MOST_LINES).min(starts.len()) {
        let end = starts.get(last + 1).copied().unwrap_or(text.len());
        let line = &text[starts[last]..end];
        open += words(line)
            .map(|(a, b)| match &line[a..b] {
                "(" => 1,
                ")" => -1,
                _ => 0,
            })
            .sum::<i64>();
        if open <= 0 || last + 1 == (at + MOST_LINES).min(starts.len()) {
            return (start, &text[start..end]);
        }
    }
    (start, "")
}

/// Finds the words of the pieces of a line in the original.
fn align(unit: &str, pieces: &[Line], (base, text, starts): (usize, &str, &[usize]), found: &mut Vec<Word>) {
    let words_of = |line: &Line| {
        let start = line.start;
        words(&unit[start..line.end]).map(move |(from, to)| (start + from, start + to)).collect::<Vec<_>>()
    };
    let made: Vec<(usize, usize)> = pieces.iter().flat_map(words_of).collect();
    let (start, original) = region(text, starts, pieces[0].number);
    let there: Vec<(usize, usize)> = words(original).collect();
    let same = |a: usize, b: usize| unit[made[a].0..made[a].1] == original[there[b].0..there[b].1];
    let pairs = matches(made.len(), there.len(), same);
    let whole = Span::new(base + start, base + start + original.trim_end().len());
    let place = |n: usize| Span::new(base + start + there[n].0, base + start + there[n].1);
    // For each word the next one, itself included, that has a partner.
    let mut after = vec![there.len(); made.len() + 1];
    for n in (0..made.len()).rev() {
        after[n] = pairs[n].unwrap_or(after[n + 1]);
    }
    let mut before = 0;
    for (n, (word_start, word_end)) in made.iter().enumerate() {
        let from = pairs[n].map(place);
        let gap = if before < after[n] {
            place(before).to(place(after[n] - 1))
        } else if there.is_empty() {
            whole
        } else {
            place(before.saturating_sub(1).min(there.len() - 1))
        };
        found.push(Word { start: *word_start, end: *word_end, from, gap });
        before = pairs[n].map_or(before, |pair| pair + 1);
    }
}

/// A longest common subsequence: for each word of the one list its partner in the other.
fn matches(here: usize, there: usize, same: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut pairs = vec![None; here];
    let most = here.min(there);
    let head = (0..most).take_while(|n| same(*n, *n)).count();
    let tail = (0..most - head).take_while(|n| same(here - 1 - n, there - 1 - n)).count();
    pairs.iter_mut().enumerate().take(head).for_each(|(n, pair)| *pair = Some(n));
    (0..tail).for_each(|n| pairs[here - 1 - n] = Some(there - 1 - n));
    let (rows, columns) = (here - head - tail, there - head - tail);
    if rows == 0 || columns == 0 || rows > MOST_WORDS || columns > MOST_WORDS {
        return pairs;
    }
    let mut longest = vec![0u32; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[at(row, column)] = match same(head + row, head + column) {
                true => longest[at(row + 1, column + 1)] + 1,
                false => longest[at(row + 1, column)].max(longest[at(row, column + 1)]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if same(head + row, head + column) {
            pairs[head + row] = Some(head + column);
            (row, column) = (row + 1, column + 1);
        } else if longest[at(row + 1, column)] >= longest[at(row, column + 1)] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_is_mapped_to_the_call_of_the_macro() {
        let original = "#define N 3\nint f(int n)\n{\n    assert(n <  N); return CHECK(n,\n        2);\n}\n";
        let unit = "# 0 \"a.c\"\n# 2 \"a.c\"\nint f(int n)\n{\n    __agon_assert(!!(n < 3)); return ((n) > 2 ? 1 : 0);\n\n}\n";
        let units = [Unit { name: "a.c".into(), text: unit.into() }];
        let (positions, source) = Positions::new(&units, &|name| (name == "a.c").then(|| original.into()));
        let place = |text: &str| {
            let start = unit.find(text).expect("it is there");
            let span = positions.span(0, start, start + text.len());
            &source.text[span.start as usize..span.end as usize]
        };
        assert_eq!(place("n < 3"), "n <  N");
        assert_eq!(place("int n"), "int n");
        assert_eq!(place("((n) > 2 ? 1 : 0)"), "CHECK(n,\n        2)");
    }

    #[test]
    fn a_line_in_pieces_is_one_line() {
        let original = "void f(int n) { g(n); assert(n == 1); h(n); }\n";
        let unit = "# 1 \"a.c\"\nvoid f(int n) { g(n); \n# 1 \"a.c\" 3 4\n__agon_assert(!!(\n# 1 \"a.c\"\nn == 1\n# 1 \"a.c\" 3 4\n))\n# 1 \"a.c\"\n; h(n); }\n";
        let units = [Unit { name: "a.c".into(), text: unit.into() }];
        let (positions, source) = Positions::new(&units, &|_| Some(original.into()));
        let place = |from: &str, to: &str| {
            let end = unit.rfind(to).expect("it is there") + to.len();
            let span = positions.span(0, unit.find(from).expect("it is there"), end);
            &source.text[span.start as usize..span.end as usize]
        };
        assert_eq!(place("__agon_assert", "))"), "assert(n == 1)");
        assert_eq!(place("h(", "h(n)"), "h(n)");
    }

    #[test]
    fn a_file_that_is_gone_keeps_its_lines() {
        let text = "# 1 \"gone.c\"\n\nint x;\n# 7 \"gone.c\"\nint y;\n";
        let units = [Unit { name: "a.i".into(), text: text.into() }];
        let (positions, source) = Positions::new(&units, &|_| None);
        let start = text.find('y').expect("it is there");
        let span = positions.span(0, start, start + 1);
        assert_eq!(source.place(span.start), ("gone.c", 7, 5));
    }
}
