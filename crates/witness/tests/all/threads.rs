//! What concurrent programs play, an environment made from the play brings about; what they do not, none does.

use std::ops::Deref;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_core::bounds::bounds;
use agon_core::eval::Patience;
use agon_core::language::Closed;
use agon_core::term::Judgement;
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::machine::{State, Strands};
use agon_games::moves::{Label, Move, Player, ThreadMove};
use agon_games::strategy::Step;
use agon_ia::hole::breaches;
use agon_ia::parse::parse;
use agon_ia::read::{Document, Reading};
use agon_ia::sample::concurrent;
use agon_witness::threads::{can_play, distinguish, verify};
use agon_witness::verify::Program;

fn steps() -> Patience<'static> {
    Patience::steps(100_000)
}

fn read(text: &str) -> Reading {
    agon_ia::read::read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}"))
}

/// A random play of the strands, of at most this many moves.
fn random_play(strands: &mut Strands, random: &mut Random, most: usize) -> Vec<ThreadMove> {
    let mut moves = Vec::new();
    let mut state = State(0);
    for _ in 0..8 * most {
        let mut found: Vec<Step<Option<ThreadMove>, State>> = Vec::new();
        if strands.transitions(state, &mut found, &Budget::default()).is_err() || found.is_empty() {
            break;
        }
        let transition = found.swap_remove(random.below(found.len()));
        moves.extend(transition.label);
        match transition.next {
            Some(next) if moves.len() < most => state = next,
            _ => break,
        }
    }
    moves
}

/// The environment, with a hole for the program, keeps to the bounds that the program assumes.
fn respects(judgement: &Judgement, closed: &Closed) -> bool {
    let bounds = bounds(judgement).expect("the program has bounds");
    let arguments: Vec<String> = (1..=judgement.arguments.len()).map(|n| format!("argument{n}")).collect();
    let hole = if arguments.is_empty() { "HOLE".into() } else { format!("HOLE({})", arguments.join(", ")) };
    let environment = &closed.text[..closed.term];
    // Beside another thread stand commands.
    let value = judgement.ty.uncurry().1 != &Type::Com;
    let watched = environment.trim_end_matches("// The program.\n").ends_with("||\n");
    let hole = if value && watched { format!("{{ if {hole} then skip }}") } else { hole };
    let context = format!("{environment}{hole}");
    breaches(&parse(&context).0, &[], "HOLE", &bounds).is_ok_and(|broken| broken.is_empty())
}

struct Sample {
    text: String,
    program: Program<Document>,
}

impl Deref for Sample {
    type Target = Program<Document>;

    fn deref(&self) -> &Program<Document> {
        &self.program
    }
}

impl Sample {
    fn random(seed: u64, size: usize) -> Sample {
        Sample::new(concurrent(seed, size))
    }

    /// A command beside itself, so that whatever it calls is called by others, too.
    fn doubled(self) -> Sample {
        match self.text.split_once("|-").filter(|_| self.judgement.ty == Type::Com) {
            Some((context, body)) => Sample::new(format!("{context}|- {{ {body} }} || {{ {body} }}")),
            None => self,
        }
    }

    fn new(text: String) -> Sample {
        let Reading { document, judgement, .. } = read(&text);
        Sample { text, program: Program::new(document, judgement) }
    }

    fn strands(&self) -> Option<Strands> {
        Some(Strands::new(self.subject().code().ok()?, Arc::new(self.arena.clone()), true))
    }

    fn show(&self, moves: &[ThreadMove]) -> String {
        moves.iter().map(|m| self.arena.show_threaded(m)).collect::<Vec<_>>().join(" ")
    }
}

