//! Writing code down: instructions one after the other, and tables in which equal things have one number.

use std::collections::HashMap;

use agon_base::id::number;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::condition::Condition;
use agon_core::types::Data;

use super::code::{Code, DataId, Formula, FormulaId, FormulaStep, Index, Instruction, Pc, SlotId};
use crate::arena::Arena;
use crate::values::{Shape, Slot};

/// Code that is being written.
#[derive(Default)]
pub(super) struct Assembler {
    pub(super) code: Code,
    data_ids: HashMap<Data, DataId>,
    slot_ids: HashMap<Slot, SlotId>,
}

impl Assembler {
    /// Code that begins with what stands at fixed places, and has a slot for the data of each component.
    pub(super) fn new(code: Code, arena: &Arena) -> Assembler {
        let mut assembler = Assembler { code, ..Assembler::default() };
        assembler.emit(Instruction::Return, Span::default());
        assembler.emit(Instruction::Enter(Index(0)), Span::default());
        assembler.emit(Instruction::Abort, Span::default());
        assembler.code.index_slot = assembler.value_slot(Data::Int);
        let data = arena.components().map(|(_, component)| component.base.data().cloned());
        assembler.code.component_slots =
            data.map(|data| data.map(|data| assembler.value_slot(data))).collect();
        for (id, component) in arena.components() {
            let Some(condition) = &component.assumed else { continue };
            let formula = assembler.condition(condition, &|_| FormulaStep::Accumulator);
            let place = assembler.emit(Instruction::Assume(formula), Span::default());
            assembler.emit(Instruction::Return, Span::default());
            assembler.code.assumed.insert(id, place);
        }
        assembler
    }

    /// A condition as a formula; `given` loads what the environment has given.
    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        given: &dyn Fn(usize) -> FormulaStep,
    ) -> FormulaId {
        let mut steps = Vec::new();
        write_condition(condition, given, &mut steps);
        let spans = vec![Span::default(); steps.len()];
        self.add_formula(Formula { steps, spans, checks: Vec::new() })
    }

    /// The place of the next instruction.
    pub(super) fn here(&self) -> Pc {
        Pc::new(self.code.instructions.len())
    }

    pub(super) fn emit(&mut self, instruction: Instruction, span: Span) -> Pc {
        let pc = self.here();
        if let Some(formula) = instruction.formula() {
            let checks = &self.code.formulas[formula.index()].checks;
            self.code.deciding.extend(checks.iter().map(|check| (pc, *check)));
        }
        self.code.instructions.push(instruction);
        self.code.spans.push(span);
        pc
    }

    /// Lets a jump that was written before go to where we are now.
    pub(super) fn land(&mut self, jump: Pc) {
        let here = self.here();
        self.aim(jump, here);
    }

    /// Lets a jump that was written before go to a place.
    pub(super) fn aim(&mut self, jump: Pc, place: Pc) {
        match &mut self.code.instructions[jump.index()] {
            Instruction::Jump(to) | Instruction::JumpIfZero(to) | Instruction::PushReturn(to) => *to = place,
            other => unreachable!("{other:?} goes nowhere"),
        }
    }

    pub(super) fn slot(&mut self, slot: Slot) -> SlotId {
        if let Some(known) = self.slot_ids.get(&slot) {
            return *known;
        }
        let id = SlotId::new(self.code.slots.len());
        self.slot_ids.insert(slot.clone(), id);
        self.code.slots.push(slot);
        id
    }

    /// The slot of a value of such data on its way.
    pub(super) fn value_slot(&mut self, data: Data) -> SlotId {
        self.slot(Slot { shape: Shape::Data(data), length: None, cell: None })
    }

    pub(super) fn data(&mut self, data: &Data) -> DataId {
        if let Some(id) = self.data_ids.get(data) {
            return *id;
        }
        let id = DataId::new(self.code.data.len());
        self.code.data.push(data.clone());
        self.data_ids.insert(data.clone(), id);
        id
    }

    pub(super) fn add_formula(&mut self, formula: Formula) -> FormulaId {
        self.code.formulas.push(formula);
        FormulaId(number(self.code.formulas.len()) - 1)
    }

    pub(super) fn constant(&mut self, n: Int, span: Span) -> FormulaId {
        self.add_formula(Formula {
            steps: vec![FormulaStep::Number(n)],
            spans: vec![span],
            checks: Vec::new(),
        })
    }
}

/// The steps of a condition, in reverse Polish order.
fn write_condition(
    condition: &Condition,
    given: &dyn Fn(usize) -> FormulaStep,
    steps: &mut Vec<FormulaStep>,
) {
    match condition {
        Condition::Number(n) => steps.push(FormulaStep::Number(n.clone())),
        Condition::Given(n) => steps.push(given(*n)),
        Condition::Unary(operator, a) => {
            write_condition(a, given, steps);
            steps.push(FormulaStep::Unary(*operator));
        }
        Condition::Binary(operator, a, b) => {
            write_condition(a, given, steps);
            write_condition(b, given, steps);
            steps.push(FormulaStep::Binary(*operator));
        }
    }
}
