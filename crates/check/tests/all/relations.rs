//! Equivalence by relations between two stores: pairs over unbounded and wide data, traps, and random pairs beside the walk.

use crate::common::Sample;
use crate::common::types::{with_few_answers, with_types};
use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::equiv::{
    Compared, Comparison, Engine, Options, Plays, Relation, Written, compare_with, recheck,
};
use agon_check::solvers::Solvers;
use agon_check::verdict::{Reason, Unproved};
use agon_ia::read::read;
use agon_ia::sample::commands;

fn compared(left: &Sample, right: &Sample, options: &Options, patience: u64) -> Compared {
    let budget = Budget::default().with_patience(patience);
    let compared = compare_with(left.subject(), right.subject(), options, &budget, &mut |_| {});
    compared.unwrap_or_else(|why| panic!("{why}\n{}\n---\n{}", left.text, right.text))
}

fn by(engine: Engine) -> Options {
    Options { engine, ..Options::new(Relation::Equivalence) }
}

fn word(comparison: &Comparison) -> &'static str {
    match comparison {
        Comparison::Holds => "equivalent",
        Comparison::Differs(_) => "inequivalent",
        Comparison::Unknown(..) => "unknown",
    }
}

/// Both verdicts of a pair, with the sides exchanged.
fn both_ways(left: &str, right: &str) -> [&'static str; 2] {
    let [left, right] = [left, right].map(Sample::new);
    [(&left, &right), (&right, &left)]
        .map(|(left, right)| word(&compared(left, right, &by(Engine::Product), 400_000).comparison))
}

#[test]
fn what_never_ends_is_not_equal_to_what_does() {
    let context = "out : int -> com, n : int |- ";
    for (left, right) in [
        ("while true do skip; out(1)", "out(1)"),
        ("out(1); while true do skip", "out(1)"),
        // It runs for ever without repeating a position.
        ("new int i in while i >= 0 do i := i + 1; out(1)", "out(1)"),
        ("new int i := n in while i <> 0 do i := i - 1; out(1)", "new int i := n in out(1)"),
        (
            "new int i := n in while i <> 0 do i := i - 1; out(i)",
            "new int i := n in while i > 0 do i := i - 1; out(0)",
        ),
        // Both run, but only one ends.
        ("new int i in while i < 5 do i := i + 1; out(1)", "new int i in while i < 5 do i := i * 1; out(1)"),
        ("diverge", "skip"),
        ("new int i := n in if i = 7 then diverge; out(i)", "new int i := n in out(i)"),
    ] {
        let verdicts = both_ways(&format!("{context}{left}"), &format!("{context}{right}"));
        assert!(!verdicts.contains(&"equivalent"), "{left}\n{right}\n{verdicts:?}");
    }
}

#[test]
fn a_loop_without_a_rank_is_named() {
    let left =
        Sample::new("out : int -> com, n : int |- new int i := n in while i <> 0 do i := i - 1; out(i)");
    let right = Sample::new("out : int -> com, n : int |- new int i := n in out(0)");
    let found = compared(&left, &right, &by(Engine::Product), 400_000);
    let Comparison::Unknown(_, Reason::Unproved { what, span, .. }) = &found.comparison else {
        panic!("{:?}", found.comparison)
    };
    assert_eq!(*what, Unproved::Loop);
    let span = span.expect("the loop has a place");
    assert!(
        left.text[span.start as usize..].starts_with("while")
            || left.text[span.start as usize..].starts_with("i <> 0"),
        "{span:?}"
    );
}

#[test]
fn loops_that_one_program_runs_alone_have_ranks() {
    let context = "out : int -> com, n : int |- new int m := n in ";
    for (left, right) in [
        ("new int i in while i < m do i := i + 1; out(m)", "out(m)"),
        ("new int i := m in while i > 0 do i := i - 2; out(m)", "out(m)"),
        ("while m > 0 do m := m - 1; out(1)", "new int i in while i < 10 do i := i + 1; out(1)"),
    ] {
        let verdicts = both_ways(&format!("{context}{left}"), &format!("{context}{right}"));
        assert_eq!(verdicts, ["equivalent"; 2], "{left}\n{right}");
    }
}

