//! The pa-semantics is sound, gets better with more predicates, and is exact with all of them; and the paper's examples.

use std::collections::{BTreeSet, HashSet};

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::normal::Predicates;
use agon_core::term::{Construct, Judgement, New, Operator, TermId, VarId};
use agon_core::types::{Data, Type};
use agon_games::arena::Arena;
use agon_games::automaton::{Automaton, Builder};
use agon_games::denote::denote;
use agon_games::denote::predicates::{self, Abstract, Abstraction, After};
use agon_games::moves::{Label, Move};
use agon_ia::read::read;
use agon_ia::sample;
use agon_solve::cached::Cached;
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Limit, Reason, Solver, Terms};

fn judge(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

/// More states are too many.
const MOST: usize = 50_000;

fn abstracted(judgement: &Judgement, predicates: Predicates<'_>) -> Result<Abstract, Refused> {
    let mut solver = Cached::new(Embedded::default());
    let abstraction = Abstraction { predicates, after: After::Forgotten, most: MOST };
    predicates::denote(judgement, &Arena::new(judgement), abstraction, &mut solver)
}

fn everywhere(maximal: &[TermId]) -> Predicates<'_> {
    Predicates { annotated: false, maximal }
}

const ANNOTATED: Predicates<'_> = Predicates { annotated: true, maximal: &[] };

fn annotated(text: &str) -> Abstract {
    abstracted(&judge(text), ANNOTATED).expect("it has an abstraction")
}

/// The same, if predicates are preserved until the next assignment.
fn preserved(judgement: &Judgement) -> Result<Abstract, Refused> {
    let mut solver = Cached::new(Embedded::default());
    let abstraction = Abstraction { predicates: ANNOTATED, after: After::Preserved, most: MOST };
    predicates::denote(judgement, &Arena::new(judgement), abstraction, &mut solver)
}

/// The program's plays of the exact reference semantics, their data left out; nothing if they are too many.
fn concrete(judgement: &Judgement) -> Option<Automaton<Move<()>>> {
    let plays = match denote(judgement, &Arena::new(judgement)) {
        Ok(plays) => plays,
        Err(Refused::Stop(Stop::Table)) => return None,
        Err(unfit) => panic!("{unfit:?}"),
    };
    let mut builder = Builder::like(&plays);
    for from in 0..plays.states() as u32 {
        for (letter, to) in plays.edges(from) {
            builder.edge(from, Some(plays.letters[*letter as usize].map(|_| ())), *to);
        }
    }
    Some(builder.determinize(plays.initial).minimal())
}

/// A word of the first automaton that is none of the second's, if there is one. Neither has dead ends.
fn beyond(first: &Automaton<Move<()>>, second: &Automaton<Move<()>>) -> Option<Vec<Move<()>>> {
    if first.transitions() == 0 {
        return None;
    }
    let mut seen = HashSet::from([(first.initial, second.initial)]);
    let mut waiting = vec![(first.initial, second.initial, vec![])];
    while let Some((a, b, word)) = waiting.pop() {
        if first.accepting[a as usize] && !second.accepting[b as usize] {
            return Some(word);
        }
        for (letter, to) in first.edges(a) {
            let letter = &first.letters[*letter as usize];
            let longer: Vec<_> = word.iter().chain([letter]).cloned().collect();
            match second.after(b, letter) {
                None => return Some(longer),
                Some(other) if seen.insert((*to, other)) => waiting.push((*to, other, longer)),
                Some(_) => {}
            }
        }
    }
    None
}

fn aborts(plays: &Automaton<Move<()>>) -> bool {
    plays.letters.iter().any(|m| m.label == Label::Abort)
}

fn shown(word: &[Move<()>], judgement: &Judgement) -> String {
    let arena = Arena::new(judgement);
    word.iter().map(|m| arena.show_with(m, |_, ()| "?".into())).collect::<Vec<_>>().join(" · ")
}

fn blocks(judgement: &Judgement) -> Vec<New> {
    let all = (0..judgement.terms.len() as u32).map(TermId);
    let news = all.filter_map(|term| match judgement.terms.construct(term) {
        Construct::New(new) => Some(new.clone()),
        _ => None,
    });
    news.collect()
}

