//! Horn clauses: a program that speaks SMT-LIB 2 is asked whether relations exist that satisfy them.

use crate::pipe::Connection;
use crate::solver::{Limit, Reason};

/// Whether there are relations that satisfy the clauses of a script, which ends with the question. The program is ended
/// after that.
pub fn has_solution(mut program: Box<dyn Connection>, script: &str, limit: &Limit) -> Result<bool, Reason> {
    if let Some(reason) = limit.over() {
        return Err(reason);
    }
    program.send(script).map_err(Reason::Broken)?;
    loop {
        let line = program.receive(limit)?;
        return match line.trim() {
            "" | "success" | "unsupported" => continue,
            "sat" => Ok(true),
            "unsat" => Ok(false),
            "unknown" | "timeout" => Err(Reason::Beyond("these clauses".into())),
            other => {
                let start: String = other.chars().take(80).collect();
                Err(Reason::Broken(format!("the solver says what is no answer: `{start}`")))
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(Vec<&'static str>);

    impl Connection for Says {
        fn send(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }

        fn receive(&mut self, _: &Limit) -> Result<String, Reason> {
            if self.0.is_empty() {
                Err(Reason::Broken("it ended".into()))
            } else {
                Ok(self.0.remove(0).into())
            }
        }
    }

    #[test]
    fn the_first_word_that_is_an_answer_counts() {
        let ask =
            |lines: &[&'static str]| has_solution(Box::new(Says(lines.to_vec())), "", &Limit::default());
        assert_eq!(ask(&["success", "", "sat"]), Ok(true));
        assert_eq!(ask(&["unsat"]), Ok(false));
        assert!(matches!(ask(&["unknown"]), Err(Reason::Beyond(_))));
        assert!(matches!(ask(&["(error \"line 1\")", "sat"]), Err(Reason::Broken(_))));
        assert!(matches!(ask(&[]), Err(Reason::Broken(_))));
    }
}
