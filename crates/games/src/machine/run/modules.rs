//! Modules: positions are cut at the activation.
//!
//! The words of the store are halved: the cells of the module are in the first half, those of the activation that runs or waits
//! in the second. So the number of a store is that of a pair, and each half has a number of its own. The stack has the frames
//! of one activation only. What the environment does while an activation waits begins at a position without one.

use std::sync::Arc;

use agon_base::budget::Stop;
use agon_base::id::{number, size};
use agon_base::int::Int;
use agon_core::module::{Allowed, Function, Module, ProcedureId, SignatureId, Sort};
use agon_solve::Term;

use super::{
    Answer, Binding, CLOSED, Control, Executed, Frame, LARGEST_STORE, Machine, ScopeId, StackId, State,
};
use crate::arena::{ComponentId, OWN, Role, Roles};
use crate::machine::code::{Code, Index, ModuleCode, Pc, SlotId};
use crate::machine::offers::{Offer, OfferData, OfferKind};
use crate::machine::store::{Store, StoreId};
use crate::moves::{Label, Move};
use crate::symbolic::{self, Judge, Symbolic};
use crate::values::{Arithmetic, Domain, Outcome, Target};

agon_base::id! {
    /// What the cells of a module hold, by its number.
    pub Globals;
}

/// An activation that waits: its control and what its cells hold, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Waiting {
    stack: StackId,
    cells: StoreId,
}

impl Waiting {
    /// A position with the control of the activation, whatever its cells hold.
    pub(super) fn beside(self, outside: State) -> State {
        State::new(self.stack, outside.store())
    }
}

/// How the store of a module is laid out, for one choice of widths.
#[derive(Clone, Debug, Default)]
pub(super) struct Halves {
    /// How many bits each half has.
    pub(super) bits: u32,
    /// The stack of a position without an activation.
    outside: StackId,
    /// The scope of the module's cells.
    pub(super) scope: ScopeId,
    /// The position before the first move.
    start: State,
    /// Where the cells of the module begin, behind the bits of procedures, and where they end.
    cells: (u32, u32),
}

impl Halves {
    /// How many bits a store has.
    pub(super) fn whole(&self) -> usize {
        2 * self.bits as usize
    }

    pub(super) fn start(&self) -> State {
        self.start
    }
}

/// What follows once the arguments of a call are known.
type Then<'a, D> =
    dyn FnMut(&mut Machine<D>, Vec<<D as Arithmetic>::Value>) -> Executed<<D as Arithmetic>::Value> + 'a;

impl<D: Domain> Machine<D> {
    fn module_code(&self) -> Option<Arc<ModuleCode>> {
        self.code.module.clone()
    }

    /// The module that runs, and what the components of its arena are; none, if a program runs.
    pub fn module(&self) -> Option<(&Module, &Roles)> {
        self.code.module.as_ref().map(|code| (&*code.module, &code.roles))
    }

    /// Lays out the store of a module, and makes the position before the first move.
    pub(super) fn lay_out_module(&mut self) {
        let Some(module) = self.module_code() else { return };
        let bits = |slots: &mut dyn Iterator<Item = &SlotId>| {
            slots.map(|slot| u64::from(self.widths[slot.index()]) * self.cells_in(*slot)).sum::<u64>()
        };
        let globals = bits(&mut module.cells.iter().map(|(slot, _)| slot));
        // Procedures that run on a stack do not call themselves, so each is on it once at most.
        let frames = module.procedures.iter().map(|procedure| {
            let parameters = procedure.parameters.iter().map(|(_, cell)| cell);
            bits(&mut parameters.chain(&procedure.locals)) + 64 * u64::from(procedure.saved + 1)
        });
        let activation: u64 = frames.sum();
        let words = globals.max(activation).div_ceil(64).max(1).next_power_of_two();
        // A store that is too large is found out when a cell is made.
        let bits = u32::try_from(words * 64).unwrap_or(u32::MAX / 4).min(u32::MAX / 4);
        self.halves.bits = bits;
        self.store = Store::default();
        let mut scope = ScopeId(0);
        let mut offset = 0;
        for (slot, initial) in &module.cells {
            scope = self
                .scopes
                .extend(scope, Binding::Cell { slot: *slot, strand: self.threading.strand, offset });
            let size = u64::from(self.widths[slot.index()]) * self.cells_in(*slot);
            if u64::from(offset) + size > LARGEST_STORE {
                self.halves.bits = u32::MAX / 4;
                return;
            }
            self.initialise(*slot, offset, initial);
            offset += self.size(*slot);
        }
        self.halves.scope = scope;
        let bits_end = number(self.escape_bit(module.escapable.len()));
        self.halves.cells = (bits_end, offset);
        self.halves.outside = self.stacks.intern((CLOSED, Frame::Outside { scope, bits }));
        self.control = Control { stack: self.halves.outside, height: bits, ..Control::default() };
        self.halves.start = self.state();
    }