fn environments_bring_about_what_programs_play_among(count: u64) {
    let (mut plays, mut played, mut impatient) = (0, 0, 0);
    for seed in 0..count {
        let sample = match seed % 3 {
            0 => Sample::random(seed, 1 + (seed % 7) as usize).doubled(),
            _ => Sample::random(seed, 3 + (seed % 14) as usize),
        };
        let Some(mut strands) = sample.strands() else { continue };
        let mut random = Random::new(seed);
        for n in 0..4 {
            let mut moves = random_play(&mut strands, &mut random, 24);
            if moves.is_empty() {
                continue;
            }
            // Some end anywhere.
            if n % 2 == 1 {
                moves.truncate(1 + random.below(moves.len()));
            }
            match verify(sample.subject(), &moves, steps()) {
                Ok(closed) => assert!(
                    respects(&sample.judgement, &closed),
                    "seed {seed}\n{}\n{}\n{}",
                    sample.text,
                    sample.show(&moves),
                    closed.text
                ),
                Err(Refused::Stop(_) | Refused::Construct { .. }) => impatient += 1,
                Err(Refused::Wrong(why)) => {
                    panic!("seed {seed}\n{}\n{}\n{why}", sample.text, sample.show(&moves))
                }
            }
            plays += 1;
            played += moves.len();
        }
    }
    println!("{plays} plays of {played} moves, {impatient} times out of patience");
    assert!(plays > 3_000 && played > 20_000, "{plays} plays of {played} moves");
    assert!(impatient * 100 < plays, "{impatient} of {plays} plays took too long");
}

/// Whether every question takes the lowest number that is free, and every answer answers one, with none open below it.
fn is_well_formed(arena: &Arena, moves: &[ThreadMove]) -> bool {
    let mut open: Vec<(ComponentId, Box<[u32]>)> = Vec::new();
    for ThreadMove { m, threads } in moves {
        let place = (m.component, threads.clone());
        if m.label == Label::Abort {
            continue;
        }
        if !m.label.is_question() {
            let Some(n) = open.iter().position(|other| *other == place) else { return false };
            open.swap_remove(n);
            let below = |(id, numbers): &(ComponentId, Box<[u32]>)| {
                arena.component(*id).parent.map_or(m.component == OWN, |parent| parent == m.component)
                    && numbers.starts_with(threads)
            };
            if open.iter().any(below) {
                return false;
            }
            continue;
        }
        if let Some((last, outer)) = threads.split_last() {
            let taken = |number: u32| open.contains(&(m.component, [outer, &[number]].concat().into()));
            let parent = arena.component(m.component).parent;
            let asked = parent.is_none_or(|parent| open.contains(&(parent, outer.into())));
            if !asked || taken(*last) || (1..*last).any(|number| !taken(number)) {
                return false;
            }
        }
        open.push(place);
    }
    true
}

/// Whether an environment sees all. What is done to a variable or semaphore that it never lets P use, it does not, unless
/// the play ends with it; nor what is done to one at the end, or right before an abort.
fn is_seen(arena: &Arena, moves: &[ThreadMove]) -> bool {
    let mut open: Vec<&ThreadMove> = Vec::new();
    for m in moves {
        if m.m.label.is_question() {
            open.push(m);
        } else {
            open.retain(|asked| (asked.m.component, &asked.threads) != (m.m.component, &m.threads));
        }
    }
    let ours = |m: &ThreadMove| {
        let component = arena.component(m.m.component);
        component.asker == Player::P && matches!(component.base, Type::Var(_) | Type::Sem(_))
    };
    let early = match moves {
        [.., before, last] if last.m.label == Label::Abort => ours(before),
        [.., last] => !last.m.label.is_question() && ours(last),
        [] => false,
    };
    !early && !open.into_iter().any(|m| ours(m) && moves.last() != Some(m))
}

/// The moves with all that the environment's variable or semaphore could be used for, where they end with a use of one. If the
/// program aborts after it, the environment does not see what it was used for.
fn used_otherwise(arena: &Arena, moves: &[ThreadMove]) -> Vec<Vec<ThreadMove>> {
    let Some(last) = moves.last() else { return Vec::new() };
    let id = last.m.component;
    let component = arena.component(id);
    let numbers = || (0..arena.count(id).unwrap_or(1)).map(|n| arena.value(id, n));
    let uses: Vec<[Label; 2]> = match component.base {
        _ if component.asker == Player::O => return Vec::new(),
        Type::Var(_) => {
            let reads = numbers().map(|n| [Label::Read, Label::Value(n)]);
            reads.chain(numbers().map(|n| [Label::Write(n), Label::Ok])).collect()
        }
        Type::Sem(_) => vec![[Label::Grab, Label::Ok], [Label::Release, Label::Ok]],
        _ => return Vec::new(),
    };
    let same = |m: &ThreadMove| (m.m.component, &m.threads) == (id, &last.threads);
    let asked = moves.iter().rposition(|m| same(m) && m.m.label.is_question()).expect("it was asked");
    let used = |[question, answer]: [Label; 2]| {
        let mut moves = moves.to_vec();
        moves[asked].m.label = question;
        if asked + 1 < moves.len() {
            moves.last_mut().expect("there is an answer").m.label = answer;
        }
        moves
    };
    uses.into_iter().map(used).collect()
}

