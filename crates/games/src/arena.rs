//! The arena: where a program's game is played, component by component [AG, Def. 1].

mod module;

use std::collections::HashMap;
use std::sync::Arc;

pub use agon_base::id::ComponentId;
use agon_base::int::Int;
use agon_base::spelling::closest;
use agon_core::condition::Condition;
use agon_core::term::{Judgement, VarId};
use agon_core::types::{Data, Type};

pub(crate) use module::data_of;
pub use module::{Role, Roles};

use crate::moves::{Label, Move, Player, ThreadMove};

/// No more components than this are listed where a name is wrong.
const MOST_NAMES: usize = 12;

/// The program's own component: its opening question and the answer to it.
pub const OWN: ComponentId = ComponentId(0);

/// All components of a program's game.
#[derive(Clone, Debug)]
pub struct Arena {
    components: Vec<Component>,
    /// The component of each free identifier.
    variables: HashMap<VarId, ComponentId>,
}

/// A base type at one place of the program's type: a free identifier's result, an argument of it, and so on.
#[derive(Clone, Debug)]
pub struct Component {
    /// As moves are prefixed: `f.1`; empty for the program's own.
    pub name: String,
    /// The free identifier it belongs to; none for the program's own.
    pub variable: Option<VarId>,
    /// The component it is an argument of.
    pub parent: Option<ComponentId>,
    /// Its arguments.
    pub arguments: Vec<ComponentId>,
    /// Its base type.
    pub base: Type,
    /// Who asks its questions; the other answers them.
    pub asker: Player,
    /// In how many threads at once, where the type says so and it is an argument.
    pub bound: Option<u64>,
    /// The least and the greatest number that is given there, if these are not all of the type.
    pub range: Option<(Int, Int)>,
    /// What is assumed of the numbers that O gives there: of answers.
    pub assumed: Option<Arc<Condition>>,
}

impl Component {
    /// Assumes something of the numbers that O gives here. Of an expression, only those between the ends of the condition are tried; a
    /// variable is written by P, too.
    fn assume(&mut self, condition: Option<Arc<Condition>>) {
        if let (Some(condition), Type::Exp(data)) = (&condition, &self.base) {
            let ((low, high), _) = condition.ends(0);
            let (least, most) = data.range().unzip();
            let ends = (low.into_iter().chain(least).max(), high.into_iter().chain(most).min());
            if let (Some(low), Some(high)) = ends
                && low <= high
                && Some((&low, &high)) != data.range().as_ref().map(|(low, high)| (low, high))
            {
                self.range = Some((low, high));
            }
        }
        self.assumed = condition;
    }
}

impl Arena {
    /// The arena of a program.
    pub fn new(judgement: &Judgement) -> Arena {
        let mut arena = Arena { components: Vec::new(), variables: HashMap::new() };
        let (_, base) = judgement.ty.uncurry();
        arena.components.push(Component {
            name: String::new(),
            variable: None,
            parent: None,
            arguments: Vec::new(),
            base: base.clone(),
            asker: Player::O,
            bound: None,
            range: None,
            assumed: None,
        });
        for var in judgement.context.iter().chain(&judgement.arguments) {
            let variable = judgement.terms.variable(*var);
            let component = arena.add(variable.name.to_string(), *var, None, &variable.ty, Player::P, None);
            arena.components[component.index()].assume(variable.assumed.clone());
            arena.variables.insert(*var, component);
        }
        arena.components[0].arguments = judgement.arguments.iter().map(|var| arena.variables[var]).collect();
        arena
    }

    fn add(
        &mut self,
        name: String,
        var: VarId,
        parent: Option<ComponentId>,
        ty: &Type,
        asker: Player,
        bound: Option<u64>,
    ) -> ComponentId {
        let id = ComponentId(u32::try_from(self.components.len()).expect("types are small"));
        let (arguments, base) = ty.uncurry();
        self.components.push(Component {
            name: name.clone(),
            variable: Some(var),
            parent,
            arguments: Vec::new(),
            base: base.clone(),
            asker,
            bound,
            range: None,
            assumed: None,
        });
        for (n, argument) in arguments.iter().enumerate() {
            let place = format!("{name}.{}", n + 1);
            let child = self.add(place, var, Some(id), &argument.ty, asker.other(), argument.bound);
            self.components[id.index()].arguments.push(child);
        }
        id
    }

    /// The component.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// All components, the program's own first.
    pub fn components(&self) -> impl Iterator<Item = (ComponentId, &Component)> {
        (0..).map(ComponentId).zip(&self.components)
    }

