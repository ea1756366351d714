//! The listing: compiled code, to be read.

use std::fmt;

use super::code::{Closure, Code, FormulaStep, Instruction};

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (pc, instruction) in self.instructions.iter().enumerate() {
            for (n, closure) in self.closures.iter().enumerate() {
                if let Closure::Code { entry, captures } = closure
                    && entry.index() == pc
                {
                    let captures: Vec<u32> = captures.iter().map(|index| index.0).collect();
                    writeln!(f, "closure {n}, capturing {captures:?}:")?;
                }
            }
            if self.entry.index() == pc {
                writeln!(f, "program:")?;
            }
            let text = format!("{instruction:?}").replace("FormulaId", "formula ").replace("SlotId", "slot ");
            let text = text.replace("ClosureId", "closure ").replace("DataId", "data ");
            write!(f, "  {pc:4}  {}", unnamed(&unnamed(&text, "Pc("), "Index("))?;
            if let Instruction::Evaluate(id)
            | Instruction::BinaryRight(_, id)
            | Instruction::BinaryLeft(_, id)
            | Instruction::Assume(id)
            | Instruction::StoreElement(_, id) = instruction
            {
                write!(f, "   ;")?;
                for step in &self.formulas[id.index()].steps {
                    match step {
                        FormulaStep::Number(n) => write!(f, " {n}")?,
                        FormulaStep::Accumulator => write!(f, " acc")?,
                        FormulaStep::Load(index) => write!(f, " [{}]", index.0)?,
                        FormulaStep::LoadElement(index) => write!(f, " [{}][·]", index.0)?,
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

/// The text with numbers instead of ids that open like this.
fn unnamed(text: &str, opening: &str) -> String {
    let mut parts = text.split(opening);
    let mut plain = String::from(parts.next().unwrap_or_default());
    for part in parts {
        // The end of a longer word is no id.
        if plain.ends_with(char::is_alphanumeric) {
            plain.extend([opening, part]);
            continue;
        }
        let (number, rest) = part.split_once(')').unwrap_or((part, ""));
        plain.extend([number, rest]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_and_longer_words_stay() {
        assert_eq!(unnamed("StoreElement(Index(3), slot (4))", "Index("), "StoreElement(3, slot (4))");
        assert_eq!(unnamed("CheckIndex(3)", "Index("), "CheckIndex(3)");
        assert_eq!(unnamed("BindLabel(Some(Pc(7)))", "Pc("), "BindLabel(Some(7))");
    }
}