/// The play with something changed.
fn mutated(moves: &[ThreadMove], random: &mut Random) -> Vec<ThreadMove> {
    let mut wrong = moves.to_vec();
    let at = 1 + random.below(moves.len() - 1);
    match random.below(4) {
        0 => {
            wrong.swap(at, at.max(2) - 1);
        }
        1 => {
            wrong.remove(at);
        }
        2 => wrong.insert(at, moves[1 + random.below(moves.len() - 1)].clone()),
        _ => {
            let n = Int::from(random.below(2) as u64);
            let label = &mut wrong[at].m.label;
            *label = match label {
                Label::Value(_) => Label::Value(n),
                Label::Write(_) => Label::Write(n),
                Label::Grab => Label::Release,
                Label::Release => Label::Grab,
                _ => Label::Abort,
            };
            if *label == Label::Abort {
                wrong[at] = ThreadMove {
                    m: Move { component: OWN, element: None, label: Label::Abort },
                    threads: [].into(),
                };
                wrong.truncate(at + 1);
            }
        }
    }
    wrong
}

fn an_environment_that_tells_ends_only_with_what_is_played_among(count: u64) {
    let (mut refused, mut confirmed) = (0, 0);
    for seed in 0..count {
        let sample = Sample::random(seed, 3 + (seed % 14) as usize);
        let Some(mut strands) = sample.strands() else { continue };
        let mut random = Random::new(seed ^ 0xabcd);
        let moves = random_play(&mut strands, &mut random, 16);
        if moves.len() < 2 {
            continue;
        }
        for n in 0..5 {
            let wrong = if n == 0 { moves.clone() } else { mutated(&moves, &mut random) };
            if !is_well_formed(&sample.arena, &wrong) || !is_seen(&sample.arena, &wrong) {
                continue;
            }
            let can =
                |moves: &[ThreadMove]| can_play(&sample.judgement, &sample.arena, moves, &Budget::default());
            let can = if let [before @ .., end] = wrong.as_slice()
                && end.m.label == Label::Abort
            {
                // No environment sees whether an abort comes too early.
                let aborts = |before: &[ThreadMove]| can(&[before, std::slice::from_ref(end)].concat());
                let early = || (1..=before.len()).map(|n| &before[..n]);
                let found = early().map(aborts).find(|can| *can != Ok(false));
                let mut unseen = early().flat_map(|before| used_otherwise(&sample.arena, before));
                if found.is_none() && unseen.any(|before| aborts(&before) != Ok(false)) {
                    continue;
                }
                found.unwrap_or(Ok(false))
            } else {
                can(&wrong)
            };
            let told = distinguish(sample.subject(), sample.subject(), &wrong, steps());
            match (can, told) {
                (Ok(true), Ok(_)) => confirmed += 1,
                (Ok(false), Err(Refused::Wrong(_))) => refused += 1,
                (Err(Refused::Stop(_)), _) | (_, Err(Refused::Stop(_))) => {}
                // That it could have aborted before is no use to an environment that breaks the rules of the game.
                (Ok(true), Err(Refused::Wrong(why)))
                    if n > 0 && why.starts_with("an answer comes before") => {}
                (can, told) => panic!(
                    "seed {seed}\n{}\n{}\n{can:?}\n{}",
                    sample.text,
                    sample.show(&wrong),
                    told.map_or_else(|why| format!("{why:?}"), |told| told.with.text)
                ),
            }
        }
    }
    println!("{confirmed} confirmed, {refused} refused");
    assert!(confirmed > 1_500 && refused > 500, "{confirmed} confirmed, {refused} refused");
}

/// A play, as it is written.
fn play(sample: &Sample, text: &str) -> Vec<ThreadMove> {
    text.split_whitespace().map(|m| sample.arena.parse_threaded(m).expect("it is a move")).collect()
}

