//! Every program of the corpus says what should be said about it, in lines that start with `//!`:
//!
//! ```text
//! //! paper: [GC] B.1                            where it comes from
//! //! safe                                       it never aborts
//! //! safe MOVE                                  no environment brings the move about
//! //! unsafe: run · f.run · abort                the play of the shortest order, or `any`; where the precise engine
//!                                                cannot take it, that of the predicate engine
//! //! unsafe MOVE: …                             the same for another target
//! //! equivalent: left.ia                        equal in every environment to another program of the folder
//! //! inequivalent: left.ia                      not so
//! //! approximates: left.ia                      its complete plays are among those of the other
//! //! iterations ENGINE: 3                       no more than so many, for the first verdict
//! //! data ENGINE: x [0,1]; y []                 the partitions in the end, of all or some variables
//! //! alive: 2                                   it is proved by its own predicates, so many at once
//! //! model: 8 states, 9 transitions             the size of its minimal model
//! //! states: 9                                  how many positions a whole search visits
//! //! stuck: yes                                 whether a run of a concurrent program gets stuck; or `no`
//! //! halves: work, 10 states, 13742 positions    checked at that part: the assumption, and the largest exploration
//! //! define: size=3                             constants
//! //! skip ENGINE: reason                        an engine that cannot take it
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agon::session::{Comparison, Session, compare};
use agon_check::budget::Budget;
use agon_check::component;
use agon_check::concurrent::deadlock;
use agon_check::equiv::Relation;
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::Order;
use agon_check::refine::assume::Method;
use agon_check::refine::{Certify, Effort};
use agon_check::verdict::{Reason, Report, Verdict};
use agon_games::denote::{self, bottom_up_threads, denote};
use agon_games::machine::explore::Threads;
use agon_games::machine::{Machine, Strands, compile, compile_any};
use agon_games::model::{Building, concurrent_model, model};
use agon_games::moves::Label;
use agon_games::play::legal;
use agon_games::values::Exact;
use agon_lang::int::Int;
use agon_lang::print::{canonical, print};
use agon_lang::source::Source;
use agon_lang::term::Judgement;
use agon_lang::tree::Mode;

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut folders = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the corpus is there") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ia") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 30, "the corpus has {} programs", files.len());
    files
}

#[derive(Debug, Default)]
struct Claims {
    verdicts: Vec<(String, Claim)>,
    relations: Vec<(String, String)>,
    states: Option<usize>,
    model: Option<String>,
    defines: Vec<(String, Int)>,
    /// Engines that cannot take it.
    skips: Vec<String>,
    iterations: Vec<(String, usize)>,
    stuck: Option<bool>,
    halves: Option<String>,
    data: Vec<(String, String)>,
    /// How many of the program's own predicates are alive at once when it is proved by them.
    alive: Option<usize>,
}

#[derive(Debug)]
enum Claim {
    Safe,
    Unsafe(Option<String>),
}

fn claims(path: &Path, text: &str) -> Claims {
    let mut claims = Claims::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let (word, target) = head.split_once(' ').unwrap_or((head, "abort"));
        let target = target.to_string();
        match word {
            "safe" => claims.verdicts.push((target, Claim::Safe)),
            "unsafe" => {
                let play = Some(rest.trim().to_string()).filter(|play| play != "any");
                claims.verdicts.push((target, Claim::Unsafe(play)));
            }
            "model" => claims.model = Some(rest.trim().into()),
            "states" => claims.states = Some(rest.trim().parse().expect("a number of states")),
            "define" => {
                let (name, value) = rest.trim().split_once('=').expect("NAME=VALUE");
                claims.defines.push((name.into(), Int::parse(value).expect("a number")));
            }
            "equivalent" | "inequivalent" | "approximates" => {
                claims.relations.push((word.into(), rest.trim().into()));
            }
            "stuck" => claims.stuck = Some(rest.trim() == "yes"),
            "halves" => claims.halves = Some(rest.trim().into()),
            "iterations" => {
                claims.iterations.push((target, rest.trim().parse().expect("a number of iterations")));
            }
            "alive" => claims.alive = Some(rest.trim().parse().expect("a number of predicates")),
            "data" => claims.data.push((target, rest.trim().into())),
            "skip" => {
                assert!(!rest.trim().is_empty(), "{}: a skip has a reason", path.display());
                claims.skips.push(target);
            }
            "paper" => {}
            _ => panic!("{}: no such claim: {line}", path.display()),
        }
    }
    let count = claims.verdicts.len() + claims.relations.len();
    assert!(count > 0, "{} claims nothing", path.display());
    claims
}

