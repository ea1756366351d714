//! Game models as text, data and pictures. In pictures O's moves are dashed, P's solid, complete positions filled.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use agon_base::id::number;
use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::denote::Revealed;
use agon_games::moves::{Label, Move, Player, ThreadMove};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::shape::{self, Version, play};

/// A model whose letters are text: the player of each letter, none if it is hidden, and its notation.
pub struct Written(Automaton<Letter>);

type Letter = (Option<Player>, String);

impl Written {
    /// How many states the model has.
    pub fn states(&self) -> usize {
        self.0.states()
    }

    /// How many transitions it has.
    pub fn transitions(&self) -> usize {
        self.0.transitions()
    }

    /// The state in which plays start.
    pub fn initial(&self) -> u32 {
        self.0.initial
    }

    /// Whether plays are complete in a state.
    pub fn is_final(&self, state: u32) -> bool {
        self.0.accepting[state as usize]
    }

    /// The transitions from a state: player, move, target.
    pub fn moves(&self, state: u32) -> impl Iterator<Item = (play::Player, &str, u32)> + '_ {
        self.0.edges(state).iter().map(|(letter, to)| {
            let (player, text) = &self.0.letters[*letter as usize];
            (player.map_or(play::Player::Hidden, Into::into), text.as_str(), *to)
        })
    }
}

fn visible(m: &Move, arena: &Arena) -> (Option<Player>, String) {
    let player = if m.label == Label::Abort { Player::P } else { arena.player(m) };
    (Some(player), arena.show(m))
}

fn in_thread(m: &ThreadMove, arena: &Arena) -> (Option<Player>, String) {
    (visible(&m.m, arena).0, arena.show_threaded(m))
}

/// A game model.
pub fn plain(model: Automaton<Move>, arena: &Arena) -> Written {
    Written(model.spelt(|m| visible(m, arena)))
}

/// An automaton whose letters are text already.
pub fn lettered(model: Automaton<(Player, String)>) -> Written {
    Written(model.spelt(|(player, text)| (Some(*player), text.clone())))
}

/// A model whose moves have threads, if the program is concurrent.
pub fn threaded(model: Automaton<ThreadMove>, arena: &Arena) -> Written {
    Written(model.spelt(|m| in_thread(m, arena)))
}

/// A model with its hidden moves, each with the coordinates of its part.
pub fn revealed(model: Automaton<Revealed>, arena: &Arena) -> Written {
    Written(model.spelt(|letter| match letter {
        Revealed::Visible(m) => in_thread(m, arena),
        Revealed::Inner(place, said) => (None, format!("{said}{place}")),
        Revealed::Local(cell, said, None) => (None, format!("{cell}.{said}")),
        Revealed::Local(cell, said, Some(by)) => (None, format!("{cell}.{said}{by}")),
    }))
}

fn initial(player: Option<Player>) -> &'static str {
    match player {
        Some(Player::O) => "O",
        Some(Player::P) => "P",
        None => "",
    }
}

/// Every transition, with its source, its letter and its target.
fn transitions(model: &Automaton<Letter>) -> impl Iterator<Item = (u32, &Letter, u32)> + '_ {
    let from =
        move |from| model.edges(from).iter().map(move |(n, to)| (from, &model.letters[*n as usize], *to));
    (0..number(model.states())).flat_map(from)
}

/// One line for each transition.
pub fn text(out: &mut dyn Write, Written(model): &Written) -> Result<()> {
    let width = model.letters.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    for (from, (player, text), to) in transitions(model) {
        let complete = if model.accepting[to as usize] { "  complete" } else { "" };
        writeln!(out, "{from:5}  {:1}  {text:width$}  {to}{complete}", initial(*player))?;
    }
    if model.transitions() == 0 {
        writeln!(out, "There is no complete play.")?;
    }
    Ok(())
}