#[test]
fn differences_at_one_number_are_found() {
    for (context, left, right) in [
        (
            "e : int, out : int -> com |- new int x := e in ",
            "out(x)",
            "if x = 123456 then out(1) else out(x)",
        ),
        (
            "e : i32, out : i32 -> com |- new i32 x := e in ",
            "out(x)",
            "out(if x < 0 then -(-x - 1) - 1 else x + 0 * x); if x = -2147483648 then out(2)",
        ),
        (
            "e : u64, out : u64 -> com |- new u64 x := e in ",
            "out(x)",
            "if x > 18446744073709551614 then out(3) else out(x)",
        ),
        (
            "p : com -> int -> com |- new int x in ",
            "p(x := x + 1, x)",
            "p(x := x + 1, if x = 3 then 4 else x)",
        ),
    ] {
        let verdicts = both_ways(&format!("{context}{left}"), &format!("{context}{right}"));
        assert_eq!(verdicts, ["inequivalent"; 2], "{left}\n{right}");
    }
}

#[test]
fn one_may_do_less_than_the_other() {
    let left = Sample::new("n : int, out : int -> com |- new int x := n in if x < 0 then diverge; out(x)");
    let right = Sample::new("n : int, out : int -> com |- new int x := -n in out(-x)");
    let options = Options { engine: Engine::Product, ..Options::new(Relation::Approximation) };
    assert_eq!(word(&compared(&left, &right, &options, 400_000).comparison), "equivalent");
    assert_eq!(word(&compared(&right, &left, &options, 400_000).comparison), "inequivalent");
}

#[test]
fn threads_are_compared_under_the_same_schedule() {
    let count = |body: &str, shown: &str| {
        format!("concurrent p : com{{2}} -> int -> com |- sem s; int x; p({body}, {shown})")
    };
    let up = count("{ grab(s); x := x + 1; release(s) }", "x");
    for (other, holds) in [
        (count("{ grab(s); x := x - 1; release(s) }", "-x"), true),
        (count("{ grab(s); x := x + 2; release(s) }", "x / 2"), true),
        (count("{ grab(s); x := x + 2; release(s) }", "x"), false),
        // Without the lock, what is read before is written behind what the other thread has written.
        (count("x := x - 1", "-x"), false),
        (count("{ grab(s); x := x + 1; release(s); diverge }", "x"), false),
    ] {
        let verdicts = both_ways(&up, &other);
        match holds {
            true => assert_eq!(verdicts, ["equivalent"; 2], "{other}"),
            false => assert!(!verdicts.contains(&"equivalent"), "{other}"),
        }
    }
}

/// A loop that comes to where it was never ends, which the other program does.
#[test]
fn a_loop_that_repeats_itself_is_a_difference() {
    let context = "out : i32 -> com, n : i32 |- new i32 i := n in ";
    let verdicts =
        both_ways(&format!("{context}while i = 70707 do skip; out(i)"), &format!("{context}out(i)"));
    assert_eq!(verdicts, ["inequivalent"; 2]);
}

/// Where no number is asked for again and again there are finitely many plays. A certificate that says so is checked by
/// looking at all of them.
#[test]
fn finitely_many_plays_are_all_looked_at() {
    let head = "x : int |- new int a := x in new int b := x in ";
    let [left, right, twin] = [
        "new int y in { if a < b then y := b - a else y := a - b }; y + 0 * x",
        "new int d := a - b in new int z := 0 * x in if d < 0 then z - d else d + z",
        "new int d := a - b in new int z := 0 * x in if d < 5 then z - d else d + z",
    ]
    .map(|body| Sample::new(format!("{head}{body}")));
    for (other, verdict) in [(&right, "equivalent"), (&twin, "inequivalent")] {
        let found = compared(&left, other, &by(Engine::Product), 400_000);
        assert_eq!(word(&found.comparison), verdict, "{:?}", found.comparison);
    }
    let walk = |steps: usize| Written {
        relation: Relation::Equivalence,
        plays: Plays::All,
        walked: Some(steps),
        exact: Vec::new(),
        alignment: Vec::new(),
        terms: Vec::new(),
        positions: Vec::new(),
        ranks: Vec::new(),
    };
    let checked = |other: &Sample, steps: usize| {
        let (solvers, budget) = (Solvers::default(), Budget::default());
        let checked = recheck(left.subject(), other.subject(), &walk(steps), &solvers, &budget);
        word(&checked.expect("the programs can be compared").comparison)
    };
    assert_eq!(checked(&right, 500), "equivalent");
    assert_eq!(checked(&right, 3), "unknown");
    assert_eq!(checked(&twin, 500), "unknown");
}

