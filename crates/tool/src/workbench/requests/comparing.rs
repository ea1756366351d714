//! Models, and whether two programs are equal in every environment.

use agon_check::equiv::{self, Comparison, Relation, Side};

use super::progress::Reporter;
use super::reading::{open, open_any};
use super::{Context, Emit, MOST_DRAWN};
use crate::render::answer::{reason_for, why_for};
use crate::render::comparison;
use crate::render::module::model::Spelt;
use crate::session::model::Construction;
use crate::session::{Opened, compare_with};
use crate::shape::event::{self as shape, Answer, Drawn, Failure};
use crate::shape::request::Program;
use crate::system::peak_memory;
use crate::workbench::graph::drawn;

/// The most states of a module's model that are drawn: boxes take more room than circles.
const MOST_BOXES: usize = 400;

pub(super) fn model(
    program: &Program,
    around: Option<u32>,
    Context { budget, reader, .. }: Context<'_>,
) -> Result<Answer, Failure> {
    let graph = match open_any(program, budget)? {
        Opened::Term(session) => {
            let model = session.model(Construction::Positions, true, budget);
            let model = model.map_err(|reason| why_for(&session, &reason, reader))?;
            drawn(&model.written, around, MOST_DRAWN)
        }
        Opened::Module(session) => {
            let model = session.model(budget, &mut |_| {}).map_err(|reason| reason_for(&reason, reader))?;
            let spelt = Spelt::new(&session, &model);
            let states = spelt.states();
            if states > MOST_BOXES {
                return Err(format!("the model has {states} states, too many to draw").into());
            }
            spelt.graph()
        }
    };
    Ok(Answer::Model(Drawn { graph, peak_memory_mib: peak_memory(), most_drawn: MOST_DRAWN }))
}

pub(super) fn compared(
    left: &Program,
    right: &Program,
    relation: Relation,
    Context { budget, reader, started }: Context<'_>,
    emit: &mut Emit<'_>,
) -> Result<Answer, Failure> {
    let aside =
        |side: &str, failure: Failure| Failure { message: format!("{side}: {}", failure.message), ..failure };
    let left = open(left, budget).map_err(|failure| aside("the first program", failure))?;
    let right = open(right, budget).map_err(|failure| aside("the second program", failure))?;
    let mut reporter = Reporter::new(emit, started);
    let options = equiv::Options::new(relation);
    let found = compare_with(&left, &right, &options, budget, &mut |notice| reporter.notice(notice))?;
    let comparison = &found.comparison;
    let stores = comparison::stores(comparison, &left, &right, budget);
    let mut compared = comparison::data(&found, relation, &left, &right, stores.as_deref());
    let mut side = None;
    let only = |difference: &equiv::Difference| {
        difference.only.iter().map(|only| format!(", {only}")).collect::<String>()
    };
    let headline = match (comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => "no environment tells the two programs apart".into(),
        (Comparison::Holds, Relation::Approximation) => {
            "every complete play of the first is one of the second".into()
        }
        (Comparison::Differs(difference), _) if difference.side == Side::Left => {
            side = Some(shape::Side::Left);
            format!("the first has this play, the second does not{}", only(difference))
        }
        (Comparison::Differs(difference), _) => {
            side = Some(shape::Side::Right);
            format!("the second has this play, the first does not{}", only(difference))
        }
        (Comparison::Unknown(side, reason), _) => {
            let headline = why_for(comparison::pick(*side, &left, &right), reason, reader);
            compared.reason = Some(headline.clone());
            headline
        }
    };
    Ok(Answer::Compare(Box::new(shape::Comparison { headline, compared, side })))
}