/// Whether the program is seen to play this, by an environment that leads to it and by one that tells.
fn confirmed(program: &str, moves: &str) -> (bool, bool) {
    let sample = Sample::new(program.into());
    let moves = play(&sample, moves);
    let led = match verify(sample.subject(), &moves, steps()) {
        Ok(closed) => {
            assert!(respects(&sample.judgement, &closed), "{}", closed.text);
            true
        }
        Err(Refused::Wrong(why)) if why.starts_with("the closed program does not come to") => false,
        Err(why) => panic!("{program}\n{why:?}"),
    };
    let told = match distinguish(sample.subject(), sample.subject(), &moves, steps()) {
        Ok(distinction) => !distinction.shown,
        Err(Refused::Wrong(why)) if why == "the environment does not bring the play about" => false,
        Err(why) => panic!("{program}\n{why:?}"),
    };
    (led, told)
}

#[test]
fn variables_arrays_and_semaphores_of_the_environment() {
    let array = "a : var int%3[2] |- a[1] := 5 || a[0] := a[1]";
    let all = "run a[1].write(2)@1 a[1].read@2 a[1].ok@1 a[1].1@2 a[0].write(1)@1 a[0].ok@1 done";
    assert_eq!(confirmed(array, all), (true, true));
    // The write is seen by a thread beside the program.
    assert_eq!(confirmed(array, "run a[1].write(2)@1 a[1].read@2 a[1].1@2 a[0].write(1)@2"), (true, true));
    assert_eq!(confirmed(array, "run a[1].write(2)@1 a[1].read@2 a[1].1@2 a[0].write(0)@2"), (false, false));
    // What is read is what was written, or is not.
    let variable = "x : var int%4 |- x := 1 || { x := 2; x := x + 1 }";
    let cell = "run x.write(1)@1 x.write(2)@2 x.ok@2 x.read@2 x.ok@1 x.1@2 x.write(2)@1 x.ok@1 done";
    assert_eq!(confirmed(variable, cell), (true, true));
    let bad = "run x.write(2)@1 x.ok@1 x.read@1 x.0@1 x.write(1)@1 x.ok@1 x.write(1)@1 x.ok@1 done";
    assert_eq!(confirmed(variable, bad), (true, true));
    let wrong = bad.replace("x.0@1", "x.1@1");
    assert!(!confirmed(variable, &wrong).1);
    // A semaphore that lets more in than it has places.
    let lock = "c : com, s : sem$2 |- { grab(s); c; release(s) } || { grab(s); c; release(s) }";
    let both = "run s.grab@1 s.ok@1 s.grab@1 s.ok@1 c.run@1 c.run@2 c.done@1 s.release@1";
    assert_eq!(confirmed(lock, both), (true, true));
    assert_eq!(confirmed(&lock.replace("sem$2", "sem"), both), (true, true));
    assert!(!confirmed(lock, "run s.grab@1 s.ok@1 s.release@1").1);
}

#[test]
fn whoever_comes_first_has_the_turn() {
    // Others call it as well, in vain: before, beside and after.
    let beside = "x : var int%2, g : com -> com |- { g(skip); g(skip) } || g(x := 1) || g(skip)";
    assert_eq!(confirmed(beside, "run g.run@1 g.1.run@1.1 x.write(1)@1"), (true, true));
    let late =
        "x : var int%2, g : com -> com |- g(skip) || new int%2 y in { { y := 1 || y := 1 }; g(x := y) }";
    assert_eq!(confirmed(late, "run g.run@1 g.1.run@1.1 x.write(1)@1"), (true, true));
    let after = "c : com, d : com |- { c; c } || { d; d }";
    assert_eq!(confirmed(after, "run c.run@1 d.run@1 c.done@1 d.done@1 d.run@1"), (true, true));
    let written = "x : var int%2 |- x := 0 || x := 0 || x := 1";
    assert_eq!(confirmed(written, "run x.write(1)@1"), (true, true));
    assert_eq!(confirmed(&written.replace('1', "0"), "run x.write(1)@1"), (false, false));
}