fn open(path: &Path) -> (Session, Claims) {
    let text = std::fs::read_to_string(path).expect("the corpus can be read");
    let claims = claims(path, &text);
    match Session::open(Source::new(path.display().to_string(), text), claims.defines.clone()) {
        Ok(session) => (session, claims),
        Err((_, diagnostics)) => panic!("{}: {diagnostics:?}", path.display()),
    }
}

fn check(session: &Session, target: &str, order: Order, engine: Engine, certify: Certify) -> Report {
    let question = session.question(target, order).unwrap_or_else(|why| panic!("{target}: {why:?}"));
    let effort = Effort { certify, ..Effort::default() };
    session.check(&question, engine, &effort, &Budget::default(), &mut |_| {})
}

/// Whether a verdict is the one that is claimed.
fn is_as_claimed(session: &Session, target: &str, claim: &Claim, verdict: &Verdict, place: &str) -> bool {
    match (claim, verdict) {
        (Claim::Safe, Verdict::Safe) => true,
        (Claim::Unsafe(_), Verdict::Unsafe(play, closed)) => {
            if session.judgement.mode == Mode::Sequential {
                legal(&session.arena, &play.moves).unwrap_or_else(|why| panic!("{place}: {why}"));
            }
            let last = play.moves.last().map(|m| session.arena.show(m));
            assert_eq!(last.as_deref(), Some(target), "{place}");
            assert!(closed.as_ref().is_some_and(|closed| closed.text.len() > closed.term), "{place}");
            true
        }
        _ => false,
    }
}

#[test]
fn every_program_gets_the_verdict_it_claims_in_every_order() {
    for path in corpus() {
        let (session, claims) = open(&path);
        if claims.skips.iter().any(|engine| engine == "explicit") {
            continue;
        }
        for (target, claim) in &claims.verdicts {
            let orders =
                [Order::Fixed, Order::Shortest, Order::Random(1), Order::Random(2), Order::Random(3)];
            for order in orders {
                let report = check(&session, target, order, Engine::Explicit, Certify::Values);
                let place = format!("{}, {target}, {order:?}", path.display());
                let verdict = &report.verdict;
                assert!(is_as_claimed(&session, target, claim, verdict, &place), "{place}: {verdict:?}");
                if let (Claim::Safe, Some(states), "abort") = (claim, claims.states, target.as_str()) {
                    assert_eq!(report.states, states, "{place}");
                }
                if let (Claim::Unsafe(Some(wanted)), Verdict::Unsafe(play, _), Order::Shortest) =
                    (claim, verdict, order)
                {
                    let shown: Vec<_> = play.moves.iter().map(|m| session.arena.show(m)).collect();
                    assert_eq!(shown.join(" · "), *wanted, "{place}");
                }
            }
        }
    }
}

#[test]
fn every_program_gets_the_verdict_it_claims_over_approximated_data() {
    let engines = [
        ("auto", Engine::Auto),
        ("interval", Engine::Interval),
        ("partition", Engine::Partition { semi_terminating: false }),
        ("semi-terminating", Engine::Partition { semi_terminating: true }),
    ];
    let mut refined = 0;
    for path in corpus() {
        let (session, claims) = open(&path);
        for (name, engine) in engines {
            if claims.skips.iter().any(|skipped| skipped == name) {
                continue;
            }
            for (n, (target, claim)) in claims.verdicts.iter().enumerate() {
                for certify in [Certify::Values, Certify::Forced] {
                    let report = check(&session, target, Order::Fixed, engine, certify);
                    let place = format!("{}, {target}, {name}, {certify:?}", path.display());
                    let verdict = &report.verdict;
                    assert!(is_as_claimed(&session, target, claim, verdict, &place), "{place}: {verdict:?}");
                    refined += usize::from(report.iterations > 1);
                    let claimed = |list: &[(String, usize)]| {
                        list.iter().find(|(engine, _)| engine == name).map(|(_, most)| *most)
                    };
                    if let (0, Some(most)) = (n, claimed(&claims.iterations)) {
                        assert!(report.iterations <= most, "{place}: {} iterations", report.iterations);
                    }
                    let data = claims.data.iter().filter(|(engine, _)| engine == name);
                    for part in data.flat_map(|(_, data)| data.split("; ")) {
                        let (variable, parts) = part.split_once(' ').expect("a variable and its partition");
                        let refinement = report.refinement.as_ref().expect("data was approximated");
                        let now = refinement.abstraction.iter().find(|(name, _)| name == variable);
                        assert_eq!(now.map(|(_, parts)| parts.as_str()), Some(parts), "{place}");
                    }
                }
            }
        }
    }
    assert!(refined > 50, "{refined} checks refined anything");
}