/// All predicates x = n over the cells of a program with finite data.
fn equations(judgement: &mut Judgement) -> Vec<TermId> {
    let mut found = Vec::new();
    for New { variable, data, length, .. } in blocks(judgement) {
        let size = data.size().and_then(|size| size.to_u64()).expect("finite data");
        for element in 0..length.unwrap_or(1) {
            for code in 0..size {
                let mut add = |construct, ty| judgement.terms.add(construct, ty, Span::new(0, 0));
                let mut place = add(Construct::Variable(variable), Type::Var(data.clone()));
                if let Some(length) = length {
                    let index = add(Construct::Number(Int::from(element)), Type::Exp(Data::Int));
                    place = add(Construct::Variable(variable), Type::Array(data.clone(), length));
                    place = add(Construct::Index(place, index), Type::Var(data.clone()));
                }
                let read = add(Construct::Read(place), Type::Exp(data.clone()));
                let number = add(Construct::Number(data.value(code)), Type::Exp(Data::Int));
                found.push(add(Construct::Binary(Operator::Equal, read, number), Type::Exp(Data::Bool)));
            }
        }
    }
    found
}

/// All conditions of a program that are pure values over its cells.
fn conditions(judgement: &Judgement) -> Vec<TermId> {
    let cells: BTreeSet<VarId> = blocks(judgement).iter().map(|new| new.variable).collect();
    let terms = &judgement.terms;
    let pure = |guard: TermId| {
        let mut waiting = vec![guard];
        while let Some(term) = waiting.pop() {
            match terms.construct(term) {
                Construct::Variable(var) if cells.contains(var) => {}
                Construct::Index(a, index) if matches!(terms.construct(*a), Construct::Variable(_)) => {
                    waiting.extend([*a, *index]);
                }
                Construct::Number(_)
                | Construct::Unary(..)
                | Construct::Binary(..)
                | Construct::Wrap(..)
                | Construct::If(..)
                | Construct::Read(_) => terms.construct(term).each_child(|child| waiting.push(child)),
                _ => return false,
            }
        }
        true
    };
    let all = (0..terms.len() as u32).map(TermId);
    let guards = all.filter_map(|term| match terms.construct(term) {
        Construct::If(guard, ..) | Construct::While(guard, _) => Some(*guard),
        _ => None,
    });
    guards.filter(|guard| pure(*guard)).collect()
}

/// A random program that does much to its cells. With scopes, predicates begin and end in it.
fn storing(seed: u64, scopes: bool) -> String {
    let (context, commands) = sample::commands(seed, 2 + (seed % 9) as usize, 4);
    let cells = [("x", "int%2 x"), ("y", "int%3 y"), ("a", "int%2 a[2]")];
    let local = |binding: &&str| cells.iter().any(|(name, _)| binding.starts_with(&format!("{name} :")));
    let free: Vec<&str> = context.split(", ").filter(|binding| !local(binding)).collect();
    let mut random = Random::new(seed);
    let mut text = format!("{} |-\n", free.join(", "));
    cells.iter().for_each(|(_, cell)| text += &format!("new {cell} in\n"));
    let predicates = ["x = 1", "y < 2", "x + y = 2", "a[0] = x", "a[x] < y", "y = 0"];
    for command in commands {
        if scopes {
            for _ in 0..random.below(3) {
                let word = ["newp", "newp", "endp", "letp"][random.below(4)];
                let predicate = predicates[random.below(predicates.len())];
                text += &format!("{word} ({predicate}){}\n", if word == "letp" { " in" } else { ";" });
            }
        }
        let claim = ["x = 0", "y <> 2", "x <= y", "a[1] < 1 or x = 1", "y + a[0] <> 1"][random.below(5)];
        text += &format!(
            "{command};\n{};\n",
            if random.one_in(2) { format!("assert({claim})") } else { "skip".into() }
        );
    }
    text + "skip"
}

#[derive(Default, Debug)]
struct Counts {
    compared: usize,
    too_large: usize,
    /// The solver did not know something: division by what O gives.
    unknown: usize,
    with_cells: usize,
    /// No play aborts.
    safe: usize,
    /// Some predicates rule out a play that fewer do not.
    better: usize,
    /// An abort that there is without predicates, and not in truth.
    spurious: usize,
}

