//! Programs checked in two halves: the answers are those of the direct engines, and what is assumed is confirmed.

use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::component;
use agon_check::interval::Intervals;
use agon_check::portfolio::{self, Engine};
use agon_check::question::{Order, Question};
use agon_check::refine::assume::{Assumed, Component, Lesson, Method};
use agon_check::refine::{Certify, RefinementOptions, check_component};
use agon_check::search::Notice;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::split::Reach;
use agon_core::term::TermId;
use agon_core::types::Type;
use agon_games::contract::Assumption;
use agon_ia::sample::{arithmetic, sequential};
use agon_learn::automaton::State;
use agon_witness::assumption::{Claim, certify, certify_rest};

use crate::common::Sample;

/// Checks a program at a part that is given or chosen.
fn decomposed(sample: &Sample, component: Option<&str>, certify: Certify, method: Method) -> Report {
    let question = Question { component: component.map(String::from), ..Question::aborts() };
    let effort = RefinementOptions { certify, ..RefinementOptions::default() };
    sample.ask(Engine::AssumeGuarantee(method), &question, &effort, &Budget::default())
}

/// Checks a program without taking a part out.
fn directly(sample: &Sample, budget: &Budget) -> Report {
    sample.ask(Engine::Auto, &Question::aborts(), &RefinementOptions::default(), budget)
}