    /// The component of a free identifier.
    pub fn of_variable(&self, var: VarId) -> Option<ComponentId> {
        self.variables.get(&var).copied()
    }

    /// The data of a component's values.
    pub fn data(&self, id: ComponentId) -> Option<&Data> {
        self.component(id).base.data()
    }

    /// The least and the greatest number that is given in a component; nothing if there are none.
    pub fn range(&self, id: ComponentId) -> Option<(Int, Int)> {
        let component = self.component(id);
        component.range.clone().or_else(|| component.base.data().and_then(Data::range))
    }

    /// How many numbers may be given in a component, if they can be counted; 1 if none are given there.
    pub fn count(&self, id: ComponentId) -> Option<u64> {
        match self.data(id) {
            None => Some(1),
            Some(_) => self.range(id).and_then(|(low, high)| high.sub(&low).add(&Int::ONE).to_u64()),
        }
    }

    /// The number at a place of those that may be given in a component: the least first where some of the type are left out,
    /// otherwise in the order of the type.
    #[inline]
    pub fn value(&self, id: ComponentId, code: u64) -> Int {
        match &self.component(id).range {
            Some((low, _)) => low.add(&Int::from(code)),
            None => self.data(id).unwrap_or(&Data::Int).value(code),
        }
    }

    /// The place of a number among those that may be given in a component, if it may be given.
    pub fn code(&self, id: ComponentId, n: &Int) -> Option<u64> {
        let code = match &self.component(id).range {
            Some((low, high)) => n.sub(low).to_u64().filter(|_| n <= high)?,
            None => self.data(id)?.code(n),
        };
        (self.value(id, code) == *n).then_some(code)
    }

    /// Whether a move is one that O may make by what is assumed of its answers. Moves of P are.
    pub fn permits(&self, m: &Move) -> bool {
        let component = self.component(m.component);
        match (&m.label, &component.assumed) {
            (Label::Value(n), Some(condition)) if component.asker == Player::P => {
                condition.holds(std::slice::from_ref(n))
            }
            _ => true,
        }
    }

    /// Who plays a move.
    pub fn player<V>(&self, m: &Move<V>) -> Player {
        let asker = self.component(m.component).asker;
        if m.label.is_question() { asker } else { asker.other() }
    }

    /// A move as the language reference writes it, its values written by `value`.
    pub fn show_with<V>(&self, m: &Move<V>, value: impl Fn(Option<&Data>, &V) -> String) -> String {
        let component = self.component(m.component);
        if let Label::Call(given) = &m.label {
            let data = |n: usize| component.arguments.get(n).and_then(|id| self.data(*id));
            let given: Vec<_> = given.iter().enumerate().map(|(n, v)| value(data(n), v)).collect();
            let name = m.element.as_ref().map(|name| format!("(*{})", value(None, name)));
            return format!("{}({})", name.as_ref().unwrap_or(&component.name), given.join(", "));
        }
        let label = m.label.show(|v| value(component.base.data(), v));
        let element = m.element.as_ref().map_or(String::new(), |i| format!("[{}]", value(None, i)));
        match matches!(m.label, Label::Abort) || component.name.is_empty() {
            true => label,
            false => format!("{}{element}.{label}", component.name),
        }
    }

    /// A move over exact integers.
    pub fn show(&self, m: &Move) -> String {
        self.show_with(m, |data, n| data.map_or_else(|| n.to_string(), |data| data.show(n)))
    }

    /// A move with its threads.
    pub fn show_threaded(&self, m: &ThreadMove) -> String {
        let threads: Vec<String> = m.threads.iter().map(u32::to_string).collect();
        match threads.is_empty() {
            true => self.show(&m.m),
            false => format!("{}@{}", self.show(&m.m), threads.join(".")),
        }
    }

    /// Reads a move with or without its threads.
    pub fn parse_threaded(&self, text: &str) -> Result<ThreadMove, String> {
        let Some((text, written)) = text.split_once('@') else {
            return Ok(ThreadMove { m: self.parse(text)?, threads: Box::default() });
        };
        let m = self.parse(text)?;
        let threads: Option<Box<[u32]>> =
            written.split('.').map(|thread| thread.trim().parse().ok().filter(|n| *n > 0)).collect();
        let threads = threads.ok_or("threads are written `@1.2`, and counted from 1")?;
        let wanted = match m.component {
            OWN => 0,
            id => std::iter::successors(Some(id), |id| self.component(*id).parent).count(),
        };
        if threads.len() == wanted {
            return Ok(ThreadMove { m, threads });
        }
        Err(match wanted {
            0 => format!("`{}` is in no thread", self.show(&m)),
            _ => {
                let example = vec!["1"; wanted].join(".");
                let plural = if wanted == 1 { "" } else { "s" };
                format!("`{}` has {wanted} thread number{plural}, as in `@{example}`", self.show(&m))
            }
        })
    }