    fn cells_in(&self, slot: SlotId) -> u64 {
        match self.widths[slot.index()] {
            0 => 0,
            _ => self.domain.cells(&self.code.slots[slot.index()]),
        }
    }

    /// A cell or array holds at first what it is given: one value for each element, the last one for all that follow.
    fn initialise(&mut self, slot: SlotId, offset: u32, initial: &[Int]) {
        let code = self.code.clone();
        let kind = &code.slots[slot.index()];
        let width = self.widths[slot.index()];
        let length = kind.length.unwrap_or(1);
        if kind.counter_bits().is_some() || width == 0 {
            return;
        }
        let place = |n: u64| offset as usize + size(n) * width as usize;
        let Some(last) = initial.last() else { return };
        let last = self.domain.number(last);
        let same = self.encoded(slot, &last);
        for n in 0..self.domain.cells(kind) {
            self.store.set(place(n), width, same);
        }
        if initial.len() < 2 {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        for n in 0..length.min(initial.len() as u64) {
            let (value, at) = (self.domain.number(&initial[size(n)]), self.domain.number(&Int::from(n)));
            let Outcome::One(element) = self.domain.element(kind, length, &at) else { continue };
            let (first, _) = D::reach(&element);
            let several = matches!(self.domain.target(&element), Target::Any(..));
            let all_given = seen.insert(first) && (!several || initial.len() as u64 >= length);
            let bits = match all_given {
                true => self.encoded(slot, &value),
                false => {
                    let before = self.store.get(place(first), width);
                    self.domain.blend(kind, before, &element, first, &value)
                }
            };
            self.store.set(place(first), width, bits);
        }
    }

    fn encoded(&mut self, slot: SlotId, value: &D::Value) -> u64 {
        let code = self.code.clone();
        match self.domain.encode(&code.slots[slot.index()], value) {
            Outcome::One(bits) => bits,
            other => unreachable!("a number is in one part, not {other:?}"),
        }
    }

    /// The activation that waits at a position, if one does, and what the cells of the module hold.
    pub fn split(&self, state: State) -> (Option<Waiting>, Globals) {
        let (globals, cells) = self.stores.halves(state.store());
        let stack = state.stack();
        let waiting = (stack != self.halves.outside).then_some(Waiting { stack, cells });
        (waiting, Globals(globals.0))
    }

    /// The position where an activation waits, or none, while the cells of the module hold this.
    pub fn join(&mut self, waiting: Option<Waiting>, Globals(globals): Globals) -> State {
        let (stack, cells) = match waiting {
            Some(Waiting { stack, cells }) => (stack, cells),
            None => {
                let start = self.halves.start;
                (start.stack(), self.stores.halves(start.store()).1)
            }
        };
        State::new(stack, self.stores.pair(StoreId(globals), cells))
    }

    /// Whether a procedure is summarised, and which, at whose call an activation waits; otherwise it waits for the environment.
    pub fn waits_for(&self, state: State) -> Option<ComponentId> {
        match self.frame(state.stack()) {
            Frame::Wait { question, .. } => Some(self.questions.get(question).component),
            _ => None,
        }
    }

    /// The procedure that is summarised whose activation is at a position, if one is.
    pub fn activation(&self, state: State) -> Option<ComponentId> {
        let (_, roles) = self.module()?;
        let mut stack = state.stack();
        while stack != CLOSED {
            let (below, frame) = *self.stacks.get(stack);
            if let Frame::Reply { component, .. } = frame {
                return matches!(roles.of(component), Role::Summarised(_)).then_some(component);
            }
            stack = below;
        }
        None
    }

    /// What the environment may call at a position where an activation waits; nothing if it may call nothing.
    pub fn allowed(&self, state: State) -> Option<Allowed> {
        let (module, roles) = self.module()?;
        let open = self.waits_for(state).and_then(|component| match roles.of(component) {
            Role::Import(id) => Some(Function::Import(id)),
            _ => None,
        });
        Some(module.allowed(open)).filter(|allowed| module.allows_calls(*allowed))
    }

    /// Whether the environment may call what a component is at such a turn, if it knows it.
    pub fn allows(&self, allowed: Allowed, component: ComponentId) -> bool {
        self.module().is_none_or(|(module, roles)| match roles.of(component) {
            Role::Procedure(id) => module.allows(allowed, id),
            _ => true,
        })
    }

    /// Whether a component is an import that does not return.
    pub(super) fn never_returns(&self, component: ComponentId) -> bool {
        self.module().is_some_and(|(module, roles)| match roles.of(component) {
            Role::Import(id) => module.import(id).ends,
            _ => false,
        })
    }

    /// Whether a private procedure has escaped at a position.
    fn has_escaped(&self, globals: u32, id: ProcedureId) -> bool {
        let Some(module) = &self.code.module else { return false };
        match module.escapable.iter().position(|known| *known == id) {
            Some(bit) => self.stores.bit(StoreId(globals), self.halves.bits as usize, self.escape_bit(bit)),
            None => false,
        }
    }

    /// What the environment may call, with the cells of the module as they are at a position.
    pub fn callable(&self, state: State) -> Arc<[Offer<D::Value>]> {
        let Some(module) = &self.code.module else { return self.opening.clone() };
        if module.escapable.is_empty() {
            return self.opening.clone();
        }
        let (globals, _) = self.stores.halves(state.store());
        let known = |offer: &&Offer<D::Value>| match module.roles.of(offer.component) {
            Role::Procedure(id) => module.module.procedure(id).exported || self.has_escaped(globals.0, id),
            _ => true,
        };
        self.opening.iter().filter(known).cloned().collect()
    }

    /// The calls of all procedures that the environment may come to know.
    pub(super) fn calls(&self) -> Vec<Offer<D::Value>> {
        let Some(module) = &self.code.module else { return Vec::new() };
        let mut calls = Vec::new();
        for (component, role) in module.roles.iter() {
            let Role::Procedure(id) = role else { continue };
            if !module.module.procedure(id).exported && !module.escapable.contains(&id) {
                continue;
            }
            let count = |argument: &ComponentId| {
                self.domain.last_answer(&self.arena, *argument).map(|last| u128::from(last) + 1)
            };
            let counts = self.arena.component(component).arguments.iter().map(count);
            let all = counts.reduce(|a, b| Some(a?.saturating_mul(b?))).unwrap_or(Some(1));
            // More calls than can be counted are more than can be tried.
            let last = all.map(|all| u64::try_from(all - 1).unwrap_or(u64::MAX));
            calls.push(Offer { component, kind: OfferKind::Call, element: None, last });
        }
        calls
    }

    /// Whether the environment knows what it gives: a function that it names is one of the right type that it was given.
    pub fn knows(&self, state: State, offer: &Offer<D::Value>, data: &OfferData<D::Value>) -> bool {
        let Some(module) = &self.code.module else { return true };
        let known = |component: ComponentId, value: &D::Value| {
            let Some(Sort::Function(signature)) = module.roles.sort(component) else { return true };
            // A procedure that is summarised is the module's own: it gives any function.
            if matches!(module.roles.of(component), Role::Summarised(_)) {
                return true;
            }
            self.domain.exactly(value).is_none_or(|n| self.may_name(state, *signature, &n))
        };
        let arguments = &self.arena.component(offer.component).arguments;
        arguments.iter().zip(&data.arguments).all(|(argument, value)| known(*argument, value))
            && data.value.as_ref().is_none_or(|value| known(offer.component, value))
    }

    /// Whether a number is `null`, or names a function of a type that the environment knows.
    fn may_name(&self, state: State, signature: SignatureId, n: &Int) -> bool {
        let Some(module) = &self.code.module else { return true };
        let (globals, _) = self.stores.halves(state.store());
        module.module.function(n).is_none_or(|function| {
            let hidden = matches!(function, Function::Procedure(id)
                if !module.module.procedure(id).exported && !self.has_escaped(globals.0, id));
            module.module.type_of(function) == signature && !hidden
        })
    }

    /// An activation begins: the environment calls, or a call that is summarised begins.
    pub(super) fn open(&mut self, state: State, component: ComponentId, arguments: &[D::Value]) {
        let Some(module) = self.module_code() else { return };
        let (id, entry) = match module.roles.of(component) {
            Role::Procedure(id) => (id, module.procedures[id.index()].opened),
            Role::Summarised(id) => {
                let code = &module.procedures[id.index()];
                (id, code.summarised.expect("it may call itself"))
            }
            other => unreachable!("{other:?} is not called"),
        };
        self.stores.unfold(state.store(), self.halves.whole(), &mut self.store);
        let stack = self.halves.outside;
        let scope = self.halves.scope;
        self.control = Control { pc: entry, scope, stack, height: self.halves.bits, ..Control::default() };
        let answer = match self.arena.component(component).base.data() {
            Some(_) => Answer::Value,
            None => Answer::Done,
        };
        self.push(Frame::Reply { component, element: None, height: self.halves.bits, answer });
        for ((slot, _), value) in module.procedures[id.index()].parameters.iter().zip(arguments) {
            self.save_exactly(*slot, value);
        }
    }

    /// A function of the environment's, or a procedure that is summarised, is called.
    pub(super) fn call_out(
        &mut self,
        component: ComponentId,
        name: Option<SlotId>,
        slots: &[SlotId],
        pc: Pc,
    ) -> Executed<D::Value> {
        let mut arguments: Vec<_> = slots.iter().rev().map(|slot| self.restore(*slot)).collect();
        arguments.reverse();
        let name = name.map(|slot| self.restore(slot));
        let parameters = match self.code.module.as_ref().map(|module| module.roles.of(component)) {
            Some(Role::Summarised(id)) => self.parameters(id),
            _ => Vec::new(),
        };
        self.glue(&parameters, &arguments, Vec::new(), pc, &mut |machine, arguments| {
            let answer = match machine.arena.component(component).base.data() {
                Some(_) => Answer::Value,
                None => Answer::Done,
            };
            let label = Label::Call(arguments.into());
            machine.wait((component, None), name.clone(), answer, label, Box::new([]), pc)
        })
    }

    fn parameters(&self, id: ProcedureId) -> Vec<SlotId> {
        let Some(module) = &self.code.module else { return Vec::new() };
        module.procedures[id.index()].parameters.iter().map(|(_, cell)| *cell).collect()
    }

    /// Arguments of a call that is summarised become what the cells of the parameters can hold. All others stay as they are.
    fn glue(
        &mut self,
        slots: &[SlotId],
        values: &[D::Value],
        glued: Vec<D::Value>,
        pc: Pc,
        then: &mut Then<'_, D>,
    ) -> Executed<D::Value> {
        let (Some((slot, slots)), Some((value, values))) = (slots.split_first(), values.split_first()) else {
            return then(self, [glued, values.to_vec()].concat());
        };
        let code = self.code.clone();
        let slot = &code.slots[slot.index()];
        let outcome = self.domain.encode(slot, value);
        self.choose(outcome, pc, |machine, bits| {
            let value = machine.domain.decode(slot, bits);
            let glued = [glued.clone(), vec![value]].concat();
            machine.glue(slots, values, glued, pc, then)
        })
    }

    /// A procedure of the module is called with the values that were saved: by the module, or by the environment.
    pub(super) fn call_procedure(&mut self, id: ProcedureId, opened: bool, pc: Pc) -> Executed<D::Value> {
        let Some(module) = self.module_code() else { return Executed::Dead };
        let code = &module.procedures[id.index()];
        let mut values: Vec<_> = code.parameters.iter().rev().map(|(slot, _)| self.restore(*slot)).collect();
        values.reverse();
        let Control { pc: back, scope, height, .. } = self.control;
        self.push(Frame::Return { pc: back, scope, height });
        self.control.scope = self.halves.scope;
        self.control.pc = code.assumed.filter(|_| opened).unwrap_or(code.entry);
        self.bind(&self.parameters(id), &values, pc)
    }

    /// Each parameter becomes a cell that holds its argument.
    fn bind(&mut self, slots: &[SlotId], values: &[D::Value], pc: Pc) -> Executed<D::Value> {
        let (Some((slot, slots)), Some((value, values))) = (slots.split_first(), values.split_first()) else {
            return Executed::Silent;
        };
        let code = self.code.clone();
        self.control.acc = value.clone();
        self.new_cells_then(*slot, &code, pc, &mut |machine| machine.bind(slots, values, pc))
    }

    /// Sets the bit of a procedure that escapes.
    pub(super) fn escape(&mut self, bit: Index) {
        let at = self.escape_bit(bit.index());
        self.store.set(at, 1, 1);
    }

    /// The place of the bit of a procedure that may escape.
    fn escape_bit(&self, n: usize) -> usize {
        let width = self.code.module.as_ref().and_then(|module| module.cells.first());
        n * width.map_or(0, |(slot, _)| self.widths[slot.index()] as usize)
    }

    /// A cell that is not needed any more holds nothing, so that positions which differ there only are one.
    pub(super) fn forget(&mut self, index: Index) {
        let Binding::Cell { slot, offset, .. } = self.scopes.get(self.control.scope, index) else { return };
        let end = offset + self.size(slot);
        self.store.clear(offset as usize, end as usize);
    }

    /// All elements of an array hold acc.
    pub(super) fn fill(&mut self, index: Index, code: &Code, pc: Pc) -> Executed<D::Value> {
        let Binding::Cell { slot, offset, .. } = self.scopes.get(self.control.scope, index) else {
            unreachable!("arrays are filled")
        };
        let acc = self.control.acc.clone();
        let width = self.widths[slot.index()];
        let cells = self.cells_in(slot);
        let outcome = self.domain.encode(&code.slots[slot.index()], &acc);
        self.choose(outcome, pc, |machine, bits| {
            for n in 0..size(cells) {
                machine.store.set(offset as usize + n * width as usize, width, bits);
            }
            Executed::Silent
        })
    }

    /// The process ends, with acc.
    pub(super) fn exit(&mut self, pc: Pc) -> Executed<D::Value> {
        let label = Label::Exit(self.control.acc.clone());
        Executed::Visible(self.reaction(Move { component: OWN, element: None, label }, None, pc))
    }

    /// Whether the store has room for what is made in an activation.
    pub(super) fn has_room(&self, bits: u64) -> Result<(), Stop> {
        let most = match self.code.module {
            Some(_) => self.halves.whole() as u64,
            None => LARGEST_STORE,
        };
        if bits > most.min(LARGEST_STORE) { Err(Stop::Store) } else { Ok(()) }
    }
}

impl<J: Judge> Machine<Symbolic<J>> {
    /// The values at a position of a module, by their places.
    pub fn places_at(&mut self, state: State) -> Vec<(u32, symbolic::Value)> {
        let Halves { bits, cells: (first, end), .. } = self.halves;
        let height = match self.frame(state.stack()) {
            Frame::Wait { height, .. } | Frame::Pause { height, .. } => height,
            _ => bits,
        };
        self.stores.unfold(state.store(), self.halves.whole(), &mut self.store);
        let of = |from: u32, to: u32| from / symbolic::WIDTH..to / symbolic::WIDTH;
        let places: Vec<u32> = of(first, end).chain(of(bits, height)).collect();
        let value = |at: u32| {
            let bits = self.store.get((at * symbolic::WIDTH) as usize, symbolic::WIDTH);
            (at, self.domain.kept(bits))
        };
        places.into_iter().map(value).collect()
    }

