//! The refinement loop: look for a counterexample, certify it, and refine what makes it spurious [OTF, §4; GC, §3; PRED, §4].

use std::collections::BTreeMap;

use agon_base::intern::Interner;
use agon_games::moves::Player;

use crate::search::{Notice, Observer, Progress};
use crate::verdict::{Account, Iteration, Reason, Refinement, Report, Verdict};

/// A counterexample, if a search has found one; or why the search came to no end.
pub(crate) type Found<P> = Result<Option<P>, Reason>;

/// An abstraction with counterexamples, which can be made finer.
pub(crate) trait Refinable {
    /// A counterexample: a path to the target.
    type Path;
    /// A play as the verdict has it, and what confirms it.
    type Play;
    type Evidence;
    /// What makes a counterexample spurious, if that says what to refine.
    type Cause;

    /// What the engine is called.
    fn name(&self) -> &'static str;
    /// What is known of each variable, in words.
    fn known(&self) -> Vec<(String, String)>;
    /// How many moves were played so far.
    fn played(&self) -> u64;
    /// Looks for a counterexample. Records how far the search has come.
    fn candidate(&mut self, progress: &mut Progress, observe: &mut Observer<'_>) -> Found<Self::Path>;
    /// The moves of all counterexamples, each distinct move once.
    fn written(&mut self) -> &mut Interner<(Player, String)>;
    /// The moves of a counterexample, by their numbers.
    fn moves(&mut self, path: &Self::Path) -> Vec<u32>;
    /// The verdict that follows from a counterexample, unless it is spurious. Records in the iteration why it is.
    fn certify(
        &mut self,
        path: &Self::Path,
        iteration: &mut Iteration,
    ) -> Result<Verdict<Self::Play, Self::Evidence>, Self::Cause>;
    /// Refines so that a counterexample is excluded. Records in the iteration what was made finer.
    fn refine(
        &mut self,
        path: &Self::Path,
        cause: Self::Cause,
        iteration: &mut Iteration,
    ) -> Result<(), Reason>;
}

/// Refines until there is a verdict, at most in this many iterations.
pub(crate) fn refine<R: Refinable>(
    refinable: &mut R,
    iterations: usize,
    observe: &mut Observer<'_>,
) -> Report<R::Play, R::Evidence> {
    let mut largest = Progress::default();
    let mut history = Vec::new();
    let verdict = loop {
        let mut iteration = Iteration::default();
        largest.iteration += 1;
        let verdict = iterate(refinable, iterations, &mut iteration, &mut largest, observe);
        let name = refinable.name();
        observe(Notice::Iteration(name, &iteration, refinable.written().as_slice()));
        history.push(iteration);
        if let Some(verdict) = verdict {
            break verdict;
        }
    };
    let refinement = Refinement {
        abstraction: refinable.known(),
        kept_splitting: kept_splitting(&history),
        moves: std::mem::take(refinable.written()).into_vec(),
        history,
    };
    Report {
        iterations: largest.iteration,
        states: largest.states,
        transitions: largest.transitions,
        account: Account::Approximated(refinement),
        ..Report::new(verdict, refinable.name())
    }
}

/// One iteration: the verdict, unless something was made finer.
fn iterate<R: Refinable>(
    refinable: &mut R,
    iterations: usize,
    iteration: &mut Iteration,
    largest: &mut Progress,
    observe: &mut Observer<'_>,
) -> Option<Verdict<R::Play, R::Evidence>> {
    let played = refinable.played();
    let mut progress = Progress { iteration: largest.iteration, ..Progress::default() };
    let found = refinable.candidate(&mut progress, observe);
    observe(progress.into());
    if progress.states >= largest.states {
        *largest = progress;
    }
    iteration.abstraction = refinable.known();
    iteration.states = progress.states;
    iteration.played = refinable.played() - played;
    let path = match found {
        Ok(Some(path)) => path,
        Ok(None) => return Some(Verdict::Safe),
        Err(reason) => {
            iteration.spurious = Some("it was not finished".into());
            return Some(Verdict::Unknown(reason));
        }
    };
    iteration.play = refinable.moves(&path);
    iteration.play.shrink_to_fit();
    let cause = match refinable.certify(&path, iteration) {
        Ok(verdict) => return Some(verdict),
        Err(cause) => cause,
    };
    if progress.iteration >= iterations {
        return Some(Verdict::Unknown(Reason::Iterations(progress.iteration)));
    }
    refinable.refine(&path, cause, iteration).err().map(Verdict::Unknown)
}

/// The variable that was split most, and how often.
fn kept_splitting(history: &[Iteration]) -> Option<(String, usize)> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for split in history.iter().flat_map(|iteration| &iteration.splits) {
        *times.entry(&split.variable).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map(|(name, times)| (name.into(), times))
}
