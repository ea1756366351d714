//! `agon check --property`: a property of SV-COMP, and its witness.

use std::path::{Path, PathBuf};
use std::time::Instant;

use agon_base::budget::Budget;
use agon_check::library::Verdict;
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::search::Observer;

use crate::c::Settings;
use crate::session::module::ModuleSession;
use crate::svcomp::decide::{Decided, decide};
use crate::svcomp::property::Property;
use crate::svcomp::witness::About;

/// Reads a property from a file.
pub(super) fn read(path: &Path) -> Result<Property, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    Property::read(&text).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// What questions are asked with.
pub(super) struct Asking<'a> {
    pub session: &'a ModuleSession,
    pub engine: Engine,
    pub effort: &'a RefinementOptions,
    pub budget: &'a Budget,
}

impl Asking<'_> {
    /// Decides a property.
    pub fn decide(&self, property: &Property, observe: &mut Observer<'_>) -> Decided {
        let Asking { session, engine, effort, budget } = self;
        decide(session, property, |question, first| {
            // The first question may take half of the time.
            let now = Instant::now();
            let half = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
            let deadline = if first { budget.deadline.map(half) } else { budget.deadline };
            let budget = Budget { deadline, ..(*budget).clone() };
            let questions = std::slice::from_ref(question);
            session.check_all(questions, *engine, session.bounds(1), effort, &budget, observe).remove(0)
        })
    }
}

/// Writes the witness of an answer, if it is one.
pub(super) fn write_witness(
    path: &Path,
    session: &ModuleSession,
    (files, settings): (&[PathBuf], &Settings),
    property: &Property,
    answer: &str,
    verdict: &Verdict,
) -> Result<(), String> {
    if answer.trim() == "unknown" {
        return Ok(());
    }
    let text = |file: &PathBuf| {
        let name = file.display().to_string();
        let text = std::fs::read(file).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        Ok((name, text))
    };
    let files = files.iter().map(text).collect::<Result<Vec<_>, String>>()?;
    let about = About { files: &files, property, data_model: settings.options.data_model };
    match about.witness(session, verdict) {
        Some(text) => crate::atomic::write(path, text.as_bytes())
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display())),
        None => Ok(()),
    }
}
