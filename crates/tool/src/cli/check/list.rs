//! `agon check --all`, or with several targets: a verdict for each.

use std::time::Instant;

use agon_base::budget::Budget;
use agon_base::id::size;
use agon_check::portfolio::Engine;
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Reason, Report, Verdict};

use super::reported::{Answered, Said};
use super::{Options, figures, write_environment};
use crate::cli::Status;
use crate::cli::input::NoProgram;
use crate::cli::limits::ProgressLine;
use crate::cli::output::remark;
use crate::render::checks;
use crate::render::json::Cost;
use crate::render::module::assumed;
use crate::session::Session;
use crate::system::peak_memory;

/// Answers several questions about a program. The status is the worst.
pub(super) fn list(
    options: &Options,
    session: &Session,
    questions: &[Question],
    engine: Engine,
    budget: &Budget,
    started: Instant,
) -> Result<Answered, NoProgram> {
    let line = ProgressLine::new(started, options.common.quiet);
    let reports = match options.asked.solvers() {
        Ok(solvers) => {
            let certify = options.certify.into();
            let effort = RefinementOptions {
                certify,
                iterations: size(options.iterations),
                solvers,
                ..RefinementOptions::default()
            };
            session.check_each(questions, engine, &effort, budget, &mut |notice| line.show(notice))
        }
        Err(why) => {
            let reason = Reason::Solver(agon_solve::Reason::Broken(why));
            vec![Report::new(Verdict::Unknown(reason), engine.name()); questions.len()]
        }
    };
    line.end();
    let cost = Cost { seconds: started.elapsed().as_secs_f64(), peak_memory_mib: peak_memory() };
    let mut status = Status::Holds;
    let mut environment = options.environment.as_ref();
    for report in &reports {
        status = status.and(match &report.verdict {
            Verdict::Safe => Status::Holds,
            Verdict::Unsafe(_, evidence) => {
                match (environment.take(), &evidence.closed) {
                    (Some(path), Some(closed)) => {
                        write_environment(path, &closed.text, &session.source, options.reported.errors())?;
                    }
                    (Some(_), None) => remark("no environment is written: none was seen to do it in time\n"),
                    (None, _) => {}
                }
                Status::DoesNotHold
            }
            Verdict::Unknown(reason) => Status::without_verdict(reason),
        });
    }
    if options.reported.as_data() {
        return Ok(Answered::data(status, checks::data(session, questions, &reports, cost, budget)));
    }
    let text = checks::text(session, questions, &reports, options.common.verbose, budget);
    let said = Said::Text(text + &assumed(session.assumed.clone()));
    let remarks = match (checks::worst(&reports), options.common.quiet) {
        (Some(n), false) => {
            let order = options.order.map_or(Order::Fixed, |name| name.order(options.seed));
            let report = Report { because: None, ..reports[n].clone() };
            figures(&report, cost, order, options.common.verbose)
        }
        _ => String::new(),
    };
    Ok(Answered { status, said, remarks })
}