    /// Reads a move as it is written; the reason, if it is none of this game's.
    pub fn parse(&self, text: &str) -> Result<Move, String> {
        let text = text.trim();
        if text == "abort" {
            return Ok(Move { component: OWN, element: None, label: Label::Abort });
        }
        let (place, label) = match text.rsplit_once('.') {
            Some((place, label)) => (place, label),
            None => ("", text),
        };
        let (name, element) = match place.split_once('[') {
            Some((name, rest)) => {
                let index = rest.strip_suffix(']').and_then(Int::parse);
                (name, Some(index.ok_or_else(|| format!("`{place}` is not an element of an array"))?))
            }
            None => (place, None),
        };
        let (id, component) =
            self.components().find(|(_, component)| component.name == name).ok_or_else(|| {
                let others = || self.components().skip(1).map(|(_, component)| &*component.name);
                // An identifier that is there has other arguments, or none; one that is not may be misspelt.
                let head = |name: &str| name.split('.').next().unwrap_or_default().to_string();
                let known = others().any(|other| *other == head(name));
                if let Some(like) = closest(name, others()).filter(|_| !known) {
                    let element = place.strip_prefix(name).unwrap_or_default();
                    return format!(
                        "`{name}` is no component of the game (did you mean `{like}{element}.{label}`?)"
                    );
                }
                let mut names: Vec<_> =
                    others().take(MOST_NAMES + 1).map(|name| format!("`{name}.…`")).collect();
                if names.len() > MOST_NAMES {
                    names[MOST_NAMES] = "others".into();
                }
                match names.len() {
                    0 => format!("`{name}` is no component of the game; the program has no free identifiers"),
                    _ => format!("`{name}` is no component of the game; there are {}", names.join(", ")),
                }
            })?;
        match (&component.base, &element) {
            (Type::Array(_, length), Some(index)) if index.is_negative() || *index >= Int::from(*length) => {
                return Err(format!("`{name}` has the elements 0 to {}", length - 1));
            }
            (Type::Array(..), Some(_)) => {}
            (Type::Array(..), None) => return Err(format!("say which element: `{name}[0].{label}`")),
            (_, Some(_)) => return Err(format!("`{name}` is not an array")),
            _ => {}
        }
        let value = |text: &str, data: &Data| -> Result<Int, String> {
            let n = match text {
                "true" => Int::ONE,
                "false" => Int::ZERO,
                _ => Int::parse(text).ok_or_else(|| format!("`{text}` is not a value"))?,
            };
            if data.wrap(&n) == n { Ok(n) } else { Err(format!("{n} is not a value of `{data}`")) }
        };
        let label = match (&component.base, label) {
            (Type::Com, "run") => Label::Run,
            (Type::Com, "done") => Label::Done,
            (Type::Com, _) => return Err(format!("a command has the moves `run` and `done`, not `{label}`")),
            (Type::Exp(_), "q") => Label::Ask,
            (Type::Exp(data), _) => Label::Value(
                value(label, data)
                    .map_err(|why| format!("an expression has the move `q` and values; {why}"))?,
            ),
            (Type::Var(_) | Type::Array(..), "read") => Label::Read,
            (Type::Var(_) | Type::Array(..), "ok") => Label::Ok,
            (Type::Var(data) | Type::Array(data, _), _) => {
                match label.strip_prefix("write(").and_then(|rest| rest.strip_suffix(')')) {
                    Some(text) => Label::Write(value(text, data)?),
                    None => Label::Value(value(label, data).map_err(|why| {
                        format!("a variable has the moves `read`, `write(…)`, `ok` and values; {why}")
                    })?),
                }
            }
            (Type::Sem(_), "grab") => Label::Grab,
            (Type::Sem(_), "release") => Label::Release,
            (Type::Sem(_), "ok") => Label::Ok,
            (Type::Sem(_), _) => {
                return Err(format!("a semaphore has the moves `grab`, `release` and `ok`, not `{label}`"));
            }
            _ => return Err(format!("`{text}` is no move")),
        };
        Ok(Move { component: id, element, label })
    }
}
