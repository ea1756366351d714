//! Playing against a concurrent program: both players may move at any time, and the user decides who does.
//!
//! Silent steps need no decision. The play is walked over all positions that its moves may have led to, so whatever
//! some run of the program's threads could do next is on the list.

use std::cell::Cell;
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Instant;

use agon_check::verdict::Reason;
use agon_games::arena::Arena;
use agon_games::machine::{Halt, Strands};
use agon_games::moves::{Label, Player, ThreadMove};
use agon_games::play::Play;
use agon_games::whereabouts::{Ahead, Enough, Whereabouts};

use super::{Typed, User, ends, refused, say, take_back, tell};
use crate::cli::limits::budget;
use crate::cli::{Common, Status};
use crate::session::Session;

/// The memory for the positions of a play, in bytes, if nobody says otherwise. Whoever plays does not wait for more.
const MEMORY: usize = 1 << 28;

/// Moves of one player that differ in their data only.
struct Family {
    player: Player,
    moves: Vec<(ThreadMove, Ahead)>,
}

/// Where a play stands.
#[derive(Clone)]
struct Point {
    here: Whereabouts,
    /// P's moves, those first that have waited longest.
    waiting: Vec<ThreadMove>,
    /// How many moves were made.
    made: usize,
}

/// What the user decided.
enum Choice {
    Undo,
    Play(ThreadMove, Ahead),
}

pub(super) fn run(session: &Session, mut strands: Strands, mut user: User, common: &Common) -> Status {
    say(
        "You are the environment, O; and since a concurrent program may move whenever it can, you also decide when it \
         does.\nChoose a move by its number, or write it; an empty line, or `wait`, lets P make the first of its moves; \
         `undo` takes\nthe last choice back, `quit` ends the play.\n",
    );
    let mut play = Play::default();
    let mut before: Vec<Point> = Vec::new();
    let start = follow(common, |enough| Whereabouts::start(&mut strands, enough));
    let mut at = match start {
        Ok(here) => Point { here, waiting: Vec::new(), made: 0 },
        Err(reason) => return refused(session, &reason),
    };
    loop {
        let families = families(&session.arena, &at);
        let choice = match &families[..] {
            [] => {
                return ends(
                    "Nobody can move any more: the program waits, or runs on, for ever; the play is not complete.",
                );
            }
            // Nobody else can move, so there is nothing to decide.
            [Family { player: Player::P, moves }] if moves.len() == 1 => {
                Some(Choice::Play(moves[0].0.clone(), moves[0].1.clone()))
            }
            _ => {
                say(&list(session, &families));
                decide(session, &families, !before.is_empty(), &mut user).inspect(|choice| match choice {
                    Choice::Undo => {}
                    Choice::Play(..) => before.push(at.clone()),
                })
            }
        };
        match choice {
            None => return ends("The play ends here."),
            Some(Choice::Undo) => {
                at = before.pop().unwrap_or(at);
                take_back(&mut play, at.made);
            }
            Some(Choice::Play(m, ahead)) => {
                play.push_threaded(m, ahead.span);
                tell(session, &play);
                if ahead.is_complete() {
                    return ends("The play is complete.");
                }
                match follow(common, |enough| Whereabouts::after(&ahead, &mut strands, enough)) {
                    Ok(here) => at = at.then(here, &session.arena),
                    Err(reason) => return refused(session, &reason),
                }
            }
        }
    }
}

impl Point {
    /// After a move: those of P's that are still possible keep their places, new ones come behind them.
    fn then(mut self, here: Whereabouts, arena: &Arena) -> Point {
        self.waiting.retain(|m| here.moves.contains_key(m));
        for m in here.moves.keys().filter(|m| player(arena, m) == Player::P) {
            if !self.waiting.contains(m) {
                self.waiting.push(m.clone());
            }
        }
        Point { here, made: self.made + 1, ..self }
    }
}

fn player(arena: &Arena, m: &ThreadMove) -> Player {
    if m.m.label == Label::Abort { Player::P } else { arena.player(&m.m) }
}

/// What can be played: O's moves, questions first, and P's, each by itself.
fn families(arena: &Arena, at: &Point) -> Vec<Family> {
    let mut moves: Vec<(ThreadMove, Ahead)> = (at.here.moves.iter())
        .filter(|(m, _)| player(arena, m) == Player::O)
        .map(|(m, ahead)| (m.clone(), ahead.clone()))
        .collect();
    let kind = |m: &ThreadMove| (m.m.component, discriminant(&m.m.label), m.threads.clone());
    moves.sort_by_key(|(m, _)| (!m.m.label.is_question(), m.m.component, m.threads.clone()));
    let mut families: Vec<Family> = Vec::new();
    for (m, ahead) in moves {
        match families.iter_mut().find(|family| kind(&family.moves[0].0) == kind(&m)) {
            Some(family) => family.moves.push((m, ahead)),
            None => families.push(Family { player: Player::O, moves: vec![(m, ahead)] }),
        }
    }
    for m in &at.waiting {
        families.push(Family { player: Player::P, moves: vec![(m.clone(), at.here.moves[m].clone())] });
    }
    families
}

