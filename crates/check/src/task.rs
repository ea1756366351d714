//! A task: what is asked about which program, and what an engine may use to answer.

use std::sync::LazyLock;

use agon_base::budget::Budget;
use agon_witness::verify::Subject;

use crate::question::Question;
use crate::refine::RefinementOptions;

/// What is asked about which program, and what an engine may use to answer.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The program.
    pub subject: Subject<'a>,
    /// What is asked.
    pub question: &'a Question,
    /// How far refinement goes.
    pub effort: &'a RefinementOptions,
    /// What the answer may cost.
    pub budget: &'a Budget,
}

/// The effort of a task that names none.
static USUAL: LazyLock<RefinementOptions> = LazyLock::new(RefinementOptions::default);

impl<'a> Task<'a> {
    /// A task with the usual effort.
    pub fn new(subject: Subject<'a>, question: &'a Question, budget: &'a Budget) -> Task<'a> {
        Task { subject, question, effort: &USUAL, budget }
    }
}