#[test]
fn a_proof_says_what_holds_where_the_environment_moves() {
    let left = Sample::new("p : com -> int -> com |- new int x in p(x := x + 1, x)");
    let right = Sample::new("p : com -> int -> com |- new int y in p(y := y - 1, -y)");
    let proof = compared(&left, &right, &by(Engine::Auto), 400_000).proof.expect("they are equal");
    let relations: Vec<(&str, &[String])> =
        proof.relations.iter().map(|holding| (holding.at.as_str(), &holding.holds[..])).collect();
    let [("", []), ("p", [relation])] = relations[..] else { panic!("{relations:?}") };
    assert!(relation.contains("x (first)") && relation.contains("y (second)"), "{relation}");
}

/// Ways to write a command differently, without or with a difference.
const REWRITES: &[&str] = &[
    "{ M }; skip",
    "new int%3 z9 := 1 in { M }",
    "new int%2 z9 in { M }; z9 := 1",
    "new int z9 := 5 in { M }; z9 := z9 + 1",
    "new int%2 z9 in while z9 = 0 do { z9 := 1; { M } }",
    "new int z9 in while z9 < 2 do { if z9 = 1 then { M }; z9 := z9 + 1 }",
    "new i8 z9 := 127 in while z9 > 0 do z9 := z9 + 1; { M }",
    "new int%3 a9[2] in a9[1] := 2; if a9[1] = 2 then { M } else abort",
    "new int%5 a9[3] in new int%4 z9 in while z9 < 3 do { a9[z9] := z9 + 3; z9 := z9 + 1 }; if a9[0] + a9[2] = 3 then { M } else abort",
    "new i8 z9 in while z9 >= 0 do z9 := z9 + 50; if z9 = -106 then { M } else abort",
    "new int%3 z9 in new int%7 y9 := 3 in { M }; while z9 <> 2 do { z9 := z9 + 2; y9 := y9 - 5 }; assert(y9 = 5)",
    "if 1 then { M } else abort",
    "M",
    "{ M }; { M }",
    "{ M }; { N }",
    "if 0 then { M } else { N }",
    "new int%3 z9 in { M }; z9 := z9 + 1; { N }",
    "new int%2 z9 in while z9 = 0 do { M }",
    "N",
];

/// What was seen of random pairs.
#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    decided: usize,
    equal: usize,
    /// The same over all integers, where the walk over few answers is all that there is beside.
    wide: usize,
    wide_decided: usize,
}

/// A text with one of its numbers changed, if it has one.
fn mutant(text: &str, random: &mut Random) -> String {
    let bytes = text.as_bytes();
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(*b, b'_' | b'%' | b'$' | b'[' | b']');
    let alone = |at: &usize| {
        bytes[*at].is_ascii_digit()
            && !at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(is_word)
            && !bytes.get(at + 1).is_some_and(is_word)
    };
    let places: Vec<usize> = (0..bytes.len()).filter(alone).collect();
    let Some(place) = places.get(random.below(places.len().max(1))) else { return text.into() };
    let mut changed = text.to_string();
    changed.replace_range(*place..=*place, ["0", "1", "2", "3"][random.below(4)]);
    changed
}

/// Compares random pairs by relations and by the walk.
fn run(seeds: std::ops::Range<u64>, patience: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let (context, terms) = commands(seed, 2 + (seed % 7) as usize, 2);
        let mut write = |mutated: bool| {
            let rewrite = REWRITES[random.below(REWRITES.len())];
            let first = if mutated { mutant(&terms[0], &mut random) } else { terms[0].clone() };
            let body = rewrite.replace('M', &first).replace('N', &terms[1]);
            format!("{context} |- {{ {body} }}")
        };
        let texts = [write(false), write(seed % 3 == 0)];
        let [left, right] = texts.clone().map(Sample::new);
        let place = format!("seed {seed}\n{}\n---\n{}", left.text, right.text);
        let walked = compared(&left, &right, &by(Engine::Explicit), 20_000).comparison;
        if matches!(walked, Comparison::Unknown(..)) {
            continue;
        }
        tally.pairs += 1;
        let related = compared(&left, &right, &by(Engine::Product), patience).comparison;
        match &related {
            Comparison::Unknown(_, reason) => {
                assert!(!reason.is_bug(), "{place}\n{reason:?}");
                println!("open: seed {seed} {reason:?}");
            }
            _ => {
                tally.decided += 1;
                tally.equal += usize::from(matches!(related, Comparison::Holds));
                assert_eq!(word(&related), word(&walked), "{place}");
            }
        }
        over_integers(&texts, patience, &mut tally);
    }
    tally
}

