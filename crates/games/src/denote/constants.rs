//! The strategies of the constructs, as the papers print them.

use agon_base::int::Int;
use agon_core::term::{LabelId, Operator, VarId};
use agon_core::types::Data;

use super::compose::{Constant, Signal};
use super::letters::Own;
use crate::moves::Label;

fn own(label: Label) -> Signal {
    Signal::Own(Own::plain(label))
}

fn part(n: usize, label: Label) -> Signal {
    Signal::Part(n, Own::plain(label))
}

/// q · n
pub(super) fn number(n: &Int) -> Constant {
    let mut c = Constant::new();
    let at = c.path(Constant::START, [own(Label::Ask)]);
    c.edge(at, own(Label::Value(n.clone())), Constant::END);
    c
}

/// run · done
pub(super) fn skip() -> Constant {
    let mut c = Constant::new();
    let at = c.path(Constant::START, [own(Label::Run)]);
    c.edge(at, own(Label::Done), Constant::END);
    c
}

/// q · abort
pub(super) fn abort(questions: &[Own]) -> Constant {
    ending(questions, Signal::Abort)
}

/// q, and nothing after it: no complete play.
pub(super) fn nothing(questions: &[Own]) -> Constant {
    let mut c = Constant::new();
    for question in questions {
        c.path(Constant::START, [Signal::Own(question.clone())]);
    }
    c
}

/// q · go l
pub(super) fn goto(label: LabelId, questions: &[Own]) -> Constant {
    ending(questions, Signal::Go(label))
}

fn ending(questions: &[Own], signal: Signal) -> Constant {
    let mut c = Constant::new();
    for question in questions {
        let at = c.path(Constant::START, [Signal::Own(question.clone())]);
        c.edge(at, signal.clone(), Constant::END);
    }
    c
}

/// q · 1.q · 1.n · f(n)
pub(super) fn unary(values: &[Int], f: impl Fn(&Int) -> Int) -> Constant {
    let mut c = Constant::new();
    let asked = c.path(Constant::START, [own(Label::Ask), part(0, Label::Ask)]);
    for n in values {
        let at = c.path(asked, [part(0, Label::Value(n.clone()))]);
        c.edge(at, own(Label::Value(f(n))), Constant::END);
    }
    c
}

/// q · 1.q · 1.m · 2.q · 2.n · (m ⊕ n), or abort where there is no such number [OTF, §3.1]
pub(super) fn binary(left: &[Int], right: &[Int], operator: Operator) -> Constant {
    let mut c = Constant::new();
    let first = c.path(Constant::START, [own(Label::Ask), part(0, Label::Ask)]);
    for m in left {
        let second = c.path(first, [part(0, Label::Value(m.clone())), part(1, Label::Ask)]);
        for n in right {
            let at = c.path(second, [part(1, Label::Value(n.clone()))]);
            match operator.apply(m, n) {
                Some(result) => c.edge(at, own(Label::Value(result)), Constant::END),
                None => c.edge(at, Signal::Abort, Constant::END),
            }
        }
    }
    c
}

/// read · 1.read · 1.n · (n in range), and write(n) · 1.write(n in the inner range) · 1.ok · ok
pub(super) fn wrap_variable(values: &[Int], data: &Data, inner: &Data, questions: &[Own]) -> Constant {
    let mut c = Constant::new();
    for question in questions {
        let asked = c.path(Constant::START, [Signal::Own(question.clone())]);
        if let Label::Write(n) = &question.label {
            let at = c.path(asked, [part(0, Label::Write(inner.wrap(n))), part(0, Label::Ok)]);
            c.edge(at, own(Label::Ok), Constant::END);
            continue;
        }
        let at = c.path(asked, [part(0, Label::Read)]);
        for n in values {
            let read = c.path(at, [part(0, Label::Value(n.clone()))]);
            c.edge(read, own(Label::Value(data.wrap(n))), Constant::END);
        }
    }
    c
}

/// q · 1.run · 1.done · 2.q · 2.a · a
pub(super) fn sequence(exchanges: &[(Own, Vec<Own>)]) -> Constant {
    let mut c = Constant::new();
    for (question, answers) in exchanges {
        let first = [Signal::Own(question.clone()), part(0, Label::Run), part(0, Label::Done)];
        let at = c.path(Constant::START, first);
        pass_on(&mut c, at, 1, question, answers);
    }
    c
}

/// q · 1.q · (1.n · 2.q · 2.a · a for n ≠ 0, 1.0 · 3.q · 3.a · a)
pub(super) fn conditional(guards: &[Int], exchanges: &[(Own, Vec<Own>)]) -> Constant {
    let mut c = Constant::new();
    for (question, answers) in exchanges {
        let asked = c.path(Constant::START, [Signal::Own(question.clone()), part(0, Label::Ask)]);
        for n in guards {
            let at = c.path(asked, [part(0, Label::Value(n.clone()))]);
            pass_on(&mut c, at, if n.is_zero() { 2 } else { 1 }, question, answers);
        }
    }
    c
}

