//! Why a bound cannot be kept: the use that makes it too small.

use agon_base::diagnostic::{Code, Diagnostic};

use super::graph::{EventId, Excess, GREATEST, Node, Rule, Solution};
use super::{Broken, Claim, Inference, Position, Role, Shape, ShapeId};
use crate::term::{Construct, TermId, VarId};

/// What makes a number greater than it may be.
enum Blame {
    /// A use, without further ado.
    Use(TermId),
    /// A use at the same time as another.
    Beside(TermId, TermId),
    /// A use inside something that is itself used this many times at once.
    Within(TermId, TermId, u64),
}

impl Inference<'_> {
    /// The written bounds that are too small, each told once, where it comes up.
    pub(super) fn broken(&self, solution: &Solution) -> Vec<Broken> {
        let exceeded: Vec<&Claim> =
            self.claims.iter().filter(|claim| solution.value(claim.node) > claim.written).collect();
        // A bound that only passes on what breaks another one is not told as well. If the other one is in the type
        // that a definition has from its parameters, it is that one which is not told.
        let mut told = vec![true; exceeded.len()];
        for (number, claim) in exceeded.iter().enumerate() {
            let Some(source) = self.source(solution, claim.node, &exceeded) else { continue };
            let copied = self.definitions[exceeded[source].variable.index()]
                && exceeded[source].written == claim.written
                && !self.definitions[claim.variable.index()];
            told[if copied { source } else { number }] = false;
        }
        let told = exceeded.iter().zip(told).filter(|(_, told)| *told);
        let mut broken: Vec<_> = told.filter_map(|(claim, _)| self.one_broken(solution, claim)).collect();
        broken.sort_by_key(|broken| (broken.place.start, broken.place.end));
        broken
    }

    /// The claim among those given from which a bound takes what breaks it, unchanged.
    fn source(&self, solution: &Solution, node: Node, exceeded: &[&Claim]) -> Option<usize> {
        let mut at = solution.events[solution.latest(node)?.index()].operands[0];
        while let Some(event) = at {
            let event = solution.events[event.index()];
            if !matches!(self.graph.rule(event.node), Rule::Bound) {
                return None;
            }
            if let Some(number) = exceeded.iter().position(|claim| claim.node == event.node) {
                return Some(number);
            }
            at = event.operands[0];
        }
        None
    }

    fn one_broken(&self, solution: &Solution, claim: &Claim) -> Option<Broken> {
        let Claim { node, written, variable } = *claim;
        let event = solution.latest(node)?;
        let terms = &self.judgement.terms;
        let declared = terms.variable(variable);
        let position = self.position(variable, node, solution.value(node));
        let needed = position.bound;
        let usage = position.usage();
        let message = format!(
            "{usage} in up to {needed} {} at once, but the bound that is written is {written}",
            threads(needed)
        );
        let (place, mut diagnostic) =
            self.diagnostic(Code::BoundExceeded, message, solution, event, written, false);
        diagnostic = diagnostic.also(declared.span, format!("the bound {written} is written here"));
        diagnostic = diagnostic.help(match needed > GREATEST {
            true => "let it be used in fewer threads at once".to_string(),
            false => format!("write {{{needed}}}, or nothing, and it is inferred"),
        });
        Some(Broken { variable, position, written, place: terms.span(place), diagnostic })
    }

    /// That no bounds fit.
    pub(super) fn no_bounds(&self, excess: &Excess) -> Diagnostic {
        let solution = &excess.solution;
        let last = solution.events[excess.event.index()];
        let named = self.named(last.node);
        let what = match &named {
            Some((_, position)) => position.usage(),
            None => "what the conditional gives is used".into(),
        };
        let message = match excess.endless {
            true => format!("no bound is great enough: {what} in ever more threads at once"),
            false => format!("no bound is great enough: {what} in more than {GREATEST} threads at once"),
        };
        // Of what grows for ever, the step at which it grows is to be shown: what it came to before is the limit.
        let limit = match excess.endless {
            true => self.before(excess),
            false => GREATEST,
        };
        let (_, mut diagnostic) =
            self.diagnostic(Code::NoBounds, message, solution, excess.event, limit, excess.endless);
        if let Some((variable, _)) = named {
            let declared = self.judgement.terms.variable(variable);
            diagnostic = diagnostic.also(declared.span, format!("`{}` is declared here", declared.name));
        }
        match excess.endless {
            true => diagnostic
                .note("its bound depends on itself: each thread in it opens another one, or more, and so on")
                .help("call procedures one after the other, not inside of each other's arguments"),
            false => diagnostic
                .note("`||` and application add up, and what a definition uses counts for each use of it")
                .help("use definitions one after the other, or a cell instead of threads"),
        }
    }

    /// What a bound that grows for ever came to the time before.
    fn before(&self, excess: &Excess) -> u64 {
        let solution = &excess.solution;
        let node = solution.events[excess.event.index()].node;
        let mut at = excess.event;
        while let Some(before) = self.graph.origin(solution, at) {
            if solution.events[before.index()].node == node {
                return solution.events[before.index()].value;
            }
            at = before;
        }
        0
    }

    /// A diagnostic at the use that makes a number greater than a limit.
    fn diagnostic(
        &self,
        code: Code,
        message: String,
        solution: &Solution,
        event: EventId,
        limit: u64,
        endless: bool,
    ) -> (TermId, Diagnostic) {
        let terms = &self.judgement.terms;
        let span = |term: TermId| terms.span(term);
        match self.blame(solution, event, limit) {
            Blame::Use(term) => (term, Diagnostic::error(code, message, span(term), "used here")),
            Blame::Beside(term, other) if span(term) != span(other) => (
                term,
                Diagnostic::error(code, message, span(term), "this use is open at the same time")
                    .also(span(other), "as this one"),
            ),
            Blame::Beside(term, _) => {
                (term, Diagnostic::error(code, message, span(term), "used in several threads at once"))
            }
            Blame::Within(term, around, times) => {
                let label = match times > GREATEST {
                    true => format!("used here, in more than {GREATEST} threads at once"),
                    false if endless => "used here, in ever more threads at once".into(),
                    false => format!("used here, in up to {times} {} at once", threads(times)),
                };
                let mut diagnostic = Diagnostic::error(code, message, span(term), label);
                let by = match terms.construct(around) {
                    Construct::Apply(function, _) => Some((*function, "by this procedure")),
                    _ => None,
                };
                if let Some((function, label)) = by.filter(|(function, _)| span(*function) != span(term)) {
                    diagnostic = diagnostic.also(span(function), label);
                }
                (term, diagnostic)
            }
        }
    }

    /// Follows a number to the place where it first becomes greater than a limit.
    fn blame(&self, solution: &Solution, event: EventId, limit: u64) -> Blame {
        let value = |event: Option<EventId>| event.map_or(0, |event| solution.events[event.index()].value);
        let mut at = event;
        loop {
            let event = solution.events[at.index()];
            let [first, second] = event.operands;
            let greater = |of: Option<EventId>| of.filter(|_| value(of) > limit);
            match self.graph.rule(event.node) {
                Rule::Bound => match first {
                    // What the environment is allowed to do is passed on at the place of the flow.
                    Some(from) if !self.is_fixed(solution, from) => at = from,
                    _ => return Blame::Use(event.place),
                },
                Rule::Fixed(_) | Rule::Use => return Blame::Use(event.place),
                Rule::Max(..) => match self.graph.origin(solution, at) {
                    Some(from) => at = from,
                    None => return Blame::Use(event.place),
                },
                Rule::Sum(..) => match greater(first).or(greater(second)) {
                    Some(from) => at = from,
                    None => {
                        return Blame::Beside(
                            self.occurrence(solution, second, event.place),
                            self.occurrence(solution, first, event.place),
                        );
                    }
                },
                Rule::Product(..) => match greater(second) {
                    Some(from) => at = from,
                    None => {
                        let place = self.occurrence(solution, second, event.place);
                        return Blame::Within(place, event.place, event.value);
                    }
                },
            }
        }
    }

    fn is_fixed(&self, solution: &Solution, event: EventId) -> bool {
        matches!(self.graph.rule(solution.events[event.index()].node), Rule::Fixed(_))
    }

    /// An occurrence that counts towards a usage.
    fn occurrence(&self, solution: &Solution, event: Option<EventId>, otherwise: TermId) -> TermId {
        let mut at = event;
        while let Some(event) = at {
            let number = event;
            let event = solution.events[number.index()];
            at = match self.graph.rule(event.node) {
                Rule::Product(..) => event.operands[1],
                Rule::Max(..) | Rule::Sum(..) => self.graph.origin(solution, number),
                Rule::Use | Rule::Bound | Rule::Fixed(_) => return event.place,
            };
        }
        otherwise
    }

    /// Where a number stands in a variable's type.
    fn position(&self, variable: VarId, node: Node, bound: u64) -> Position {
        let declared = &self.judgement.terms.variable(variable);
        let procedure = self.variables[variable.index()] != super::BASE;
        let path = match self.outermost[variable.index()] == Some(node) {
            true => Vec::new(),
            false => self.path(self.variables[variable.index()], node).unwrap_or_default(),
        };
        let role = if path.len() % 2 == 0 { Role::Guarantee } else { Role::Assume };
        let identifier = Some(declared.name.clone());
        Position { identifier, procedure, path, role, bound }
    }

    /// The variable in whose type a number stands, and where.
    fn named(&self, node: Node) -> Option<(VarId, Position)> {
        (0..self.variables.len()).map(VarId::new).find_map(|variable| {
            let outermost = self.outermost[variable.index()] == Some(node);
            let inside = || self.path(self.variables[variable.index()], node).is_some();
            (outermost || inside()).then(|| (variable, self.position(variable, node, 0)))
        })
    }

    /// The way to a number inside of a shape, argument by argument.
    fn path(&self, shape: ShapeId, node: Node) -> Option<Vec<usize>> {
        let mut waiting = vec![(shape, Vec::new(), 1)];
        while let Some((shape, path, nth)) = waiting.pop() {
            if let Shape::Procedure { bound, argument, result } = self.shapes[shape.index()] {
                let mut inner = path.clone();
                inner.push(nth);
                if bound == node {
                    return Some(inner);
                }
                waiting.push((argument, inner, 1));
                waiting.push((result, path, nth + 1));
            }
        }
        None
    }
}

fn threads(n: u64) -> &'static str {
    if n == 1 { "thread" } else { "threads" }
}
