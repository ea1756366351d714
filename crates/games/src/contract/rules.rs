//! The rules of the part's game: which letters may follow each other [AG, §3, §4].

use agon_core::types::Type;

use super::{Interface, Letter, Said, indices, whole};
use crate::arena::{ComponentId, OWN};
use crate::interval::Interval;
use crate::moves::{Label, Move, Player};
use crate::sites::{SiteId, Sites};

/// The rules, for the current partitions.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Where the games are one.
    pub interface: &'a Interface,
    /// The data of the rest.
    pub rest: &'a Sites,
    /// The data of the part.
    pub part: &'a Sites,
    /// How deeply calls may be nested in arguments of calls.
    pub depth: usize,
    /// Whether the part may bring the target about by itself.
    pub hits: bool,
}

/// The questions that wait, outermost first. A part that was left, or is done, starts over.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    open: Vec<(ComponentId, Question)>,
    /// Nothing follows.
    over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Question {
    Run,
    Ask,
    Read,
    Write,
}

/// What the part says when it brings the target about: nothing follows.
pub fn hit() -> Said {
    Move { component: OWN, element: None, label: Label::Abort }
}

impl Rules<'_> {
    /// The letters that may follow.
    pub fn letters(&self, position: &Position) -> Vec<Letter> {
        let mut letters = Vec::new();
        for o in self.of_o(position) {
            let mut after = position.clone();
            self.play(&mut after, Player::O, &o);
            letters.extend(self.of_p(&after).into_iter().map(|p| Letter { o: o.clone(), p }));
        }
        letters
    }

    /// The position after a letter that may follow.
    pub fn after(&self, position: &Position, letter: &Letter) -> Position {
        let mut after = position.clone();
        self.play(&mut after, Player::O, &letter.o);
        self.play(&mut after, Player::P, &letter.p);
        after
    }

    /// How deeply calls are nested in arguments of calls.
    pub fn nested(&self, position: &Position) -> usize {
        let calls = position.open.iter().filter(|(id, _)| self.is_call(*id));
        calls.count()
    }

    fn is_call(&self, component: ComponentId) -> bool {
        let component = self.interface.part.component(component);
        component.asker == Player::P && !component.arguments.is_empty()
    }

    fn of_o(&self, position: &Position) -> Vec<Said> {
        if position.over {
            return Vec::new();
        }
        let arena = &self.interface.part;
        let Some((top, question)) = position.open.last() else { return self.questions(OWN) };
        let mut moves = self.answers(*top, *question);
        for argument in &arena.component(*top).arguments {
            moves.extend(self.questions(*argument));
        }
        if self.interface.rest_jumps && self.interface.outside(*top).is_some() {
            moves.extend(self.questions(OWN));
        }
        moves
    }

    fn of_p(&self, position: &Position) -> Vec<Said> {
        let arena = &self.interface.part;
        let mut moves = Vec::new();
        let waiting = position.open.iter().rev().filter(|(id, _)| arena.component(*id).asker == Player::O);
        let waiting = waiting.take(if self.interface.part_jumps { usize::MAX } else { 1 });
        for (component, question) in waiting {
            for answer in self.answers(*component, *question) {
                if !moves.contains(&answer) {
                    moves.push(answer);
                }
            }
        }
        let room = self.nested(position) < self.depth;
        for (id, component) in arena.components() {
            let asks = component.asker == Player::P && component.parent.is_none();
            if asks && (room || component.arguments.is_empty()) {
                moves.extend(self.questions(id));
            }
        }
        if self.hits {
            moves.push(hit());
        }
        moves
    }

    /// Brings a position up to date.
    fn play(&self, position: &mut Position, player: Player, said: &Said) {
        let Move { component, label, .. } = said;
        let question = match label {
            Label::Abort => {
                position.over = true;
                return;
            }
            Label::Run => Question::Run,
            Label::Ask => Question::Ask,
            Label::Read => Question::Read,
            Label::Write(_) => Question::Write,
            _ => {
                // What is left by a jump is left for good.
                while position.open.pop().is_some_and(|(top, _)| top != *component) {}
                return;
            }
        };
        if player == Player::O && *component == OWN {
            position.open.clear();
        }
        position.open.push((*component, question));
    }

    /// The parts of the values that a player says in a component.
    pub(super) fn values(&self, component: ComponentId, player: Player) -> Vec<Interval> {
        self.numbers(component, player, Of::Values)
    }

    /// The parts of where a player points in a component.
    pub(super) fn indices(&self, component: ComponentId, player: Player) -> Vec<Interval> {
        self.numbers(component, player, Of::Indices)
    }

    /// The parts of the numbers that a player says in a component.
    fn numbers(&self, component: ComponentId, player: Player, of: Of) -> Vec<Interval> {
        let base = &self.interface.part.component(component).base;
        let (sites, id): (&Sites, Option<ComponentId>) = match player {
            Player::O => (self.part, Some(component)),
            Player::P => (self.rest, self.interface.outside(component)),
        };
        let site: Option<SiteId> = id.and_then(|id| match of {
            Of::Values => sites.of_component(id),
            Of::Indices => sites.of_component_index(id),
        });
        match (site, of) {
            (Some(site), _) => sites.site(site).parts().cloned().collect(),
            (None, Of::Values) => vec![whole(base)],
            (None, Of::Indices) => vec![indices(base)],
        }
    }

    fn questions(&self, component: ComponentId) -> Vec<Said> {
        let place = self.interface.part.component(component);
        let said = |element, label| Move { component, element, label };
        let values = || self.numbers(component, place.asker, Of::Values);
        match &place.base {
            Type::Com => vec![said(None, Label::Run)],
            Type::Exp(_) => vec![said(None, Label::Ask)],
            Type::Var(_) => {
                let writes = values().into_iter().map(|value| said(None, Label::Write(value)));
                [said(None, Label::Read)].into_iter().chain(writes).collect()
            }
            Type::Array(..) => {
                let mut moves = Vec::new();
                for index in self.numbers(component, place.asker, Of::Indices) {
                    moves.push(said(Some(index.clone()), Label::Read));
                    for value in values() {
                        moves.push(said(Some(index.clone()), Label::Write(value)));
                    }
                }
                moves
            }
            _ => Vec::new(),
        }
    }

    fn answers(&self, component: ComponentId, question: Question) -> Vec<Said> {
        let said = |label| Move { component, element: None, label };
        let answerer = self.interface.part.component(component).asker.other();
        match question {
            Question::Run => vec![said(Label::Done)],
            Question::Write => vec![said(Label::Ok)],
            Question::Ask | Question::Read => {
                let values = self.numbers(component, answerer, Of::Values);
                values.into_iter().map(|value| said(Label::Value(value))).collect()
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Of {
    Values,
    Indices,
}