    /// The position of a module with other values at these places.
    pub fn with_places(&mut self, state: State, values: &[(u32, symbolic::Value)]) -> State {
        let whole = self.halves.whole();
        self.stores.unfold(state.store(), whole, &mut self.store);
        for (at, value) in values {
            let kept = self.domain.keep(value);
            self.store.set((at * symbolic::WIDTH) as usize, symbolic::WIDTH, kept);
        }
        let store = self.stores.fold(&mut self.store, whole);
        State::new(state.stack(), store)
    }

    /// What must be so of a value that the environment gives in a component: a name is one that it knows.
    pub fn is_known(&mut self, state: State, component: ComponentId, value: Term) -> Option<Term> {
        let (_, roles) = self.module()?;
        let of_environment = !matches!(roles.of(component), Role::Summarised(_));
        let sort = roles.sort(component).filter(|_| of_environment);
        let Some(Sort::Function(signature)) = sort else { return None };
        let signature = *signature;
        let (low, high) = self.arena.range(component)?;
        let mut numbers = Vec::new();
        let mut n = low;
        while n <= high {
            if self.may_name(state, signature, &n) {
                numbers.push(n.clone());
            }
            n = n.add(&Int::ONE);
        }
        let terms = self.domain.terms();
        let mut cases = Vec::new();
        for n in numbers {
            let number = terms.int(n);
            cases.push(terms.equal(value, number));
        }
        Some(terms.or(&cases))
    }

    /// Whether a place is one of the module's cells, and not of an activation.
    pub fn is_of_module(&self, at: u32) -> bool {
        at * symbolic::WIDTH < self.halves.bits
    }
}
