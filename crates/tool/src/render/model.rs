//! Game models as text, data and pictures: O's moves dashed, P's solid, complete positions filled.

use std::hash::Hash;
use std::io::{Result, Write};

use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::denote::Revealed;
use agon_games::moves::{Label, Move, Player, ThreadMove};

/// A model ready to be written: who plays each letter, nobody where it is hidden, and how it is written.
pub struct Written<'a, L> {
    model: &'a Automaton<L>,
    letters: Vec<(Option<Player>, String)>,
}

impl<L: Clone + Ord + Hash> Written<'_, L> {
    /// How many states the model has.
    pub fn states(&self) -> usize {
        self.model.states()
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
pub fn plain<'a>(model: &'a Automaton<Move>, arena: &Arena) -> Written<'a, Move> {
    Written { model, letters: model.letters.iter().map(|m| visible(m, arena)).collect() }
}

/// A model whose moves have threads, if the program is concurrent.
pub fn threaded<'a>(model: &'a Automaton<ThreadMove>, arena: &Arena) -> Written<'a, ThreadMove> {
    Written { model, letters: model.letters.iter().map(|m| in_thread(m, arena)).collect() }
}

/// A model with its hidden moves, each with the coordinates of the part it is made at.
pub fn revealed<'a>(model: &'a Automaton<Revealed>, arena: &Arena) -> Written<'a, Revealed> {
    let letters = model
        .letters
        .iter()
        .map(|letter| match letter {
            Revealed::Visible(m) => in_thread(m, arena),
            Revealed::Inner(place, said) => (None, format!("{said}{place}")),
            Revealed::Local(cell, said, None) => (None, format!("{cell}.{said}")),
            Revealed::Local(cell, said, Some(by)) => (None, format!("{cell}.{said}{by}")),
        })
        .collect();
    Written { model, letters }
}

fn initial(player: Option<Player>) -> &'static str {
    match player {
        Some(Player::O) => "O",
        Some(Player::P) => "P",
        None => "",
    }
}

/// Every transition, with its source, its letter and its target.
fn transitions<L: Clone + Ord + Hash>(model: &Automaton<L>) -> impl Iterator<Item = (u32, usize, u32)> + '_ {
    (0..model.states() as u32)
        .flat_map(|from| model.edges(from).iter().map(move |(letter, to)| (from, *letter as usize, *to)))
}

fn finals<L>(model: &Automaton<L>) -> impl Iterator<Item = usize> + '_ {
    (0..model.accepting.len()).filter(|state| model.accepting[*state])
}

/// One transition a line.
pub fn text<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
    let width = letters.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    for (from, letter, to) in transitions(model) {
        let (player, text) = &letters[letter];
        let complete = if model.accepting[to as usize] { "  complete" } else { "" };
        writeln!(out, "{from:5}  {:1}  {text:width$}  {to}{complete}", initial(*player))?;
    }
    if model.transitions() == 0 {
        writeln!(out, "There is no complete play.")?;
    }
    Ok(())
}

/// Plays that together pass every transition: depth first from the start, each play ends where it is complete or
/// comes to a position that was passed before [OTF, §5.1].
pub fn plays<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
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
            write!(out, "{}{}", if n == 0 { "" } else { " · " }, letters[*letter].1)?;
        }
        writeln!(out, "{}", if model.accepting[to as usize] { "" } else { " · …" })?;
        count += 1;
        moves.pop();
    }
    writeln!(out, "{count} play{}", if count == 1 { "" } else { "s" })
}

/// The data of the automaton, as the language reference describes it.
pub fn json<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
    let letters: Vec<_> = letters
        .iter()
        .map(|(player, text)| format!("\"{}\",{}", initial(*player), serde_json::Value::from(text.as_str())))
        .collect();
    write!(
        out,
        "{{\"states\":{},\"transitions\":{},\"initial\":{},\"final\":[",
        model.states(),
        model.transitions(),
        model.initial
    )?;
    for (n, state) in finals(model).enumerate() {
        write!(out, "{}{state}", if n == 0 { "" } else { "," })?;
    }
    write!(out, "],\"edges\":[")?;
    for (n, (from, letter, to)) in transitions(model).enumerate() {
        write!(out, "{}\n[{from},{},{to}]", if n == 0 { "" } else { "," }, letters[letter])?;
    }
    writeln!(out, "]}}")
}