/// With predicates that are found as they are needed the verdict is as claimed; with none, or with those of the program
/// alone, there may be none, unless it claims how many of its own there are. A proof by scopes alone is one for
/// whoever writes them into the program.
#[test]
fn every_program_gets_the_verdict_it_claims_by_predicates() {
    let schemes = [
        ("none", Scheme::None),
        ("annotated", Scheme::Annotated),
        ("maximal", Scheme::Maximal),
        ("minimal", Scheme::Minimal),
    ];
    let (mut proved, mut proved_again) = (0, 0);
    for path in corpus() {
        let (session, claims) = open(&path);
        for (name, scheme) in schemes {
            if claims.skips.iter().any(|skipped| skipped == "predicate" || skipped == name) {
                continue;
            }
            let may_be_unknown = match scheme {
                Scheme::None => true,
                Scheme::Annotated => claims.alive.is_none(),
                Scheme::Maximal | Scheme::Minimal => false,
            };
            for (target, claim) in &claims.verdicts {
                let engine = Engine::Predicate(scheme);
                let report = check(&session, target, Order::Fixed, engine, Certify::Values);
                let place = format!("{}, {target}, {name}", path.display());
                let verdict = &report.verdict;
                match verdict {
                    Verdict::Unknown(Reason::Predicates) if may_be_unknown => {}
                    _ => {
                        let as_claimed = is_as_claimed(&session, target, claim, verdict, &place);
                        assert!(as_claimed, "{place}: {verdict:?}");
                    }
                }
                let precise = claims.skips.iter().all(|engine| engine != "explicit");
                if let (Claim::Unsafe(Some(wanted)), Verdict::Unsafe(play, _), Scheme::Minimal, false) =
                    (claim, verdict, scheme, precise)
                {
                    let shown: Vec<_> = play.moves.iter().map(|m| session.arena.show(m)).collect();
                    assert_eq!(shown.join(" · "), *wanted, "{place}");
                }
                let (Verdict::Safe, Some(predicated)) = (verdict, &report.predicated) else { continue };
                proved += usize::from(!predicated.kept.is_empty());
                if let (Scheme::Annotated, Some(alive)) = (scheme, claims.alive) {
                    assert_eq!(predicated.alive, alive, "{place}");
                }
                if let (Some(text), true) = (&predicated.annotated, predicated.scopes_suffice) {
                    let source = Source::new(path.display().to_string(), text.as_str());
                    let annotated = Session::open(source, claims.defines.clone()).expect("it is a program");
                    let engine = Engine::Predicate(Scheme::Annotated);
                    let again = check(&annotated, target, Order::Fixed, engine, Certify::Values).verdict;
                    assert!(matches!(again, Verdict::Safe), "{place}: {again:?}\n{text}");
                    proved_again += 1;
                }
            }
        }
    }
    println!("{proved} proofs by predicates, {proved_again} from the scopes that were found");
    assert!(
        proved > 50 && proved_again > 10,
        "{proved} proofs by predicates, {proved_again} by found scopes"
    );
}