#[test]
fn what_is_called_first_and_once_does_not_wait() {
    let text = |program: &str, moves: &str| {
        let sample = Sample::new(program.into());
        let moves = play(&sample, moves);
        verify(sample.subject(), &moves, steps()).expect("it is played").text
    };
    let constant = text(
        "g : com -> com, c : com |- g(c) || g(skip)",
        "run g.run@1 g.1.run@1.1 c.run@1 c.done@1 g.1.done@1.1",
    );
    assert!(!constant.contains("sem "), "{constant}");
    let handed =
        text("g : com{2} -> com |- g(abort) || g(skip)", "run g.run@1 g.1.run@1.1 g.1.run@1.2 abort");
    assert!(handed.contains("sem g_goes_on = 1;"), "{handed}");
}

#[test]
fn procedures_of_any_order() {
    let third = "G : ((com{2} -> com){1} -> com){1} -> com, d : com |- G(fun h : com{2} -> com . h(d))";
    let all = "run G.run@1 G.1.run@1.1 G.1.1.run@1.1.1 G.1.1.1.run@1.1.1.1 d.run@1 G.1.1.1.run@1.1.1.2 d.run@2
        d.done@1 G.1.1.1.done@1.1.1.1 d.done@2 G.1.1.1.done@1.1.1.2 G.1.1.done@1.1.1 G.1.done@1.1 G.done@1 done";
    assert_eq!(confirmed(third, all), (true, true));
    let places =
        "f : com -> var int%2[4], e : (sem -> int%2) -> com |- e(fun s : sem . { grab(s); f(skip)[3] })";
    let all =
        "run e.run@1 e.1.q@1.1 e.1.1.grab@1.1.1 e.1.1.ok@1.1.1 f[3].read@1 f.1.run@1.1 f.1.done@1.1 f[3].1@1
        e.1.1@1.1 e.done@1 done";
    assert_eq!(confirmed(places, all), (true, true));
    assert!(!confirmed(places, &all.replace("e.1.1@1.1", "e.1.0@1.1")).1);
    // The program is itself a procedure, or a variable.
    let own = "concurrent fun f : com{2} -> com, e : int%2 . f(if e then skip)";
    let all =
        "run 1.run@1 1.1.run@1.1 2.q@1 1.1.run@1.2 2.q@2 2.1@1 1.1.done@1.1 2.0@2 1.1.done@1.2 1.done@1 done";
    assert_eq!(confirmed(own, all), (true, true));
    let variable = "concurrent a : var int%3, b : var int%3, c : bool |- if c then a else b";
    assert_eq!(confirmed(variable, "write(2) c.q@1 c.1@1 a.write(2)@1 a.ok@1 ok"), (true, true));
    assert_eq!(confirmed(variable, "read c.q@1 c.0@1 b.read@1 b.1@1 1"), (true, true));
}

#[test]
fn only_one_of_two_programs_can() {
    let (race, twin) = ("p : com -> int%2 -> com", "concurrent p : com -> int%2 -> com, c : com");
    let with = Sample::new(format!("concurrent {race} |- new int%2 x in p(x := x + 1; x := x - 1, x)"));
    let without = Sample::new(format!("{twin} |- p(skip, if 0 then {{ c; 1 }} else 0)"));
    let moves = play(&with, "run p.run@1 p.1.run@1.1 p.2.q@1.1 p.1.done@1.1 p.2.1@1.1 p.done@1 done");
    let distinction = distinguish(with.subject(), without.subject(), &moves, steps()).expect("it is played");
    assert!(distinction.shown);
    // Both have this one.
    let moves = play(&with, "run p.run@1 p.1.run@1.1 p.2.q@1.1 p.1.done@1.1 p.2.0@1.1 p.done@1 done");
    let distinction = distinguish(with.subject(), without.subject(), &moves, steps()).expect("it is played");
    assert!(!distinction.shown);
}

#[test]
fn environments_bring_about_what_programs_play() {
    environments_bring_about_what_programs_play_among(1500);
}

#[test]
#[ignore = "a long run"]
fn environments_bring_about_what_programs_play_at_length() {
    environments_bring_about_what_programs_play_among(15000);
}

#[test]
fn an_environment_that_tells_ends_only_with_what_is_played() {
    an_environment_that_tells_ends_only_with_what_is_played_among(900);
}

#[test]
#[ignore = "a long run"]
fn an_environment_that_tells_ends_only_with_what_is_played_at_length() {
    an_environment_that_tells_ends_only_with_what_is_played_among(9000);
}