/// All that can be played, numbered.
fn list(session: &Session, families: &[Family]) -> String {
    let mut text = String::new();
    for (n, Family { player, moves }) in families.iter().enumerate() {
        let show = |(m, _): &(ThreadMove, Ahead)| session.arena.show_threaded(m);
        let shown = match &moves[..] {
            [first, .., last] => format!("{} … {}", show(first), show(last)),
            [one] => show(one),
            [] => continue,
        };
        let place = moves[0].1.span.filter(|_| *player == Player::P).map_or(String::new(), |span| {
            let (line, column) = session.source.line_column(span.start);
            format!("   ({line}:{column})")
        });
        text += &format!("  {}  {player:?}  {shown}{place}\n", n + 1);
    }
    text
}

/// Asks the user until there is a choice; none, to end the play.
fn decide(session: &Session, families: &[Family], made: bool, user: &mut User) -> Option<Choice> {
    loop {
        let why = match user.types() {
            Typed::Quit => return None,
            Typed::Undo if made => return Some(Choice::Undo),
            Typed::Undo => "There is nothing to take back.".into(),
            Typed::Nothing => match wait(families) {
                Ok(choice) => return Some(choice),
                Err(why) => why,
            },
            Typed::Text(text) if text == "wait" => match wait(families) {
                Ok(choice) => return Some(choice),
                Err(why) => why,
            },
            Typed::Text(text) => match chosen(session, families, &text) {
                Ok(choice) => return Some(choice),
                Err(why) => why,
            },
        };
        say(&format!("{why}\n"));
    }
}

/// P makes the move that has waited longest.
fn wait(families: &[Family]) -> Result<Choice, String> {
    let first = families.iter().find(|family| family.player == Player::P);
    let (m, ahead) = &first.ok_or("P waits for you: it has no move.")?.moves[0];
    Ok(Choice::Play(m.clone(), ahead.clone()))
}

fn chosen(session: &Session, families: &[Family], line: &str) -> Result<Choice, String> {
    if let Ok(number) = line.parse::<usize>()
        && (1..=families.len()).contains(&number)
    {
        return match &families[number - 1].moves[..] {
            [(m, ahead)] => Ok(Choice::Play(m.clone(), ahead.clone())),
            _ => Err("There are several such moves: write the one you mean.".into()),
        };
    }
    let number = line.parse::<i64>().is_ok();
    let wanted = session.arena.parse_threaded(line).map_err(|why| match number {
        true => format!("There is no move {line} here; there are {}.", families.len()),
        false => format!("That is no move: {why}."),
    })?;
    let all = families.iter().flat_map(|family| &family.moves);
    let fits: Vec<_> = all
        .filter(|(m, _)| m.m == wanted.m && (wanted.threads.is_empty() || m.threads == wanted.threads))
        .collect();
    match fits[..] {
        [] => Err(format!("`{line}` cannot be played here.")),
        [(m, ahead)] => Ok(Choice::Play(m.clone(), ahead.clone())),
        _ => {
            let shown: Vec<_> =
                fits.iter().map(|(m, _)| format!("`{}`", session.arena.show_threaded(m))).collect();
            Err(format!("Write which one you mean: {}.", shown.join(", ")))
        }
    }
}

/// Follows silent steps within the limits; the limits are those of a single move.
fn follow(
    common: &Common,
    steps: impl FnOnce(Enough<'_>) -> Result<Whereabouts, Halt>,
) -> Result<Whereabouts, Reason> {
    let mut budget = budget(common, Instant::now(), &Arc::default());
    if common.memory_limit.is_none() {
        budget.memory = Some(MEMORY);
    }
    let ran_out = Cell::new(None);
    let enough = |memory| {
        ran_out.set(budget.exceeded(memory));
        ran_out.get().is_some()
    };
    steps(&enough).map_err(|why| match why {
        Halt::Unbounded(component) => Reason::Unbounded(component),
        Halt::Interrupted(why) => Reason::Limit(ran_out.get().unwrap_or_else(|| budget.stopped(why))),
    })
}