#[test]
fn every_sequential_program_gets_its_verdict_in_two_halves() {
    let engine = Engine::AssumeGuarantee(Method::Tree);
    let (mut halved, mut parts, mut gave_up, mut paid) = (0, 0, 0, 0);
    for path in corpus() {
        let (session, claims) = open(&path);
        if session.judgement.mode == Mode::Concurrent
            || claims.skips.iter().any(|skipped| skipped == engine.name())
        {
            continue;
        }
        // What is not claimed is what the direct engines say.
        let mut wanted: Vec<(&str, Option<bool>)> = Vec::new();
        for (target, claim) in &claims.verdicts {
            wanted.push((target, Some(matches!(claim, Claim::Safe))));
        }
        if wanted.is_empty() {
            let direct = check(&session, "abort", Order::Fixed, Engine::Auto, Certify::Values);
            let safe = match direct.verdict {
                Verdict::Unknown(_) => None,
                verdict => Some(matches!(verdict, Verdict::Safe)),
            };
            wanted.push(("abort", safe));
        }
        for (target, safe) in wanted {
            let place = format!("{}, {target}", path.display());
            let same = |report: &Report| match &report.verdict {
                Verdict::Safe => safe == Some(true),
                Verdict::Unsafe(..) => safe == Some(false),
                Verdict::Unknown(_) => safe.is_none(),
            };
            // At the part that is chosen, and at every other one, for as long as that does not take long.
            let report = check(&session, target, Order::Fixed, engine, Certify::Values);
            assert!(same(&report), "{place}: {:?}", report.verdict);
            halved += usize::from(report.assumed.is_some());
            if let (Some(halves), Some(assumed)) = (&claims.halves, &report.assumed) {
                let assumption = assumed.assumption.as_ref().expect("it is safe");
                let states = assumption.automaton.states.len();
                let own = format!("{}, {states} states, {} positions", assumed.component, report.states);
                assert_eq!(own, *halves, "{place}");
                // The assumption pays: ten states for ten thousand, and twenty times fewer positions at once.
                let positions = claims.states.expect("the whole search is claimed too");
                assert!(states <= 10 && report.states * 20 < positions, "{place}: {own} of {positions}");
                paid += 1;
            }
            for component in component::ranked(&session.judgement) {
                let mut question = session.question(target, Order::Fixed).expect("the target is a move");
                question.component = Some(component.name.clone());
                let budget = Budget { transitions: Some(50_000), ..Budget::default() };
                let effort = Effort { iterations: 100, ..Effort::default() };
                let report = session.check(&question, engine, &effort, &budget, &mut |_| {});
                match report.verdict {
                    Verdict::Unknown(Reason::Reenters) => continue,
                    Verdict::Unknown(Reason::Limit(_) | Reason::Iterations(_)) => gave_up += 1,
                    _ => assert!(same(&report), "{place}, {}: {:?}", component.name, report.verdict),
                }
                parts += 1;
            }
        }
    }
    println!("{halved} programs in two halves; {parts} parts, {gave_up} of them took too long");
    assert!(paid > 0, "no assumption pays");
    assert!(
        halved > 60 && gave_up * 5 < parts,
        "{halved} programs, {gave_up} of {parts} parts took too long"
    );
}

#[test]
fn runs_get_stuck_as_they_claim() {
    let mut checked = 0;
    for path in corpus() {
        let (session, claims) = open(&path);
        let Some(stuck) = claims.stuck else { continue };
        for order in [Order::Fixed, Order::Shortest, Order::Random(1)] {
            for reduce in [true, false] {
                let mut question = session.question("abort", order).expect("every program may abort");
                question.reduce = reduce;
                let report = deadlock(session.subject(), &question, &Budget::default(), &mut |_| {});
                match report.verdict {
                    Verdict::Safe => assert!(!stuck, "{}", path.display()),
                    Verdict::Unsafe(..) => assert!(stuck, "{}", path.display()),
                    Verdict::Unknown(reason) => panic!("{}: {reason:?}", path.display()),
                }
            }
        }
        checked += 1;
    }
    assert!(checked > 1, "{checked} programs claim anything");
}

#[test]
fn the_reference_semantics_agrees_on_the_corpus() {
    let mut compared = 0;
    for path in corpus() {
        let (session, claims) = open(&path);
        let Ok(code) = compile(&session.judgement, &session.arena) else { continue };
        let mut machine = Machine::new(Arc::new(code), Arc::new(session.arena.clone()), Exact::default());
        let Ok((model, _)) = model(&mut machine, 20_000, &mut || false) else { continue };
        if let Some(size) = &claims.model {
            let own = format!("{} states, {} transitions", model.states(), model.transitions());
            assert_eq!(own, *size, "{}", path.display());
        }
        let Ok(reference) = denote(&session.judgement, &session.arena) else { continue };
        assert_eq!(model, reference, "{}", path.display());
        let aborts = reference.letters.iter().any(|m| m.label == Label::Abort);
        for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
            assert_eq!(aborts, matches!(claim, Claim::Unsafe(_)), "{}", path.display());
        }
        compared += 1;
    }
    assert!(compared > 20, "{compared} programs were small enough");
}

/// Concurrent programs, and sequential ones in environments that have several threads.
#[test]
fn the_reference_semantics_agrees_on_the_corpus_with_threads() {
    let (mut compared, mut sequential) = (0, 0);
    for path in corpus() {
        let (session, _) = open(&path);
        let own = session.judgement.mode == Mode::Concurrent;
        let judgement = Judgement { mode: Mode::Concurrent, ..session.judgement };
        let Ok(code) = compile_any(&judgement, &session.arena) else { continue };
        let mut strands = Strands::new(Arc::new(code), Arc::new(session.arena.clone()), true);
        let asked = AtomicU32::new(0);
        let building = Building {
            reduce: true,
            threads: Threads::default(),
            largest: 20_000,
            interrupted: &|| asked.fetch_add(1, Ordering::Relaxed) > 100,
        };
        let Ok(model) = concurrent_model(&mut strands, building) else { continue };
        let building = denote::Building { reduce: true, most: 20_000, interrupted: &|| false };
        let Ok(reference) = bottom_up_threads(&judgement, &session.arena, building) else { continue };
        assert_eq!(model.automaton, reference.model, "{}", path.display());
        *(if own { &mut compared } else { &mut sequential }) += 1;
    }
    println!("{compared} concurrent, {sequential} sequential");
    assert!(compared >= 10 && sequential > 20, "{compared} and {sequential} programs were small enough");
}