/// Theorem 2, Propositions 3 and 4, of one program.
fn compare(name: &str, text: &str, seed: u64, counts: &mut Counts) {
    let mut judgement = judge(text);
    let Some(concrete) = concrete(&judgement) else {
        counts.too_large += 1;
        return;
    };
    let (conditions, equations) = (conditions(&judgement), equations(&mut judgement));
    let mut random = Random::new(seed);
    let some: Vec<TermId> =
        conditions.iter().chain(&equations).copied().filter(|_| random.one_in(3)).collect();
    let more: Vec<TermId> =
        conditions.iter().chain(&some).copied().collect::<BTreeSet<_>>().into_iter().collect();
    let most: Vec<TermId> =
        more.iter().chain(&equations).copied().collect::<BTreeSet<_>>().into_iter().collect();
    let scopes = [&[][..], &some, &more, &most];
    let models: Result<Vec<Abstract>, _> =
        scopes.iter().map(|maximal| abstracted(&judgement, everywhere(maximal))).collect();
    let models = match models {
        Ok(models) => models,
        Err(Refused::Stop(Stop::Table)) => {
            counts.too_large += 1;
            return;
        }
        Err(reason) => panic!("{name}: {reason:?}\n{text}"),
    };
    let none = |first, second, what: &str| {
        if let Some(word) = beyond(first, second) {
            panic!("{name}: {what}\n{text}\n{}", shown(&word, &judgement));
        }
    };
    for model in &models {
        none(&concrete, &model.plays, "a concrete play is no abstract one");
        assert!(model.aborts() || !aborts(&concrete));
    }
    if models.iter().any(|model| model.unknown > 0) {
        counts.unknown += 1;
        return;
    }
    for pair in models.windows(2) {
        none(&pair[1].plays, &pair[0].plays, "more predicates, more plays");
        counts.better += usize::from(pair[0].plays != pair[1].plays);
    }
    let [first, .., last] = &models[..] else { unreachable!("there are four") };
    none(&last.plays, &concrete, "an abstract play is no concrete one");
    assert_eq!(last.aborts(), aborts(&concrete));
    counts.compared += 1;
    counts.with_cells += usize::from(!equations.is_empty());
    counts.safe += usize::from(!aborts(&concrete));
    counts.spurious += usize::from(first.aborts() && !aborts(&concrete));
}

#[test]
fn abstract_plays_are_sound_monotone_and_in_the_end_exact() {
    let mut counts = Counts::default();
    for seed in 0..800 {
        let text = sample::sequential(seed, 3 + (seed % 17) as usize);
        compare(&format!("seed {seed}"), &text, seed, &mut counts);
    }
    assert!(counts.compared > 750 && counts.with_cells > 300 && counts.safe > 300, "{counts:?}");
    assert!(counts.better > 20, "{counts:?}");
}

#[test]
fn so_they_are_of_programs_that_do_much_to_their_cells() {
    let mut counts = Counts::default();
    for seed in 0..400 {
        compare(&format!("seed {seed}"), &storing(seed, false), seed, &mut counts);
    }
    assert!(counts.compared > 350 && counts.better > 250 && counts.spurious > 80, "{counts:?}");
}

#[test]
#[ignore = "a long run"]
fn so_they_are_at_length() {
    let mut counts = Counts::default();
    for seed in 800..20_000 {
        let text = sample::sequential(seed, 3 + (seed % 17) as usize);
        compare(&format!("seed {seed}"), &text, seed, &mut counts);
        compare(&format!("seed {seed}, storing"), &storing(seed, false), seed, &mut counts);
    }
    assert!(counts.compared > 35_000, "{counts:?}");
}

