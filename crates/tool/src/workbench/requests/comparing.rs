//! Models, and whether two programs are equal in every environment.

use agon_check::equiv::{Comparison, Relation, Side};
use serde_json::Value;

use super::reading::open;
use super::telling::{Watch, cost};
use super::{Failure, MOST_DRAWN, Program, Tell, Within};
use crate::render::answer::why_for;
use crate::render::{comparison, store};
use crate::session::compare;
use crate::session::model::{Construction, NoModel};
use crate::workbench::graph::drawn;

pub(super) fn model(
    program: &Program,
    around: Option<u32>,
    Within { budget, reader, started }: Within<'_>,
) -> Result<Value, Failure> {
    let session = open(program)?;
    let model = session.model(Construction::Positions, true, budget).map_err(|reason| match reason {
        NoModel::Reason(reason) => why_for(&session, &reason, reader),
        NoModel::Parts(why) => why.into(),
    })?;
    let mut value = drawn(&model.written, around, MOST_DRAWN);
    value["peak_memory_mib"] = cost(started).peak_memory_mib.into();
    value["most_drawn"] = MOST_DRAWN.into();
    Ok(value)
}

pub(super) fn compared(
    left: &Program,
    right: &Program,
    relation: Relation,
    Within { budget, reader, started }: Within<'_>,
    tell: &mut Tell<'_>,
) -> Result<Value, Failure> {
    let aside =
        |side: &str, failure: Failure| Failure { message: format!("{side}: {}", failure.message), ..failure };
    let left = open(left).map_err(|failure| aside("the first program", failure))?;
    let right = open(right).map_err(|failure| aside("the second program", failure))?;
    let mut watch = Watch::new(tell, started);
    let (comparison, progress) =
        compare(&left, &right, relation, budget, &mut |notice| watch.notice(notice))?;
    let mut value = comparison::data(&comparison, relation, &left, &right, progress, cost(started));
    value["headline"] = match (&comparison, relation) {
        (Comparison::Holds, Relation::Equivalence) => "no environment tells the two programs apart".into(),
        (Comparison::Holds, Relation::Approximation) => {
            "every complete play of the first is one of the second".into()
        }
        (Comparison::Differs(difference), _) => match difference.side {
            Side::Left => "the first has this play, the second has not".into(),
            Side::Right => "the second has this play, the first has not".into(),
        },
        (Comparison::Unknown(side, reason), _) => {
            why_for(comparison::pick(*side, &left, &right), reason, reader).into()
        }
    };
    if let Comparison::Unknown(..) = &comparison {
        value["reason"] = value["headline"].clone();
    }
    if let Comparison::Differs(difference) = &comparison {
        let owner = comparison::owner(difference, &left, &right);
        store::add(&mut value, owner, &difference.play, budget);
        value["side"] = if difference.side == Side::Left { "left" } else { "right" }.into();
    }
    Ok(value)
}