/// Plays that together cover every transition, depth first. Each play ends where it is complete or reaches a position
/// that was visited before [OTF, §5.1].
pub fn plays(out: &mut dyn Write, Written(model): &Written) -> Result<()> {
    let mut passed = vec![false; model.states()];
    passed[model.initial as usize] = true;
    let mut count = 0u64;
    // The path, with the next edge of each position on it.
    let mut path: Vec<(u32, usize)> = vec![(model.initial, 0)];
    let mut moves: Vec<usize> = Vec::new();
    while let Some((state, next)) = path.last_mut() {
        let Some((letter, to)) = model.edges(*state).get(*next).copied() else {
            path.pop();
            moves.pop();
            continue;
        };
        *next += 1;
        moves.push(letter as usize);
        if !std::mem::replace(&mut passed[to as usize], true) && !model.accepting[to as usize] {
            path.push((to, 0));
            continue;
        }
        for (n, letter) in moves.iter().enumerate() {
            write!(out, "{}{}", if n == 0 { "" } else { " · " }, model.letters[*letter].1)?;
        }
        writeln!(out, "{}", if model.accepting[to as usize] { "" } else { " · …" })?;
        count += 1;
        moves.pop();
    }
    writeln!(out, "{count} play{}", if count == 1 { "" } else { "s" })
}

/// The data of the automaton.
pub fn json(out: &mut dyn Write, written: &Written) -> Result<()> {
    let Written(model) = written;
    let data = shape::model::Model {
        version: Version,
        states: model.states(),
        transitions: model.transitions(),
        initial: model.initial,
        complete: (0..number(model.states())).filter(|state| written.is_final(*state)).collect(),
        edges: Edges(written),
    };
    data.serialize(&mut Serializer::with_formatter(&mut *out, EdgeALine { depth: 0 }))?;
    writeln!(out)
}

/// The transitions of a model. They are serialised one by one, since there may be too many to copy.
struct Edges<'a>(&'a Written);

impl Serialize for Edges<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Edges(model) = self;
        let from = |from| model.moves(from).map(move |(player, text, to)| (from, player, text, to));
        serializer.collect_seq((0..number(model.states())).flat_map(from))
    }
}

/// Writes each list within a list on a line of its own.
struct EdgeALine {
    /// How many lists are open.
    depth: usize,
}

impl Formatter for EdgeALine {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        writer.write_all(if self.depth == 2 { b"\n[" } else { b"[" })
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }
}

/// For Graphviz.
pub fn dot(out: &mut dyn Write, Written(model): &Written) -> Result<()> {
    writeln!(out, "digraph model {{\n  rankdir=LR;\n  node [shape=circle, label=\"\"];")?;
    for state in 0..model.states() {
        let filled = if model.accepting[state] { ", style=filled, fillcolor=black" } else { "" };
        writeln!(out, "  {state} [xlabel=\"{state}\"{filled}];")?;
    }
    for (from, (player, text), to) in transitions(model) {
        let style = match player {
            Some(Player::O) => "dashed",
            Some(Player::P) => "solid",
            None => "dotted",
        };
        writeln!(out, "  {from} -> {to} [label=\"{text}\", style={style}];")?;
    }
    writeln!(out, "}}")
}

/// Aldebaran. The format has no accepting states; a play is complete where nothing follows.
pub fn aut(out: &mut dyn Write, Written(model): &Written) -> Result<()> {
    writeln!(out, "des ({},{},{})", model.initial, model.transitions(), model.states())?;
    for (from, (_, text), to) in transitions(model) {
        writeln!(out, "({from},\"{text}\",{to})")?;
    }
    Ok(())
}