fn ignore(_: Notice<'_>) {}

fn assumed(report: &Report) -> &Assumed {
    report.assumed().expect("it was checked in two halves")
}

/// [AG, §5.3]
const EXAMPLE: &str = "f : com -> com |-
new int x := 0 in
let N = f(x := x + 1) in
N;
if x == 0 then abort";

#[test]
fn the_papers_example_takes_the_papers_way() {
    let report = decomposed(&Sample::new(EXAMPLE), Some("N"), Certify::Forced, Method::Table);
    assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
    // In the first iteration the counterexample is nondeterministic, in the second it is genuine.
    assert_eq!(report.iterations, 2);
    let refinement = report.refinement().expect("data was approximated");
    let plays: Vec<String> = refinement
        .history
        .iter()
        .map(|iteration| {
            let moves = iteration.play.iter().map(|m| refinement.moves[*m as usize].1.as_str());
            moves.collect::<Vec<_>>().join(" · ")
        })
        .collect();
    assert_eq!(plays, ["run · f.run · f.done · nd.Z · abort", "run · f.run · f.done · abort"]);
    assert_eq!(refinement.abstraction, [("x".to_string(), "[0,0]".to_string())]);
    // [AG, Fig. 5] and, with the same S and E to start from, [AG, Fig. 7].
    let figure_5 = "      T                 ε
S     ε                 true
      run · done        false
S·OP  run · done        false
      run · x.read      true
      run · x.write(Z)  true
      run · f.run       true
";
    let figure_7 = "      T                  ε
S     ε                  true
      run · done         false
S·OP  run · done         false
      run · x.read       true
      run · x.write(<0)  true
      run · x.write(0)   true
      run · x.write(>0)  true
      run · f.run        true
";
    let assumed = assumed(&report);
    assert_eq!(assumed.tables, [figure_5, figure_7]);
    // What is made of the second: one state, where P may do anything but end.
    let last = assumed.last.as_ref().expect("something was assumed");
    let states = &last.automaton.states;
    assert_eq!(states.len(), 1);
    let edges: Vec<_> = states[0]
        .edges
        .iter()
        .map(|(letter, to)| (assumed.interface.show(&last.letters[*letter as usize]), *to))
        .collect();
    let expected =
        ["run · x.read", "run · f.run", "run · x.write(<0)", "run · x.write(0)", "run · x.write(>0)"];
    assert_eq!(edges, expected.map(|letter| (letter.to_string(), 0)));
    assert_eq!(assumed.questions.equivalence, 2);
}

/// [AG, §6], with either error.
fn stack(n: usize, error: &str) -> String {
    let (overflow, empty) = match error {
        "empty" => ("overflow", "abort"),
        _ => ("abort", "{ empty; 0 }"),
    };
    format!(
        "const n = {n};
        empty : com, overflow : com, p : int, ANALYSE(com, int) : com |-
        new int buffer[n] := 0 in
        new int top := 0 in
        let push(x : int) : com = if top = n then {overflow} else {{ buffer[top] := x; top := top + 1 }} in
        let pop : int = if top = 0 then {empty} else {{ top := top - 1; buffer[top] }} in
        ANALYSE(push(p), pop)"
    )
}

#[test]
fn the_papers_stack_needs_no_assumption_and_fewer_states() {
    let papers = [(3, 107, 147), (10, 135, 441), (15, 155, 651), (25, 195, 1071)];
    for (n, empty, overflow) in papers {
        for (error, part, most) in [("empty", "push", empty), ("overflow", "pop", overflow)] {
            let sample = Sample::new(stack(n, error));
            let report = decomposed(&sample, Some(part), Certify::Forced, Method::Table);
            assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
            let last = assumed(&report).last.as_ref().expect("something was assumed");
            assert_eq!(last.automaton.states.len(), 0, "{error} {n}");
            let effort = RefinementOptions { certify: Certify::Forced, ..RefinementOptions::default() };
            let engine = Engine::Partition { semi_terminating: false };
            let direct = sample.ask(engine, &Question::aborts(), &effort, &Budget::default());
            assert!(report.states <= most, "{error} {n}: {}", report.states);
            assert!(report.states < direct.states, "{error} {n}: {} {}", report.states, direct.states);
            assert_eq!(report.iterations, direct.iterations, "{error} {n}");
        }
    }
}

/// What works inside opens and shuts the door.
const DOOR: &str = "tick : com, more : bool |-
new bool open in
let work = while more do { tick; open := true; tick; open := false } in
work;
assert(not open)";

fn certified(sample: &Sample, component: &Component, assumption: &Assumption) -> bool {
    let target = Question::aborts().target;
    let claim = Claim { subject: sample.subject(), split: &component.split, target: &target };
    certify(claim, assumption, &Budget::default()).is_ok()
}

fn rest_is_safe(sample: &Sample, component: &Component, assumption: &Assumption) -> bool {
    let target = Question::aborts().target;
    let claim = Claim { subject: sample.subject(), split: &component.split, target: &target };
    certify_rest(claim, assumption, &Budget::default()).is_ok()
}

#[test]
fn a_mutated_assumption_is_refused() {
    for method in [Method::Table, Method::Tree] {
        let sample = Sample::new(DOOR);
        let report = decomposed(&sample, Some("work"), Certify::Values, method);
        assert!(matches!(report.verdict, Verdict::Safe), "{:?}", report.verdict);
        let assumed = assumed(&report);
        let assumption = assumed.assumption.as_ref().expect("it is safe");
        let component = component::named(&sample.judgement, "work", Reach::Used).expect("it is there");
        assert!(certified(&sample, &component, assumption));
        // The rest is safe with any such part; not so with a part that may do all that it does whenever it likes.
        assert!(rest_is_safe(&sample, &component, assumption));
        let mut anything = assumption.clone();
        let letters = 0..anything.letters.len() as u32;
        anything.automaton.states = vec![State { accepting: true, edges: letters.map(|n| (n, 0)).collect() }];
        assert!(!rest_is_safe(&sample, &component, &anything));
        // Whatever the part does is needed: each letter that it plays, and where it leads.
        let (mut refused, mut harmless) = (0, 0);
        for n in 0..assumption.automaton.states.len() {
            let edges: Vec<(u32, u32)> =
                assumption.automaton.states[n].edges.iter().map(|(letter, to)| (*letter, *to)).collect();
            for (letter, to) in edges {
                let mut without = assumption.clone();
                without.automaton.states[n].edges.remove(&letter);
                let mut elsewhere = assumption.clone();
                let other = (to + 1) % assumption.automaton.states.len() as u32;
                elsewhere.automaton.states[n].edges.insert(letter, other);
                for mutant in [without, elsewhere] {
                    let accepted = certified(&sample, &component, &mutant);
                    *(if accepted { &mut harmless } else { &mut refused }) += 1;
                }
            }
        }
        println!("{refused} mutants refused, {harmless} allow less or the same");
        assert!(refused > 10, "only {refused} were refused");
        // What is allowed too much: everything, in one state.
        let edges = (0..assumption.letters.len() as u32).map(|letter| (letter, 0)).collect();
        let mut anything = assumption.clone();
        anything.automaton.states = vec![State { accepting: true, edges }];
        assert!(!certified(&sample, &component, &anything));
        // Nothing at all, and data that is not the program's.
        let mut nothing = assumption.clone();
        nothing.automaton.states.clear();
        assert!(!certified(&sample, &component, &nothing));
        for n in 0..assumption.data.len() {
            let mut torn = assumption.clone();
            torn.data[n].1.pop();
            assert!(!certified(&sample, &component, &torn));
        }
        // The assumption of one program is none of another.
        let broken = Sample::new(DOOR.replace("tick; open := false", "tick"));
        let component = component::named(&broken.judgement, "work", Reach::Used).expect("it is there");
        assert!(!certified(&broken, &component, assumption));
    }
}

/// Learns the weakest assumption about a part, and checks another program against it.
fn against(old: &str, part: &str, target: Option<&str>, reach: Reach, new: &str) -> Result<Verdict, String> {
    let sample = Sample::new(old);
    let component = component::named(&sample.judgement, part, reach)?;
    let budget = Budget::default();
    let effort = RefinementOptions::default();
    let question = match target {
        None => Question::aborts(),
        Some(text) => Question::new(sample.arena.parse(text).expect("the target is a move")),
    };
    let lesson = Lesson { component: &component, method: Method::Tree, weakest: true };
    let learnt = portfolio::assume(lesson, sample.task(&question, &effort, &budget), &mut ignore);
    let specification = assumed(&learnt).specification.clone().expect("it was learnt");
    let other = Sample::new(new);
    let aborts = Question::aborts();
    let report = portfolio::against(&specification, other.task(&aborts, &effort, &budget), &mut ignore);
    report.map(|report| report.verdict)
}

fn against_the_door(text: &str) -> Result<Verdict, String> {
    against(DOOR, "work", None, Reach::All, text)
}

#[test]
fn names_are_those_of_where_the_part_stands() {
    let refused = |old, part, reach, new| {
        let verdict = against(old, part, None, reach, new);
        assert!(!matches!(verdict, Ok(Verdict::Safe)), "{old}\n{new}\n{verdict:?}");
    };
    let set = "n : var bool |- n := true";
    // The inner cell, not that of the definition; the parameter, not the cell; with all that there is.
    let hidden = "new bool n in let q = n := true in new bool n in let p = if n then { q; n := false } in p; assert(not n)";
    refused(hidden, "p", Reach::Used, set);
    let parameter = "new bool n in let q = n := true in let p(n : var bool) = if n then { q; n := false } in
        new bool m in p(m); assert(not m)";
    refused(parameter, "p", Reach::Used, set);
    let later = "new bool n in let p = skip in p; new bool n in let q = skip in q; assert(not n)";
    refused(later, "q", Reach::All, set);
    // A label is no name; and what a definition hides cannot be meant.
    let label = "x : com |- break x . { let p : com = { x; goto x } in p; abort }";
    refused(label, "p", Reach::Used, "x : com |- x");
    let definition =
        "c : com |- new bool b in let c = { c; b := true } in let p = if false then c in p; assert(not b)";
    refused(definition, "p", Reach::Used, "c : com |- c");
}

#[test]
fn what_is_right_for_a_part_depends_on_what_it_is_given() {
    let on_its_own = "e : bool, c : com |- let p = if e then c in p";
    let closing = "c : com, e : bool |- new bool open in let p = { open := e; if e then c; open := false } in
        p; assert(not open)";
    let bounded = "let p(k : int%3) = assert(k = 0) in p(0)";
    let repaired = "new int%3 h in let p = h := 2 in if h = 2 then abort else p; assert(h = 1)";
    let hidden = "x : var bool |- x := false; new bool x in let p = x := true in p";
    for (old, target, new, keeps) in [
        // One number is not like another, and what is found for one run need not be one.
        (
            on_its_own,
            None,
            "e : bool, c : com |- new bool b := e in if b then { c; assert(b) } else { if e & e then skip }",
            true,
        ),
        (
            closing,
            None,
            "c : com, e : bool, open : var bool |- new bool b := e in
            if b then { c; if b then skip else open := true } else { if e then skip }",
            true,
        ),
        (
            "y : bool, c : com |- let p = if y then c in p",
            Some("c.done"),
            "y : bool, c : com |- assert(y); c",
            false,
        ),
        // What does harm elsewhere does none here.
        (bounded, None, "k : int%3 |- assert(k = 0)", true),
        (bounded, None, "k : int%3 |- assert(k = 1)", false),
        ("let p : com = skip in skip", None, "abort", true),
        // What the present part does not need, others may.
        (repaired, None, "h : var int%3 |- h := 1", true),
        (repaired, None, "h : var int%3 |- diverge", true),
        (repaired, None, "h : var int%3 |- h := 0", false),
        ("new bool h in let p = h := h in p; assert(h)", None, "h : var bool |- h := true", true),
        // The target is the free variable, not the cell.
        (hidden, Some("x.write(true)"), "x : var bool |- x := true", true),
    ] {
        match against(old, "p", target, Reach::Used, new).expect("it fits") {
            Verdict::Safe => assert!(keeps, "{old}\n{new}"),
            Verdict::Unsafe(..) => assert!(!keeps, "{old}\n{new}"),
            Verdict::Unknown(reason) => panic!("{old}\n{new}\n{reason:?}"),
        }
    }
    let nested = "f : com -> com |- let p = f(skip) in p";
    assert!(against(nested, "p", None, Reach::Used, "f : com |- f").is_err());
}

#[test]
fn later_parts_are_checked_against_the_weakest_assumption_alone() {
    let interface = "open : var bool, tick : com, more : bool |- ";
    for (body, keeps) in [
        ("skip", true),
        ("open := true; tick; tick; open := false", true),
        ("open := true; if more then open := false", false),
        ("open := not open", false),
        ("open := not open; open := not open", true),
        ("open := not open; if open then open := false", true),
        ("new int n := 0 in while n < 5 do { open := not open; n := n + 1 }; open := false", true),
        ("new int n := 0 in while n < 3 do { open := n = 2; n := n + 1 }", false),
        ("open := true; diverge", true),
        ("abort", false),
    ] {
        let verdict = against_the_door(&format!("{interface}{body}"));
        match verdict.as_ref().expect("it fits") {
            Verdict::Safe => assert!(keeps, "{body}"),
            Verdict::Unsafe(play, _) => {
                assert!(!keeps, "{body}");
                assert!(!play.moves.is_empty());
            }
            Verdict::Unknown(reason) => panic!("{body}: {reason:?}"),
        }
        // The program with the new part in it is safe if it keeps to it.
        let whole = DOOR
            .replace("while more do { tick; open := true; tick; open := false }", &format!("{{ {body} }}"));
        let direct = directly(&Sample::new(&whole), &Budget::default());
        let safe = matches!(direct.verdict, Verdict::Safe);
        assert!(safe || !keeps, "{body}");
    }
    assert!(against_the_door("other : com |- other").is_err());
    assert!(against_the_door("open : var int%3 |- open := 2").is_err());
    assert!(against_the_door("tick : com |- 5").is_err());
}

fn check(sample: &Sample, component: &Component, method: Method) -> Report {
    let budget = Budget { transitions: Some(300_000), ..Budget::default() };
    let abstraction = Intervals::of_terms(Order::Fixed);
    let effort = RefinementOptions { iterations: 200, ..RefinementOptions::default() };
    let lesson = Lesson { component, method, weakest: false };
    check_component(&abstraction, sample.task(&Question::aborts(), &effort, &budget), lesson, &mut ignore)
}

/// A random subterm that can be split off.
fn somewhere(sample: &Sample, dice: &mut Random) -> Option<Component> {
    let terms = &sample.judgement.terms;
    (0..40).find_map(|n| {
        let id = TermId(dice.below(terms.len()) as u32);
        let ty = terms.ty(id).clone();
        let mut children = 0;
        terms.construct(id).each_child(|_| children += 1);
        // Something that is made of several things, if there is such.
        if !matches!(ty, Type::Com | Type::Exp(_) | Type::Var(_)) || (children < 2 && n < 30) {
            return None;
        }
        component::at(&sample.judgement, id, &ty, "N", Reach::Used).ok()
    })
}

fn split_somewhere(most: u64) {
    let (mut decided, mut safe, mut entered, mut gave_up, mut tried) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut seed = 0;
    while tried < most {
        seed += 1;
        let mut dice = Random::new(seed);
        let text = match seed % 3 {
            0 => arithmetic(seed, 15 + dice.below(30)),
            _ => sequential(seed, 20 + dice.below(60)),
        };
        let sample = Sample::new(&text);
        let Some(component) = somewhere(&sample, &mut dice) else { continue };
        tried += 1;
        let budget = Budget { transitions: Some(1_000_000), ..Budget::default() };
        let direct = directly(&sample, &budget);
        let method = if seed % 2 == 0 { Method::Table } else { Method::Tree };
        let report = check(&sample, &component, method);
        match (&direct.verdict, &report.verdict) {
            (Verdict::Safe, Verdict::Safe) => {
                safe += 1;
                decided += 1;
            }
            (Verdict::Unsafe(..), Verdict::Unsafe(..)) => decided += 1,
            (_, Verdict::Unknown(Reason::Reenters)) => entered += 1,
            (_, Verdict::Unknown(Reason::Stop(_) | Reason::Iterations(_))) => gave_up += 1,
            (Verdict::Unknown(_), Verdict::Safe | Verdict::Unsafe(..)) => {}
            (direct, decomposed) => panic!("seed {seed}: {direct:?} but {decomposed:?}\n{text}"),
        }
    }
    println!("{tried} tried, {decided} decided, {safe} of them safe; {entered} reentered, {gave_up} gave up");
    assert!(decided * 10 > tried * 8, "only {decided} of {tried} were decided");
    assert!(safe * 10 > tried, "only {safe} of {tried} were safe");
}

#[test]
fn random_programs_split_at_random_subterms_are_answered_as_a_whole() {
    split_somewhere(300);
}

#[test]
#[ignore = "a long run"]
fn random_programs_split_at_random_subterms_are_answered_as_a_whole_at_length() {
    split_somewhere(5_000);
}