#[test]
fn concurrent_programs_have_the_models_that_they_claim() {
    let mut claimed = 0;
    for path in corpus() {
        let (session, claims) = open(&path);
        if session.judgement.mode != Mode::Concurrent {
            continue;
        }
        let code = Arc::new(compile_any(&session.judgement, &session.arena).expect("it can be run"));
        let models = [true, false].map(|reduce| {
            let mut strands = Strands::new(code.clone(), Arc::new(session.arena.clone()), reduce);
            let threads = Threads::default();
            let building = Building { reduce, threads, largest: 400_000, interrupted: &|| false };
            concurrent_model(&mut strands, building).map(|built| built.automaton)
        });
        let [Ok(model), Ok(step_by_step)] = models else {
            assert!(claims.model.is_none(), "{} is too large for its claim", path.display());
            continue;
        };
        assert!(model == step_by_step, "{}: reduction changes the model", path.display());
        if let Some(size) = &claims.model {
            let own = format!("{} states, {} transitions", model.states(), model.transitions());
            assert_eq!(own, *size, "{}", path.display());
            claimed += 1;
        }
        let aborts = model.letters.iter().any(|m| m.m.label == Label::Abort);
        for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
            assert_eq!(aborts, matches!(claim, Claim::Unsafe(_)), "{}", path.display());
        }
    }
    assert!(claimed > 8, "{claimed} programs claim anything");
}

#[test]
fn programs_compare_as_they_claim() {
    let mut compared = 0;
    for path in corpus() {
        let (session, claims) = open(&path);
        for (claim, other) in &claims.relations {
            let (other, _) = open(&path.with_file_name(other));
            let relation =
                if claim == "approximates" { Relation::Approximation } else { Relation::Equivalence };
            let (comparison, _) = compare(&session, &other, relation, &Budget::default(), &mut |_| {})
                .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            let holds = match &comparison {
                Comparison::Holds => true,
                Comparison::Differs(difference) => {
                    let told = difference.distinction.as_ref().is_some_and(|told| told.shown);
                    // No environment sees when the program aborts.
                    let aborts = difference.play.moves.last().is_some_and(|m| m.label == Label::Abort);
                    let sequential = session.judgement.mode == Mode::Sequential;
                    assert!(told || aborts || sequential, "{}", path.display());
                    false
                }
                Comparison::Unknown(_, reason) => panic!("{}: {reason:?}", path.display()),
            };
            assert_eq!(holds, claim != "inequivalent", "{} {claim} {}", path.display(), other.source.name);
            compared += 1;
            if session.judgement.mode == Mode::Concurrent {
                continue;
            }
            // The minimal automata say the same.
            let automata = [&session, &other].map(|session| {
                let code = compile(&session.judgement, &session.arena).expect("the program is sequential");
                let arena = Arc::new(session.arena.clone());
                let mut machine = Machine::new(Arc::new(code), arena, Exact::default());
                let (model, _) = model(&mut machine, 1 << 20, &mut || false).expect("the model is small");
                model.relabel(|m| session.arena.show(m))
            });
            if relation == Relation::Equivalence {
                assert_eq!(automata[0] == automata[1], holds, "{}", path.display());
            }
        }
    }
    assert!(compared > 60, "{compared} comparisons");
}

#[test]
fn every_program_prints_as_itself() {
    for path in corpus() {
        let (session, _) = open(&path);
        let printed = print(&session.program);
        let (again, diagnostics) = agon_lang::parse::parse(&printed);
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}\n{printed}", path.display());
        assert_eq!(canonical(&session.program), canonical(&again), "{}", path.display());
    }
}

#[test]
fn no_prefix_of_any_program_panics() {
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        // The lines of claims are comments like any other.
        let start = text.find("\n\n").unwrap_or(0);
        for end in (start..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = Session::open(Source::new("prefix", &text[start..end]), vec![]);
        }
    }
}