/// i.q · i.a · a
fn pass_on(c: &mut Constant, from: u32, n: usize, question: &Own, answers: &[Own]) {
    let at = c.path(from, [Signal::Part(n, question.clone())]);
    for answer in answers {
        let answered = c.path(at, [Signal::Part(n, answer.clone())]);
        c.edge(answered, Signal::Own(answer.clone()), Constant::END);
    }
}

/// run · (1.q · 1.n · 2.run · 2.done)* · 1.q · 1.0 · done
pub(super) fn repeat(guards: &[Int]) -> Constant {
    let mut c = Constant::new();
    let head = c.path(Constant::START, [own(Label::Run)]);
    let asked = c.path(head, [part(0, Label::Ask)]);
    for n in guards {
        let at = c.path(asked, [part(0, Label::Value(n.clone()))]);
        if n.is_zero() {
            c.edge(at, own(Label::Done), Constant::END);
        } else {
            let body = c.path(at, [part(1, Label::Run)]);
            c.edge(body, part(1, Label::Done), head);
        }
    }
    c
}

/// run · 2.q · 2.n · 1.write(n) · 1.ok · done
pub(super) fn assign(values: &[Int]) -> Constant {
    let mut c = Constant::new();
    let asked = c.path(Constant::START, [own(Label::Run), part(1, Label::Ask)]);
    for n in values {
        let path = [part(1, Label::Value(n.clone())), part(0, Label::Write(n.clone())), part(0, Label::Ok)];
        let at = c.path(asked, path);
        c.edge(at, own(Label::Done), Constant::END);
    }
    c
}

/// q · 1.read · 1.n · n
pub(super) fn read(values: &[Int]) -> Constant {
    let mut c = Constant::new();
    let asked = c.path(Constant::START, [own(Label::Ask), part(0, Label::Read)]);
    for n in values {
        let at = c.path(asked, [part(0, Label::Value(n.clone()))]);
        c.edge(at, own(Label::Value(n.clone())), Constant::END);
    }
    c
}

/// read · 2.q · 2.i · 1[i].read · 1[i].n · n, likewise for writes; abort where i is out of bounds
pub(super) fn index(questions: &[Own], answers: &[Int], indices: &[Int], length: u64) -> Constant {
    let mut c = Constant::new();
    for question in questions {
        let asked = c.path(Constant::START, [Signal::Own(question.clone()), part(1, Label::Ask)]);
        for i in indices {
            let at = c.path(asked, [part(1, Label::Value(i.clone()))]);
            let Some(i) = i.to_u64().filter(|i| *i < length) else {
                c.edge(at, Signal::Abort, Constant::END);
                continue;
            };
            let element = |label: Label| Signal::Part(0, Own { element: Some(i), label });
            let at = c.path(at, [element(question.label.clone())]);
            if matches!(question.label, Label::Write(_)) {
                let at = c.path(at, [element(Label::Ok)]);
                c.edge(at, own(Label::Ok), Constant::END);
                continue;
            }
            for n in answers {
                let at = c.path(at, [element(Label::Value(n.clone()))]);
                c.edge(at, own(Label::Value(n.clone())), Constant::END);
            }
        }
    }
    c
}

/// run · 1.grab · 1.ok · done, and the same of `release`
pub(super) fn semaphore(question: Label) -> Constant {
    let mut c = Constant::new();
    let at = c.path(Constant::START, [own(Label::Run), part(0, question), part(0, Label::Ok)]);
    c.edge(at, own(Label::Done), Constant::END);
    c
}

/// q · (x.q · x.a) · a
pub(super) fn access(var: VarId, exchanges: &[(Own, Vec<Own>)]) -> Constant {
    let mut c = Constant::new();
    for (question, answers) in exchanges {
        let asked = c.path(Constant::START, [Signal::Own(question.clone())]);
        for answer in answers {
            let at = c.path(asked, [Signal::Cell(var, question.clone(), answer.clone())]);
            c.edge(at, Signal::Own(answer.clone()), Constant::END);
        }
    }
    c
}

/// q · f.q · (Σᵢ f.i.q · i.q · i.a · f.i.a)* · f.a · a
pub(super) fn copycat(
    var: VarId,
    exchanges: &[(Own, Vec<Own>)],
    arguments: &[Vec<(Own, Vec<Own>)>],
) -> Constant {
    let mut c = Constant::new();
    for (question, answers) in exchanges {
        let waiting =
            c.path(Constant::START, [Signal::Own(question.clone()), Signal::At(var, None, question.clone())]);
        for (n, argument) in arguments.iter().enumerate() {
            for (question, answers) in argument {
                let asked = [Signal::At(var, Some(n), question.clone()), Signal::Part(n, question.clone())];
                let at = c.path(waiting, asked);
                for answer in answers {
                    let at = c.path(at, [Signal::Part(n, answer.clone())]);
                    c.edge(at, Signal::At(var, Some(n), answer.clone()), waiting);
                }
            }
        }
        for answer in answers {
            let at = c.path(waiting, [Signal::At(var, None, answer.clone())]);
            c.edge(at, Signal::Own(answer.clone()), Constant::END);
        }
    }
    c
}
