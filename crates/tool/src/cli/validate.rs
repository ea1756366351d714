//! `agon validate`: does a run of the program do what a witness says?

use std::path::PathBuf;
use std::time::Instant;

use agon_c::options::Evaluation;
use agon_c::types::DataModel;
use agon_check::refine::RefinementOptions;
use clap::Args;

use super::input::How;
use super::limits::{ProgressLine, budget};
use super::output::{Destination, remark};
use super::{Common, Format, Status, c, input};
use crate::render::answer::reason_for;
use crate::render::reader::Reader;
use crate::session::Opened;
use crate::session::module::ModuleSession;
use crate::svcomp::decide::decide;
use crate::svcomp::property::Property;
use crate::svcomp::validate::{Validated, violation};
use crate::svcomp::witness::{self, Entry, VIOLATION, fingerprint};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The witness, in SV-COMP's format 2.0.
    #[arg(value_name = "WITNESS")]
    witness: PathBuf,
    /// The C files of the program.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    c: c::Arguments,
}

pub(super) fn run(options: &Options) -> Status {
    let (entry, property) = match read(options) {
        Ok(read) => read,
        Err(why) => {
            remark(&format!("error: {why}\n"));
            return Status::Wrong;
        }
    };
    let started = Instant::now();
    let budget = budget(&options.common, started);
    let mut settings = options.c.settings(&options.common, Evaluation::Any, None);
    settings.options.checks.overflow |= property.is_about_overflow();
    let model = if entry.metadata.task.data_model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
    (settings.options.data_model, settings.preprocessing.data_model) = (model, model);
    let how = How { common: &options.common, c: &settings, budget: &budget, format: Format::Text };
    let session = match input::open_any(&options.files, how) {
        Ok(Opened::Module(session)) if session.is_closed() => session,
        Ok(_) => {
            remark("error: a witness is about a C program with `main`, and this is none\n");
            return Status::Wrong;
        }
        Err(no_program) => return no_program.status,
    };
    let line = ProgressLine::new(started, options.common.quiet);
    let validated = match changed(&options.files, &entry) {
        Some(file) => Validated::Refused(format!("it is about another text than that of `{file}`")),
        None if entry.entry_type == VIOLATION => {
            violation(&session, &property, &entry, &budget, &mut |notice| line.show(notice))
        }
        None => correctness(&session, &property, &entry, &budget, &line),
    };
    line.end();
    super::guard::answers();
    let (text, status) = match validated {
        Validated::Confirmed(how) => (format!("CONFIRMED  {how}\n"), Status::Holds),
        Validated::Refused(why) => (format!("REFUSED  {why}\n"), Status::DoesNotHold),
        Validated::Unknown(reason) => {
            let text = format!("UNKNOWN  {}\n", reason_for(&reason, Reader::Command));
            (text, Status::without_verdict(&reason))
        }
    };
    options.destination.say(&text);
    status
}

/// Reads the witness and the property that it is about.
fn read(options: &Options) -> Result<(Entry, Property), String> {
    let path = options.witness.display();
    let text = std::fs::read_to_string(&options.witness);
    let text = text.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
    let wrong = |why: String| format!("`{path}` is not a witness that agon can read: {why}");
    let entry = witness::read(&text).map_err(wrong)?;
    let property = Property::read(&entry.metadata.task.specification).map_err(wrong)?;
    Ok((entry, property))
}

/// A file that the witness is not about.
fn changed(files: &[PathBuf], entry: &Entry) -> Option<String> {
    let known = |file: &&PathBuf| {
        let text = std::fs::read(file).unwrap_or_default();
        let own = fingerprint(&text);
        !entry.metadata.task.input_file_hashes.values().any(|known| *known == own)
    };
    files.iter().find(known).map(|file| file.display().to_string())
}

/// A witness that no run violates the property: the property is decided again. Invariants are no part of that.
fn correctness(
    session: &ModuleSession,
    property: &Property,
    entry: &Entry,
    budget: &agon_base::budget::Budget,
    line: &ProgressLine,
) -> Validated {
    let effort = RefinementOptions::default();
    let decided = decide(session, property, |question, _| {
        let questions = std::slice::from_ref(question);
        let engine = agon_check::portfolio::Engine::Auto;
        session.check_all(questions, engine, None, &effort, budget, &mut |notice| line.show(notice)).remove(0)
    });
    let invariants = entry.content.iter().filter(|item| item.invariant.is_some()).count();
    match (decided.answer.as_str(), decided.checked.sequential.verdict) {
        ("true", _) if invariants == 0 => Validated::Confirmed("no run violates the property".into()),
        ("true", _) => Validated::Confirmed(format!(
            "no run violates the property; its invariants ({invariants}) are left out"
        )),
        (_, agon_check::library::Verdict::Unknown(reason)) => Validated::Unknown(reason),
        (answer, _) if answer.starts_with("false") => {
            Validated::Refused("a run violates the property".into())
        }
        _ => Validated::Unknown(agon_check::verdict::Reason::Unsupported("a verdict up to a bound".into())),
    }
}
