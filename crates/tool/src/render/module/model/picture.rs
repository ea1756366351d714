//! Pictures of the models of modules: a box for each store and for each activation that waits, in components.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Result, Write};

use agon_base::id::number;
use agon_base::intern::Interner;
use agon_check::modules::model::{ActivationId, Reply, StoreId};
use agon_core::module::Function;

use super::{Component, MOST_VALUES, Spelt, known};
use crate::render::model::{Look, Node, picture};
use crate::shape::model::{Boxes, Graph};
use crate::shape::play::Player;

impl Spelt<'_> {
    /// All states: stores, and activations that wait at stores.
    pub fn states(&self) -> usize {
        self.picture().nodes.len()
    }

    /// The model as a picture, without a layout.
    fn picture(&self) -> Picture {
        let mut picture = Picture::default();
        for (n, store) in self.model.stores.iter().enumerate() {
            let cells = known(&store.cells).replace(", ", "\n");
            picture.node(None, State::Store(StoreId::new(n)), format!("{n}\n{cells}").trim_end().into());
        }
        for edge in &self.model.edges {
            let component = self.component(edge);
            let from = match edge.waits {
                None => State::Store(edge.store),
                Some(id) => State::Waits(id, edge.store),
            };
            let (to, below) = match &edge.reply {
                Reply::Moves(_, opens, store) => match opens.split_last() {
                    Some((last, below)) => (State::Waits(*last, *store), below),
                    None => (State::Store(*store), &[][..]),
                },
                Reply::Ends(_, store) => (State::Over(component, self.reply(edge), Some(*store)), &[][..]),
                Reply::Stops(_) | Reply::Diverges => {
                    (State::Over(component, self.reply(edge), None), &[][..])
                }
            };
            let mut reply = self.reply(edge);
            for id in below {
                let _ = write!(reply, ", {} waits", self.name(*id));
            }
            let (from, to) = (self.add(&mut picture, &from), self.add(&mut picture, &to));
            let arrow = picture.arrows.entry((from, to, Look::Solid)).or_default();
            arrow.entry(reply).or_default().push(self.given(edge));
        }
        // While the environment is called, its turn goes on, if it may call.
        for n in 0..picture.nodes.len() {
            let State::Waits(id, store) = *picture.states.get(number(n)) else { continue };
            if self.goes_on(id) {
                let turn = self.add(&mut picture, &State::Store(store));
                picture.arrows.entry((n, turn, Look::Dotted)).or_default();
            }
        }
        picture
    }

    /// Whether the environment may call while an activation waits.
    fn goes_on(&self, id: ActivationId) -> bool {
        let module = self.session.module();
        let function = self.model.activations[id.index()].waits_for;
        !matches!(function, Function::Procedure(_)) && module.allows_calls(module.allowed(Some(function)))
    }

    /// The number of a state in a picture.
    fn add(&self, picture: &mut Picture, state: &State) -> usize {
        let (component, label) = match state {
            State::Store(store) => (None, store.0.to_string()),
            State::Waits(id, store) => {
                let activation = &self.model.activations[id.index()];
                let function = self.session.module().show_function(activation.waits_for);
                let component = Some((activation.procedure, activation.inner));
                (component, format!("{} at {}\nin {function}", self.name(*id), store.0))
            }
            State::Over(component, words, None) => (*component, words.clone()),
            State::Over(component, words, Some(store)) => (*component, format!("{words}\nat {}", store.0)),
        };
        picture.node(component, state.clone(), label)
    }

    /// The model as the workbench draws it.
    pub fn graph(&self) -> Graph {
        let picture = self.picture();
        let arrows = picture.arrows.iter().flat_map(|((from, to, look), labels)| {
            let (from, to) = (number(*from), number(*to));
            let hidden = (*look == Look::Dotted).then(|| (from, Player::Hidden, String::new(), to));
            hidden.into_iter().chain(joined(labels).into_iter().map(move |text| (from, Player::P, text, to)))
        });
        let components = picture.clusters.iter().map(|(component, states)| {
            (self.title(*component), states.iter().map(|state| number(*state)).collect())
        });
        Graph {
            states: picture.nodes.len(),
            transitions: self.model.edges.len(),
            initial: 0,
            complete: Vec::new(),
            edges: arrows.collect(),
            shown: (0..number(picture.nodes.len())).collect(),
            whole: true,
            hidden: None,
            plays: None,
            boxes: Some(Boxes { components: components.collect(), texts: picture.nodes.clone() }),
        }
    }

    /// For Graphviz, with a cluster for each component.
    pub fn dot(&self, out: &mut dyn Write) -> Result<()> {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let picture = self.picture();
        writeln!(out, "digraph model {{\n  rankdir=LR;\n  node [shape=box, style=rounded];")?;
        for (n, (component, states)) in picture.clusters.iter().enumerate() {
            writeln!(out, "  subgraph cluster_{n} {{\n    label=\"{}\";", quoted(&self.title(*component)))?;
            for state in states {
                writeln!(out, "    {state} [label=\"{}\"];", quoted(&picture.nodes[*state]))?;
            }
            writeln!(out, "  }}")?;
        }
        for ((from, to, look), labels) in &picture.arrows {
            let style = if *look == Look::Dotted { "dotted" } else { "solid" };
            let label = quoted(&joined(labels).join("\n"));
            writeln!(out, "  {from} -> {to} [label=\"{label}\", style={style}];")?;
        }
        writeln!(out, "}}")
    }

    /// A picture, drawn without an external program.
    pub fn svg(&self, out: &mut dyn Write) -> Result<()> {
        let drawn = self.picture();
        let arrows = drawn.arrows.iter();
        let arrows = arrows.map(|((from, to, look), labels)| (*from, *to, *look, joined(labels).join(", ")));
        picture(out, drawn.nodes.iter().map(|label| Node::Box(label.clone())), arrows)
    }
}

/// For each reply, what leads to it.
type Labels = BTreeMap<String, Vec<String>>;

/// The texts of an arrow.
fn joined(labels: &Labels) -> Vec<String> {
    let label = |(reply, given): (&String, &Vec<String>)| {
        let shown = given.iter().take(MOST_VALUES).map(String::as_str);
        let more = (given.len() > MOST_VALUES).then_some("…");
        format!("{} · {reply}", shown.chain(more).collect::<Vec<_>>().join(", "))
    };
    labels.iter().map(label).collect()
}

/// What a picture has a box for.
#[derive(Clone, PartialEq, Eq, Hash)]
enum State {
    /// The environment is to move, at a store.
    Store(StoreId),
    /// An activation waits, at a store.
    Waits(ActivationId, StoreId),
    /// An activation of a component is over, in these words.
    Over(Component, String, Option<StoreId>),
}

/// Boxes and arrows.
#[derive(Default)]
struct Picture {
    states: Interner<State>,
    /// The texts of the boxes.
    nodes: Vec<String>,
    /// The boxes of each component.
    clusters: Vec<(Component, Vec<usize>)>,
    /// The texts of the arrows: for each reply, what leads to it.
    arrows: BTreeMap<(usize, usize, Look), Labels>,
}

impl Picture {
    fn node(&mut self, component: Component, state: State, label: String) -> usize {
        let (id, new) = self.states.insert(state);
        let id = id as usize;
        if new {
            self.nodes.push(label);
            match self.clusters.iter_mut().find(|(known, _)| *known == component) {
                Some((_, states)) => states.push(id),
                None => self.clusters.push((component, vec![id])),
            }
        }
        id
    }
}
