//! Programs as texts: printing and parsing gives the same program, and no prefix makes the front end panic.

use agon::session::Opened;
use agon_base::source::Source;
use agon_ia::print::{canonical, print};
use libtest_mimic::Trial;

use crate::claims::{Claims, Program};
use crate::trial;

/// The tests of a program's text.
pub fn trials(program: &Program, claims: &Claims, trials: &mut Vec<Trial>) {
    trials.push(trial("print", program, claims, false, prints_as_itself));
    trials.push(trial("prefixes", program, claims, false, no_prefix_panics));
}

fn prints_as_itself(program: &Program, claims: &Claims) {
    let source = Source::new(program.name.as_str(), program.text.as_str());
    let opened = Opened::open(source, claims.defines.clone());
    let opened = opened.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}"));
    let program = opened.program().expect("it is written in `.ia`");
    let printed = print(program);
    let (again, diagnostics) = agon_ia::parse::parse(&printed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{printed}");
    assert_eq!(canonical(program), canonical(&again));
}

fn no_prefix_panics(program: &Program, _: &Claims) {
    let text = &program.text;
    // The claims are comments, too.
    let start = text.find("\n\n").unwrap_or(0);
    for end in (start..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = Opened::open(Source::new("prefix", &text[start..end]), vec![]);
    }
}