#[test]
fn scopes_lose_no_play() {
    let (mut compared, mut better, mut alive) = (0, 0, BTreeSet::new());
    for seed in 0..400 {
        let text = storing(seed, true);
        let judgement = judge(&text);
        let Some(concrete) = concrete(&judgement) else { continue };
        let models = [
            preserved(&judgement),
            abstracted(&judgement, ANNOTATED),
            abstracted(&judgement, everywhere(&[])),
        ];
        let [kept, scoped, plain] = match models {
            [Ok(kept), Ok(scoped), Ok(plain)] => [kept, scoped, plain],
            other if other.contains(&Err(Refused::Stop(Stop::Table))) => continue,
            other => panic!("seed {seed}: {other:?}"),
        };
        for (first, second) in
            [(&concrete, &kept.plays), (&kept.plays, &scoped.plays), (&scoped.plays, &plain.plays)]
        {
            if let Some(word) = beyond(first, second) {
                panic!("seed {seed}:\n{text}\n{}", shown(&word, &judgement));
            }
        }
        compared += 1;
        better += usize::from(scoped.plays != plain.plays);
        alive.insert(scoped.alive);
    }
    assert!(compared > 350 && better > 10 && alive.len() > 5, "{compared} {better} {alive:?}");
}

fn maximal(text: &str) -> Abstract {
    let judgement = judge(text);
    abstracted(&judgement, everywhere(&conditions(&judgement))).expect("it has an abstraction")
}

/// The plays of a list of edges between states, from 0, complete in one of them.
fn language(text: &str, edges: &[(u32, &str, u32)], complete: u32) -> Automaton<Move<()>> {
    let arena = Arena::new(&judge(text));
    let mut builder = Builder::new();
    (0..=complete).for_each(|_| _ = builder.state());
    builder.accept(complete);
    for (from, m, to) in edges {
        builder.edge(*from, Some(arena.parse(m).expect("a move").map(|_| ())), *to);
    }
    builder.determinize(0).minimal()
}

#[test]
fn example_2_has_the_printed_language() {
    let text = "f(com, com) : com, c : com |- new int x in f({ c; x := !x + 2 }, assert(!x % 2 = 0))";
    // qf · (qf1 · c · af1 + qf2 · af2)* · af
    let printed = language(
        text,
        &[
            (0, "run", 1),
            (1, "f.run", 2),
            (2, "f.1.run", 3),
            (3, "c.run", 4),
            (4, "c.done", 5),
            (5, "f.1.done", 2),
            (2, "f.2.run", 6),
            (6, "f.2.done", 2),
            (2, "f.done", 7),
            (7, "done", 8),
        ],
        8,
    );
    let even = maximal(text);
    assert_eq!((&even.plays, even.alive), (&printed, 1));
    let scoped = annotated(&text.replace("in f", "in letp (x % 2 = 0) in f"));
    assert_eq!(scoped.plays, printed);
    // Without the predicate, or as it is misprinted, it aborts.
    assert!(annotated(text).aborts());
    assert!(maximal(&text.replace("% 2 = 0", "% 2 <> 0")).aborts());
}

const MAGIC: &str = "stooge : int, distract : com |-
    new int m in new int n in
    n := stooge; distract;
    m := !n + !n; distract; assert(m = 2 * n);
    m := !m + 50; distract; assert(m = 50 + 2 * n);
    m := !m / 2; distract; assert(m = 25 + n);
    m := !m - !n; distract; assert(m = 25);
    m := !m + 100; distract; assert(m = 125)";

#[test]
fn example_3_is_proved_by_its_assertions() {
    let model = maximal(MAGIC);
    assert!(!model.aborts());
    assert_eq!((model.alive, model.unknown), (5, 0));
    // One of them less, and it is not.
    let judgement = judge(MAGIC);
    let conditions = conditions(&judgement);
    for left_out in 0..conditions.len() - 1 {
        let mut fewer = conditions.clone();
        fewer.remove(left_out);
        let model = abstracted(&judgement, everywhere(&fewer)).expect("it has an abstraction");
        assert!(model.aborts(), "without the assertion number {left_out}");
    }
    // Machine integers wrap around.
    assert!(maximal(&MAGIC.replace("int", "i32")).aborts());
}

