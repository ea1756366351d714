//! The places of the moves of sequential plays are those that the concurrent machine gives for the same play.

use agon::play_session::{Outcome, PlaySession};
use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_base::source::Source;
use agon_check::verdict::Reason;
use agon_games::moves::{Label, Player};
use agon_games::play::Play;
use agon_ia::sample::sequential;

use threaded::threaded;

mod threaded;

/// The budget for a random program.
fn budget() -> Budget {
    Budget { memory: Some(1 << 28), ..Budget::default() }
}

fn open(text: &str) -> Option<Session> {
    Session::open(Source::new("places", text), vec![]).ok()
}

/// A random play of a sequential program, of limited length.
fn random_play(session: &Session, random: &mut Random, most: usize) -> Option<Play> {
    let Ok(PlaySession::Sequential(mut game)) = PlaySession::start(session, &budget()) else { return None };
    while game.play.moves.len() < most {
        let offers = game.offers();
        let n = random.below(offers.len());
        let last = usize::try_from(offers[n].last.unwrap_or(3)).unwrap_or(usize::MAX).min(7);
        match game.make(n, random.below(last + 1) as u64, &budget()) {
            Ok(Outcome::GoesOn) => {}
            Ok(Outcome::Complete) => break,
            // P does not answer.
            Ok(Outcome::Diverges) | Err(_) => return None,
        }
    }
    Some(game.play.clone())
}

/// The same play in the concurrent machine.
fn threaded_play(session: &Session, play: &Play) -> Option<Play> {
    let Ok(PlaySession::Concurrent(mut game)) = PlaySession::start(session, &budget()) else { return None };
    for m in threaded(&session.arena, &play.moves) {
        match game.make_written(&session.arena.show_threaded(&m), &budget()) {
            Ok(Ok(_)) => {}
            Err(Reason::NoEngine { .. } | Reason::Stop(_)) => {
                return None;
            }
            Ok(Err(why)) => panic!("{}: {why}", session.source.text),
            Err(why) => panic!("{}: {why:?}", session.source.text),
        }
    }
    Some(game.play.clone())
}

/// Each move with the text at its place.
fn placed(session: &Session, play: &Play) -> Vec<String> {
    let text = |span: &agon_base::source::Span| {
        let (line, column) = session.source.line_column(span.start);
        format!("{line}:{column} `{}`", session.source.excerpt(*span))
    };
    let one = |(m, span): (_, &Option<_>)| {
        format!("{} {}", session.arena.show(m), span.as_ref().map_or(String::new(), text))
    };
    play.moves.iter().zip(&play.spans).map(one).collect()
}

/// The places of a play of a sequential program.
#[track_caller]
fn places(text: &str, moves: &[&str], wanted: &[&str]) {
    let session = open(text).expect("the program is well-typed");
    let Ok(mut game) = PlaySession::start(&session, &budget()) else { panic!("the program can be played") };
    for m in moves {
        let m = session.arena.parse(m).expect("it is a move");
        if session.arena.player(&m) == Player::O {
            assert!(game.make(&session.arena.show(&m), &budget()).is_ok());
        }
    }
    assert_eq!(placed(&session, game.play()), wanted);
}

#[test]
fn an_answer_has_the_place_of_its_question_after_nested_calls() {
    places(
        "f : com -> com, g : com |- new bool x in f({ g; x := true }); assert(not x)",
        &["run", "f.run", "f.1.run", "g.run", "g.done", "f.1.done", "f.done", "abort"],
        &[
            "run ",
            "f.run 1:42 `f({ g; x := true })`",
            "f.1.run 1:46 `g; x := true`",
            "g.run 1:46 `g`",
            "g.done 1:46 `g`",
            "f.1.done 1:49 `x := true`",
            "f.done 1:42 `f({ g; x := true })`",
            "abort 1:63 `assert(not x)`",
        ],
    );
    // A jump leaves the call of `g`; its question stays unanswered.
    places(
        "f : com -> com, g : com -> com |- f(break out . g(goto out)); f(skip)",
        &["run", "f.run", "f.1.run", "g.run", "g.1.run", "f.1.done", "f.done", "f.run"],
        &[
            "run ",
            "f.run 1:35 `f(break out . g(goto out))`",
            "f.1.run 1:37 `break out . g(goto out)`",
            "g.run 1:49 `g(goto out)`",
            "g.1.run 1:51 `goto out`",
            "f.1.done 1:37 `break out . g(goto out)`",
            "f.done 1:35 `f(break out . g(goto out))`",
            "f.run 1:63 `f`",
        ],
    );
}

#[test]
fn sequential_plays_have_the_places_that_the_concurrent_machine_gives() {
    let mut random = Random::new(15);
    let (mut moves, mut nested) = (0, 0);
    for seed in 0..600 {
        let text = sequential(seed, 5 + seed as usize % 20);
        let Some(session) = open(&text) else { panic!("{text}") };
        // Jumps that leave their thread make it ill-typed.
        let Some(other) = open(&format!("concurrent {text}")) else { continue };
        let Some(play) = random_play(&session, &mut random, 40) else { continue };
        let Some(threaded) = threaded_play(&other, &play) else { continue };
        let shift = |span: &Option<agon_base::source::Span>| {
            span.map(|span| (span.start - "concurrent ".len() as u32, span.end - "concurrent ".len() as u32))
        };
        let own: Vec<_> = play.spans.iter().map(|span| span.map(|span| (span.start, span.end))).collect();
        let others: Vec<_> = threaded.spans.iter().map(shift).collect();
        // The last step of a thread may have no term; then the concurrent machine gives the place of the question.
        let by_p = |n: usize| {
            let m = &play.moves[n];
            !m.label.is_question() && m.label != Label::Abort && session.arena.player(m) == Player::P
        };
        let own: Vec<_> = (own.into_iter().zip(&others).enumerate())
            .map(|(n, pair)| match pair {
                (_, None) if by_p(n) => None,
                (Some(own), Some(other)) if by_p(n) && other.0 <= own.0 && own.1 <= other.1 => Some(*other),
                (own, _) => own,
            })
            .collect();
        assert_eq!(
            own,
            others,
            "seed {seed}: {text}\n{:#?}\n{:#?}",
            placed(&session, &play),
            placed(&other, &threaded)
        );
        moves += play.moves.len();
        nested += play
            .moves
            .windows(2)
            .filter(|pair| {
                let below = |n: usize| session.arena.component(pair[n].component).parent;
                !pair[0].label.is_question() && below(0) == Some(pair[1].component) && below(1).is_none()
            })
            .count();
    }
    assert!(moves > 2_000 && nested > 100, "{moves} moves, {nested} answers after an argument was used");
}
