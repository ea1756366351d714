//! Solvers: is there a choice of numbers, bits and Booleans that makes all of these claims true?
//!
//! A question is a list of named [`Claim`]s, terms of sort Bool over named constants. A [`Solver`] answers with a
//! model, with the names of claims that contradict each other, or with the reason why it does not know. No model
//! is believed before our own evaluator has found the claims true in it, and *unknown* is never taken for *no*.
//!
//! ```text
//! terms, claims → Solver → a model | an unsat core | unknown, because
//! ```
//!
//! [`Embedded`](embedded::Embedded) is always there. [`Pipe`](pipe::Pipe) speaks SMT-LIB 2 with a program.
//! [`Checked`](checked::Checked) asks two, [`Cached`](cached::Cached) asks nothing twice, and a
//! [`Stack`](stack::Stack) gathers claims by push and pop.
//!
//! ```
//! use agon_solve::embedded::Embedded;
//! use agon_solve::{Answer, Claim, Limit, Name, Solver, Sort, Terms};
//!
//! let mut terms = Terms::new();
//! let x = terms.constant("x", Sort::Int);
//! let (three, four) = (terms.int(3i64), terms.int(4i64));
//! let claims = [terms.less(three, x), terms.less(x, four)].into_iter().zip([Name(0), Name(1)]);
//! let claims: Vec<Claim> = claims.map(|(term, name)| Claim { name, term }).collect();
//! let answer = Embedded::new().check(&terms, &claims, &Limit::default());
//! assert_eq!(answer, Answer::Unsat(vec![Name(0), Name(1)]), "no integer lies between 3 and 4");
//! ```
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod eval;
pub mod solver;
pub mod term;

pub mod embedded;

pub mod horn;
pub mod pipe;
pub mod smtlib;

pub mod cached;
pub mod checked;
pub mod core;
pub mod stack;

pub mod sample;

pub use eval::{Model, Value};
pub use solver::{Answer, Claim, Limit, Name, Reason, Solver};
pub use term::{Op, Sort, Term, Terms};
