//! The checks of a program are found.

use agon_base::source::excerpt;
use agon_core::checks::Kind;
use agon_ia::read::read;

fn checks(text: &str) -> Vec<(Kind, String)> {
    let judgement = read(text, &[]).expect("it is a program").judgement;
    judgement.checks().into_iter().map(|check| (check.kind, excerpt(text, check.span))).collect()
}

#[test]
fn every_place_is_listed_once_in_the_order_of_the_text() {
    let text = "e : int |- new int a[3] in let unused = abort in { a[e] := 7 / a[0]; assert(e mod 2 = 0) }";
    let found = checks(text);
    let wanted = [
        (Kind::Abort, "abort"),
        (Kind::Index, "a[e]"),
        (Kind::Division, "7 / a[0]"),
        (Kind::Index, "a[0]"),
        (Kind::Assertion, "assert(e mod 2 = 0)"),
        (Kind::Division, "e mod 2"),
    ];
    let wanted: Vec<_> = wanted.into_iter().map(|(kind, text)| (kind, text.to_string())).collect();
    assert_eq!(found, wanted);
    // A body that is copied stands in the text once.
    assert_eq!(checks("e : int |- par i := 0..3 do assert(e <> i)").len(), 1);
}
