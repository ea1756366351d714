//! The embedded solver against all values: tiny questions, whose answers can be had by trying.

use std::time::Duration;

use agon_base::int::Int;
use agon_solve::embedded::Embedded;
use agon_solve::sample::{Question, Shape, Size, question};
use agon_solve::{Answer, Claim, Limit, Model, Op, Solver, Sort, Term, Terms, Value};

fn limit() -> Limit {
    Limit::within(Duration::from_secs(60))
}

/// The values that a constant can have.
fn values(terms: &Terms, constant: Term, range: (i64, i64)) -> Vec<Value> {
    match terms.sort(constant) {
        Sort::Bool => vec![Value::Truth(false), Value::Truth(true)],
        Sort::Int => (range.0..=range.1).map(|n| Value::Number(Int::from(n))).collect(),
        Sort::Bits(width) => (0..1i64 << width).map(|n| Value::Number(Int::from(n))).collect(),
    }
}

/// Whether some values make the claims true.
fn can_hold(terms: &Terms, claims: &[Claim], range: (i64, i64)) -> bool {
    let all = terms.parts_first(claims.iter().map(|claim| claim.term));
    let constants: Vec<Term> =
        all.into_iter().filter(|term| matches!(terms.op(*term), Op::Constant(_))).collect();
    let choices: Vec<Vec<Value>> = constants.iter().map(|constant| values(terms, *constant, range)).collect();
    let mut chosen = vec![0; constants.len()];
    loop {
        let mut model = Model::default();
        for (i, constant) in constants.iter().enumerate() {
            model.set(*constant, choices[i][chosen[i]].clone());
        }
        let values = model.values(terms, claims.iter().map(|claim| claim.term));
        if claims.iter().all(|claim| values[&claim.term].is_true()) {
            return true;
        }
        let Some(i) = (0..chosen.len()).find(|i| chosen[*i] + 1 < choices[*i].len()) else { return false };
        chosen[i] += 1;
        chosen[..i].fill(0);
    }
}

/// Asks, and compares every answer; says how many there were of each kind.
fn compare(question: &Question, seed: u64) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut stack = agon_solve::stack::Stack::new(Embedded::new());
    question.walk(&mut stack, |stack| {
        let expected = can_hold(&question.terms, stack.claims(), question.range);
        counts[usize::from(expected)] += 1;
        let claims = stack.claims().to_vec();
        match stack.check(&question.terms, &limit()) {
            Answer::Sat(_) => assert!(expected, "seed {seed}: a model of what cannot be"),
            Answer::Unsat(core) => {
                assert!(!expected, "seed {seed}: a model was missed");
                // What is said to contradict itself does so alone, also outside of the range.
                let core: Vec<Claim> =
                    claims.iter().filter(|claim| core.contains(&claim.name)).copied().collect();
                assert!(
                    !can_hold(&question.terms, &core, question.range),
                    "seed {seed}: the core has a model"
                );
                let alone = Embedded::new().check(&question.terms, &core, &limit());
                assert!(matches!(alone, Answer::Unsat(_)), "seed {seed}: the core alone: {alone:?}");
            }
            Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
        }
    });
    counts
}

fn tiny_questions(count: u64) {
    for shape in Shape::ALL {
        let mut counts = [0; 2];
        for seed in 0..count {
            let found = compare(&question(seed, shape, Size::TINY, seed % 2 == 1), seed);
            counts = [counts[0] + found[0], counts[1] + found[1]];
        }
        assert!(counts.iter().all(|count| *count > 20), "{shape:?}: {counts:?} are too few of one kind");
    }
}

#[test]
fn tiny_questions_are_answered_as_trying_all_values_does() {
    tiny_questions(150);
}

#[test]
#[ignore = "a long run"]
fn tiny_questions_are_answered_as_trying_all_values_does_at_length() {
    tiny_questions(4_000);
}