#[test]
fn example_3_is_proved_with_minimal_scopes_that_are_preserved() {
    let text = "stooge : int, distract : com |-
        new int m in new int n in
        n := stooge; distract;
        { letp (m = 2 * n) in m := !n + !n; distract; assert(m = 2 * n) };
        { letp (m = 50 + 2 * n) in m := !m + 50; distract; assert(m = 50 + 2 * n) };
        { letp (m = 25 + n) in m := !m / 2; distract; assert(m = 25 + n) };
        { letp (m = 25) in m := !m - !n; distract; assert(m = 25) };
        { letp (m = 125) in m := !m + 100; distract; assert(m = 125) }";
    let model = preserved(&judge(text)).expect("it has an abstraction");
    assert!(!model.aborts());
    assert_eq!(model.alive, 2);
    assert_eq!(model.plays, maximal(MAGIC).plays);
    assert!(model.asked < maximal(MAGIC).asked);
    assert!(annotated(text).aborts(), "what is forgotten is not known");
}

#[test]
fn a_scope_that_is_preserved_may_be_cut_in_two() {
    let one = "c : com |- new int x in letp (x = 1) in c; x := 1; c; assert(x = 1)";
    let two = "c : com |- new int x in { letp (x = 1) in c; x := 1 }; { letp (x = 1) in c; assert(x = 1) }";
    let model = preserved(&judge(two)).expect("it has an abstraction");
    assert!(!model.aborts());
    assert_eq!(model.plays, annotated(one).plays);
    assert!(annotated(two).aborts());
}

#[test]
fn example_4_is_proved_by_scopes_that_are_wide_enough() {
    let with = |guard: &str, then: &str, before: &str| {
        format!(
            "i : var int |- new int x in new int y in new int z in x := !i; y := !i;
             {before} if {guard} then {{ {then} }} else skip"
        )
    };
    let plain = with("!x > !y", "z := !x - !y; assert(!z > 0)", "");
    assert!(!maximal(&plain).aborts());
    assert!(annotated(&plain).aborts());
    let tight = with("(letp (x > y) in !x > !y)", "z := !x - !y; assert(letp (z > 0) in !z > 0)", "");
    assert!(annotated(&tight).aborts());
    assert_eq!(annotated(&tight).plays, annotated(&plain).plays, "tight scopes change nothing");
    let printed = with("!x > !y", "letp (z > 0) in z := !x - !y; assert(!z > 0)", "letp (x > y) in");
    assert!(!annotated(&printed).aborts());
    assert_eq!(annotated(&printed).alive, 2);
}

#[test]
fn the_fragment_with_x_y_and_z_needs_more_predicates() {
    let text = "n : int, m : int |- new int x in new int y in new int z in
        letp (x > y) in letp (x < y) in letp (z <> 2) in
        x := n; y := m;
        if !x > !y then z := 1 else z := 0;
        if !x < !y then z := !z + 1 else skip;
        assert(!z <> 2)";
    assert!(annotated(text).aborts());
    assert!(!annotated(&text.replace("x := n;", "newp (z = 0); x := n;")).aborts());
}

#[test]
fn the_chain_has_two_predicates_alive_at_a_time_or_four() {
    let begun = "c : com |- new int x in
        newp (x = 0); x := 0; c;
        newp (x = 1); x := !x + 1; c; endp (x = 0);
        newp (x = 11); x := !x + 10; c; endp (x = 1);
        newp (x = 111); x := !x + 100; c; endp (x = 11);
        assert(x = 111); endp (x = 111)";
    let model = annotated(begun);
    assert!(!model.aborts());
    assert_eq!(model.alive, 2);
    let nested = "c : com |- new int x in
        letp (x = 0) in x := 0; c;
        letp (x = 1) in x := !x + 1; c;
        letp (x = 11) in x := !x + 10; c;
        letp (x = 111) in x := !x + 100; c;
        assert(x = 111)";
    let model = annotated(nested);
    assert!(!model.aborts());
    assert_eq!(model.alive, 4);
    // What ends too early is not known any more.
    let early = begun.replace("x := !x + 10; c; endp (x = 1)", "endp (x = 1); x := !x + 10; c");
    assert!(annotated(&early).aborts());
}