/// A script that defines the strategy as a CSP process: after a complete play it terminates.
pub fn cspm(out: &mut dyn Write, Written(model): &Written, name: &str) -> Result<()> {
    let mut events: Vec<String> = Vec::new();
    for (_, text) in &model.letters {
        let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut event = format!("m_{plain}");
        while events.contains(&event) {
            event.push('_');
        }
        events.push(event);
    }
    writeln!(out, "-- The complete plays of {name}.")?;
    for (event, (player, text)) in events.iter().zip(&model.letters) {
        writeln!(out, "channel {event} -- {} {text}", initial(*player))?;
    }
    writeln!(out, "MODEL = S({})", model.initial)?;
    for state in 0..number(model.states()) {
        let mut branches: Vec<String> = model
            .edges(state)
            .iter()
            .map(|(letter, to)| format!("{} -> S({to})", events[*letter as usize]))
            .collect();
        if model.accepting[state as usize] {
            branches.push("SKIP".into());
        }
        if branches.is_empty() {
            branches.push("STOP".into());
        }
        writeln!(out, "S({state}) = {}", branches.join("\n  [] "))?;
    }
    Ok(())
}

/// A picture, drawn without an external program.
pub fn svg(out: &mut dyn Write, Written(model): &Written) -> Result<()> {
    // Transitions between the same positions share an arrow.
    let mut arrows: BTreeMap<(usize, usize, Look), Vec<&str>> = BTreeMap::new();
    for (from, (player, text), to) in transitions(model) {
        let look = match player {
            Some(Player::O) => Look::Dashed,
            Some(Player::P) => Look::Solid,
            None => Look::Dotted,
        };
        arrows.entry((from as usize, to as usize, look)).or_default().push(text);
    }
    let arrows = arrows.into_iter().map(|((from, to, look), texts)| (from, to, look, texts.join(", ")));
    let nodes = model.accepting.iter().map(|accepting| match accepting {
        true => Node::Filled,
        false => Node::Empty,
    });
    picture(out, nodes, arrows)
}

/// A state in a picture.
pub(super) enum Node {
    /// A small circle.
    Empty,
    /// A small circle that is filled.
    Filled,
    /// A box with a text.
    Box(String),
}

/// How an arrow is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Look {
    Dotted,
    Dashed,
    Solid,
}

/// Draws states, and arrows with texts between them.
pub(super) fn picture(
    out: &mut dyn Write,
    nodes: impl Iterator<Item = Node>,
    arrows: impl Iterator<Item = (usize, usize, Look, String)>,
) -> Result<()> {
    use layout::backends::svg::SVGWriter;
    use layout::core::base::Orientation;
    use layout::core::geometry::Point;
    use layout::core::style::{LineStyleKind, StyleAttr};
    use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
    use layout::topo::layout::VisualGraph;

    let mut graph = VisualGraph::new(Orientation::TopToBottom);
    let mut handles = Vec::new();
    for node in nodes {
        let mut style = StyleAttr::simple();
        let (shape, size) = match node {
            Node::Empty => (ShapeKind::new_circle("  "), Point::new(24., 24.)),
            Node::Filled => {
                style.fill_color = Some(layout::core::color::Color::fast("black"));
                (ShapeKind::new_circle(""), Point::new(24., 24.))
            }
            Node::Box(text) => {
                let (lines, widest) =
                    text.lines().fold((0, 0), |(n, widest), line| (n + 1, widest.max(line.chars().count())));
                let size = Point::new(16. + 9. * widest as f64, 12. + 20. * f64::from(lines));
                (ShapeKind::new_box(&text), size)
            }
        };
        let node = Element::create(shape, style, Orientation::TopToBottom, size);
        handles.push(graph.add_node(node));
    }
    for (from, to, look, label) in arrows {
        let style = match look {
            Look::Dashed => LineStyleKind::Dashed,
            Look::Solid => LineStyleKind::Normal,
            Look::Dotted => LineStyleKind::Dotted,
        };
        let plain = StyleAttr::simple();
        let arrow = Arrow::new(LineEndKind::None, LineEndKind::Arrow, style, &label, &plain, &None, &None);
        graph.add_edge(arrow, handles[from], handles[to]);
    }
    let mut writer = SVGWriter::new();
    graph.do_it(false, false, false, &mut writer);
    // A white outline keeps the letters readable on top of a line.
    let rim =
        "<style>\ntext { paint-order: stroke; stroke: white; stroke-width: 5px; stroke-linejoin: round; }";
    out.write_all(writer.finalize().replacen("<style>", rim, 1).as_bytes())
}