/// Compares a pair with `int` for all of its types. What is said to be equal, a walk over few answers does not tell apart.
fn over_integers(texts: &[String; 2], patience: u64, tally: &mut Tally) {
    let texts = texts.clone().map(|text| with_types(&text, |_, _| Some("int".into())));
    if texts.iter().any(|text| read(text, &[]).is_err()) {
        return;
    }
    let [left, right] = texts.clone().map(Sample::new);
    tally.wide += 1;
    let related = compared(&left, &right, &by(Engine::Product), patience).comparison;
    tally.wide_decided += usize::from(!matches!(related, Comparison::Unknown(..)));
    if let Comparison::Holds = related {
        let [left, right] = texts.clone().map(|text| Sample::new(with_few_answers(&text)));
        let few = compared(&left, &right, &by(Engine::Explicit), 20).comparison;
        assert!(!matches!(few, Comparison::Differs(_)), "{}\n---\n{}", texts[0], texts[1]);
    }
}

#[test]
fn relations_and_the_walk_agree() {
    let tally = run(0..120, 20_000);
    println!("{tally:?}");
    let Tally { pairs, decided, .. } = tally;
    assert!(pairs > 80 && decided * 20 >= pairs * 17, "{tally:?}");
}

/// The first seed, and how many there are: `AGON_SEEDS=1000+500`.
fn seeds() -> std::ops::Range<u64> {
    let said = std::env::var("AGON_SEEDS").ok();
    let range = said.as_deref().and_then(|said| said.split_once('+'));
    let range =
        range.and_then(|(first, count)| Some((first.parse::<u64>().ok()?, count.parse::<u64>().ok()?)));
    let (first, count) = range.unwrap_or((1_000, 10_000));
    first..first + count
}

#[test]
#[ignore = "a long run"]
fn relations_and_the_walk_agree_at_length() {
    let tally = run(seeds(), 40_000);
    println!("{tally:?}");
    assert!(tally.decided * 20 >= tally.pairs * 17, "{tally:?}");
}

/// Where the search is stopped, plays with few moves may still be open: a silent loop is long. How far it came is said of all plays.
#[test]
fn what_is_said_to_be_proved_is() {
    // They differ after two moves of the environment, for numbers that nobody tries, behind a loop of 7000 rounds.
    let program = |said: &str| {
        Sample::new(format!(
            "n : int, more : bool, out : int -> com |- new int i := n in \
             if i = 3 * 3 * 777 + 7 then {{ while i > 0 do i := i - 1; out({said}) }} else while more do skip"
        ))
    };
    let [left, right] = ["1", "2"].map(program);
    let found = compared(&left, &right, &by(Engine::Product), 10_000_000);
    match &found.comparison {
        Comparison::Unknown(_, Reason::Unproved { moves, .. }) => assert!(*moves < 3, "{moves}"),
        Comparison::Unknown(_, reason) => panic!("{reason:?}"),
        Comparison::Differs(_) => {}
        Comparison::Holds => panic!("they differ"),
    }
}

/// Up to how many moves concurrent programs were proved to do the same is said, too.
#[test]
fn concurrent_programs_are_proved_up_to_some_moves() {
    let head = "concurrent go : bool, out : int -> com |- new int x in new int c in while go do ";
    let cubes = Sample::new(format!("{head} {{ x := x + 1; c := x * x * x; out(c) }}"));
    // The sum of the differences; the third number differs.
    let third = "(if x = 2 then 2 else 1)";
    let sums = Sample::new(format!("{head} {{ c := c + 3 * x * x + 3 * x + {third}; x := x + 1; out(c) }}"));
    let found = compared(&cubes, &sums, &by(Engine::Product), 400_000);
    let Comparison::Unknown(_, Reason::Unproved { moves, .. }) = &found.comparison else {
        panic!("{:?}", found.comparison)
    };
    // `go` three times, and twice what ends a call of `out`, and at most as often what asks for its number.
    assert!((4..9).contains(moves), "{moves}");
}