/// For Graphviz.
pub fn dot<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
    writeln!(out, "digraph model {{\n  rankdir=LR;\n  node [shape=circle, label=\"\"];")?;
    for state in 0..model.states() {
        let filled = if model.accepting[state] { ", style=filled, fillcolor=black" } else { "" };
        writeln!(out, "  {state} [xlabel=\"{state}\"{filled}];")?;
    }
    for (from, letter, to) in transitions(model) {
        let (player, text) = &letters[letter];
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
pub fn aut<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
    writeln!(out, "des ({},{},{})", model.initial, model.transitions(), model.states())?;
    for (from, letter, to) in transitions(model) {
        writeln!(out, "({from},\"{}\",{to})", letters[letter].1)?;
    }
    Ok(())
}

/// A script that defines the strategy as a CSP process: after a complete play it terminates.
pub fn cspm<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>, name: &str) -> Result<()> {
    let Written { model, letters } = written;
    let mut events: Vec<String> = Vec::new();
    for (_, text) in letters {
        let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut event = format!("m_{plain}");
        while events.contains(&event) {
            event.push('_');
        }
        events.push(event);
    }
    writeln!(out, "-- The complete plays of {name}.")?;
    for (event, (player, text)) in events.iter().zip(letters) {
        writeln!(out, "channel {event} -- {} {text}", initial(*player))?;
    }
    writeln!(out, "MODEL = S({})", model.initial)?;
    for state in 0..model.states() as u32 {
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

/// A picture, drawn here: no other program is needed.
pub fn svg<L: Clone + Ord + Hash>(out: &mut dyn Write, written: &Written<'_, L>) -> Result<()> {
    let Written { model, letters } = written;
    use layout::backends::svg::SVGWriter;
    use layout::core::base::Orientation;
    use layout::core::geometry::Point;
    use layout::core::style::{LineStyleKind, StyleAttr};
    use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
    use layout::topo::layout::VisualGraph;

    let mut graph = VisualGraph::new(Orientation::TopToBottom);
    let mut handles = Vec::new();
    for state in 0..model.states() {
        let mut style = StyleAttr::simple();
        if model.accepting[state] {
            style.fill_color = Some(layout::core::color::Color::fast("black"));
        }
        let shape = ShapeKind::new_circle(if model.accepting[state] { "" } else { "  " });
        let node = Element::create(shape, style, Orientation::TopToBottom, Point::new(24., 24.));
        handles.push(graph.add_node(node));
    }
    // Moves between the same positions share an arrow.
    let mut arrows: std::collections::BTreeMap<(u32, u32, Option<Player>), Vec<&str>> =
        std::collections::BTreeMap::new();
    for (from, letter, to) in transitions(model) {
        let (player, text) = &letters[letter];
        arrows.entry((from, to, *player)).or_default().push(text);
    }
    for ((from, to, player), texts) in arrows {
        let style = match player {
            Some(Player::O) => LineStyleKind::Dashed,
            Some(Player::P) => LineStyleKind::Normal,
            None => LineStyleKind::Dotted,
        };
        let look = StyleAttr::simple();
        let label = texts.join(", ");
        let arrow = Arrow::new(LineEndKind::None, LineEndKind::Arrow, style, &label, &look, &None, &None);
        graph.add_edge(arrow, handles[from as usize], handles[to as usize]);
    }
    let mut writer = SVGWriter::new();
    graph.do_it(false, false, false, &mut writer);
    // A rim around the letters keeps them readable where they stand on a line.
    let rim =
        "<style>\ntext { paint-order: stroke; stroke: white; stroke-width: 5px; stroke-linejoin: round; }";
    out.write_all(writer.finalize().replacen("<style>", rim, 1).as_bytes())
}
