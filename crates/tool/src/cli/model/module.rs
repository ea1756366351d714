//! `agon model` of a module: nested automata, one for the turn of the environment and one for each procedure that waits.

use std::time::Instant;

use agon_base::budget::Budget;

use super::{ModelFormat, Options, too_large, undecided};
use crate::cli::limits::ProgressLine;
use crate::cli::output::{counted, remark};
use crate::cli::{Status, guard};
use crate::render::answer::reason_for;
use crate::render::module::model::Spelt;
use crate::render::reader::Reader;
use crate::session::module::ModuleSession;
use crate::system::peak_memory;

pub(super) fn run(options: &Options, session: &ModuleSession, budget: &Budget, started: Instant) -> Status {
    let common = &options.common;
    if let Some(option) = unsuited(options) {
        remark(&format!("error: `{option}` does not apply to modules, and this is one\n"));
        return Status::Wrong;
    }
    let line = ProgressLine::new(started, common.quiet);
    let model = session.model(budget, &mut |notice| line.show(notice));
    line.end();
    let model = match model {
        Ok(model) => model,
        Err(reason) => {
            undecided(&reason_for(&reason, Reader::Command));
            return Status::without_verdict(&reason);
        }
    };
    guard::answers();
    let spelt = Spelt::new(session, &model);
    let destination = &options.destination;
    match options.format {
        ModelFormat::Json => destination.write(|mut out| spelt.json(&mut out)),
        ModelFormat::Dot => destination.write(|mut out| spelt.dot(&mut out)),
        ModelFormat::Svg => {
            if let Some(status) = too_large(spelt.states(), options.max_states, "text, json and dot") {
                return status;
            }
            destination.write(|mut out| spelt.svg(&mut out));
        }
        ModelFormat::Text | ModelFormat::Aut | ModelFormat::Cspm => destination.say(&spelt.text()),
    }
    if !common.quiet {
        let memory = peak_memory().map_or(String::new(), |mib| format!(", {mib:.0} MiB"));
        remark(&format!(
            "{}, {}, {}, from {}, {:.3} s{memory}\n",
            counted(model.stores.len() as u64, "store"),
            counted(model.activations.len() as u64, "waiting activation"),
            counted(model.edges.len() as u64, "transition"),
            counted(model.visited as u64, "position"),
            started.elapsed().as_secs_f64()
        ));
    }
    Status::Holds
}

/// An option that needs a term. Formats for one automaton are among them.
fn unsuited(options: &Options) -> Option<&'static str> {
    let chosen = [
        (options.revealed, "--revealed"),
        (options.bottom_up, "--bottom-up"),
        (options.no_reduction, "--no-reduction"),
        (options.plays, "--plays"),
        (options.format == ModelFormat::Aut, "--format aut"),
        (options.format == ModelFormat::Cspm, "--format cspm"),
    ];
    chosen.into_iter().find(|(chosen, _)| *chosen).map(|(_, option)| option)
}