#[test]
fn an_expression_is_worth_what_it_was() {
    // 0 + 2, though x is 1 by then.
    let program = |claim: &str| format!("new int x in letp (x = 0) in letp (x = 1) in {claim}");
    let sum = "x + { x := 1; 2 }";
    assert!(annotated(&program(&format!("if {sum} = 2 then abort"))).aborts());
    assert!(!annotated(&program(&format!("assert({sum} = 2); assert(x = 1)"))).aborts());
    assert!(annotated(&format!("new int x in assert({sum} = 2)")).aborts(), "nothing is known of x");
    // The same of what is to be written, and of what leaves its block.
    let written = "new int y in letp (x = y) in { { x := 1; y } := x; assert(x <> y) }";
    assert!(!annotated(&program(written)).aborts());
    assert!(annotated(&program(&written.replace("x <> y", "x = y"))).aborts());
    let left = "assert({ new int z := 7 in letp (z = 7) in z } = 7)";
    assert!(!annotated(&program(left)).aborts());
    assert!(annotated(&program(&left.replace("letp (z = 7) in", ""))).aborts());
}

#[test]
fn an_element_is_known_by_its_index() {
    let program = |then: &str| {
        format!("e : int%2, c : com |- new int%2 i := e in new int a[2] in letp (a[i] = 3) in {then}")
    };
    assert!(!annotated(&program("a[i] := 3; c; assert(a[i] = 3)")).aborts());
    assert!(annotated(&program("a[i] := 3; c; assert(a[0] = 3)")).aborts());
    assert!(annotated(&program("a[i] := 3; i := e; assert(a[i] = 3)")).aborts());
    assert!(annotated("e : int%3 |- new int i := e in new int a[2] in letp (i = 2) in a[i] := 0").aborts());
    let inside = "e : int%2 |- new int i := e in letp (i < 2 and i >= 0) in new int a[2] in a[i] := 0";
    assert!(!annotated(inside).aborts());
    assert!(annotated(&inside.replace("and i >= 0", "")).aborts());
}

#[test]
fn unlimited_integers_know_relations() {
    // [GC, B.2]: no x equals x + 1.
    let text = "e : int |- new int x := e in if x = x + 1 then abort";
    assert!(!annotated(text).aborts());
    assert!(annotated(&text.replace("x + 1", "x + x")).aborts());
    // There is no quotient by 0.
    assert!(annotated("e : int |- new int x := e in letp (x = 0) in x := 5 / x").aborts());
    assert!(!annotated("e : int |- new int x := e in letp (x = 0) in if x <> 0 then x := 5 / x").aborts());
}

/// One who never knows.
struct Silent;

impl Solver for Silent {
    fn check(&mut self, _: &Terms, _: &[Claim], _: &Limit) -> Answer {
        Answer::Unknown(Reason::Time)
    }
}

#[test]
fn what_nobody_knows_may_be() {
    for seed in 0..50 {
        let mut judgement = judge(&storing(seed, false));
        let some = equations(&mut judgement)[..3].to_vec();
        let arena = Arena::new(&judgement);
        let Some(concrete) = concrete(&judgement) else { continue };
        let abstraction = Abstraction { predicates: everywhere(&some), after: After::Forgotten, most: MOST };
        let model = predicates::denote(&judgement, &arena, abstraction, &mut Silent);
        let model = model.expect("it has an abstraction");
        assert_eq!(model.asked, model.unknown);
        assert_eq!(beyond(&concrete, &model.plays), None);
    }
}

#[test]
fn some_programs_have_no_abstraction_here() {
    let reason = |text: &str| abstracted(&judge(text), ANNOTATED).err();
    let construct = |text: &str| match reason(text) {
        Some(Refused::Construct { what, span }) => {
            format!("{what}: {}", &text[span.start as usize..span.end as usize])
        }
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(construct("skip || skip"), "this program is concurrent: skip || skip");
    let impure = "a predicate is no pure value over local variables";
    assert_eq!(construct("e : int |- letp (e = 1) in skip"), format!("{impure}: e"));
    assert_eq!(construct("new int x in newp ({ x := 1; x }); skip"), format!("{impure}: x := 1; x"));
    assert_eq!(reason("new int x[65] in x[3] := 1"), Some(Refused::Stop(Stop::Table)));
    assert_eq!(
        reason("assert(1 = 1 + { new int x[4294967296] in x[3] := 1; 0 })"),
        Some(Refused::Stop(Stop::Table))
    );
    assert_eq!(reason("new int x[64] in letp (x[3] = 1) in x[3] := 1"), None);
}
