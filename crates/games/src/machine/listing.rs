//! The listing: compiled code, to be read.

use std::fmt;

use super::code::{Closure, Code, FormulaStep, Instruction};

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (pc, instruction) in self.instructions.iter().enumerate() {
            for (n, closure) in self.closures.iter().enumerate() {
                if let Closure::Code { entry, captures } = closure
                    && *entry as usize == pc
                {
                    writeln!(f, "closure {n}, capturing {captures:?}:")?;
                }
            }
            if self.entry as usize == pc {
                writeln!(f, "program:")?;
            }
            let text = format!("{instruction:?}").replace("FormulaId", "formula ").replace("SlotId", "slot ");
            write!(f, "  {pc:4}  {}", text.replace("ClosureId", "closure ").replace("DataId", "data "))?;
            if let Instruction::Evaluate(id)
            | Instruction::BinaryRight(_, id)
            | Instruction::BinaryLeft(_, id)
            | Instruction::StoreElement(_, id) = instruction
            {
                write!(f, "   ;")?;
                for step in &self.formulas[id.index()].steps {
                    match step {
                        FormulaStep::Number(n) => write!(f, " {n}")?,
                        FormulaStep::Load(index) => write!(f, " [{index}]")?,
                        FormulaStep::LoadElement(index) => write!(f, " [{index}][·]")?,
                        FormulaStep::Unary(operator) => write!(f, " {operator:?}")?,
                        FormulaStep::Binary(operator) => write!(f, " {operator:?}")?,
                        FormulaStep::Wrap(data) => write!(f, " in {}", self.data[data.index()])?,
                    }
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
