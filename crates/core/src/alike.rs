//! Programs that differ only in layout, comments and bound names (α-equivalence). No environment tells them apart,
//! whatever their data.

use std::collections::{HashMap, HashSet};

use crate::term::{Construct, Judgement, LabelId, New, TermId, VarId};

/// Where names get other partners, parts that are used several times are compared again, up to this factor.
const SHARING: usize = 8;

/// Whether the two are the same program but for layout, comments and bound names. A `false` says nothing.
pub fn alike(left: &Judgement, right: &Judgement) -> bool {
    if left.mode != right.mode || left.ty != right.ty || left.arguments.len() != right.arguments.len() {
        return false;
    }
    let mut pairing = Pairing {
        left,
        right,
        to_right: HashMap::default(),
        labels: HashMap::default(),
        compared: HashSet::default(),
    };
    for (a, b) in left.arguments.iter().zip(&right.arguments) {
        if !pairing.bind(*a, *b) {
            return false;
        }
    }
    let names: HashMap<_, _> = right.context.iter().map(|b| (&right.terms.variable(*b).name, *b)).collect();
    for a in &left.context {
        // A name that the other program does not have may still be unused.
        if let Some(b) = names.get(&left.terms.variable(*a).name) {
            pairing.bind(*a, *b);
        }
    }
    let mut work = SHARING * (left.terms.len() + right.terms.len());
    let mut waiting = vec![(left.body, right.body)];
    while let Some((a, b)) = waiting.pop() {
        // A part that is used several times is compared once, as long as no name has got another partner.
        if !pairing.compared.insert((a, b)) {
            continue;
        }
        if work == 0 || !pairing.same_top(a, b) {
            return false;
        }
        work -= 1;
        // First to last, so that a name is bound before it is used.
        let (mut children, mut others) = (Vec::new(), Vec::new());
        left.terms.construct(a).each_child(|child| children.push(child));
        right.terms.construct(b).each_child(|child| others.push(child));
        if children.len() != others.len() {
            return false;
        }
        waiting.extend(children.into_iter().zip(others).rev());
    }
    true
}

struct Pairing<'a> {
    left: &'a Judgement,
    right: &'a Judgement,
    to_right: HashMap<VarId, VarId>,
    labels: HashMap<LabelId, LabelId>,
    /// Pairs of terms that were compared.
    compared: HashSet<(TermId, TermId)>,
}

impl Pairing<'_> {
    /// Takes two binders for one. Whether they have the same type.
    fn bind(&mut self, a: VarId, b: VarId) -> bool {
        let same = self.left.terms.variable(a).ty == self.right.terms.variable(b).ty;
        if same && self.to_right.insert(a, b).is_some_and(|before| before != b) {
            self.compared.clear();
        }
        same
    }

    /// Whether two terms are the same but for their subterms.
    fn same_top(&mut self, a: TermId, b: TermId) -> bool {
        use Construct::*;
        match (self.left.terms.construct(a), self.right.terms.construct(b)) {
            (Variable(a), Variable(b)) => self.to_right.get(a) == Some(b),
            (Lambda(a, _), Lambda(b, _)) | (Let(a, ..), Let(b, ..)) => self.bind(*a, *b),
            (NewSemaphore(a, places, taken, _), NewSemaphore(b, other_places, other_taken, _)) => {
                (places, taken) == (other_places, other_taken) && self.bind(*a, *b)
            }
            (Construct::New(a), Construct::New(b)) => self.same_cell(a, b),
            (Break(a, _), Break(b, _)) | (Continue(a, _), Continue(b, _)) => {
                if self.labels.insert(*a, *b).is_some_and(|before| before != *b) {
                    self.compared.clear();
                }
                true
            }
            (Goto(a), Goto(b)) => self.labels.get(a) == Some(b),
            (Abort(_), Abort(_)) => true,
            (a, b) => same_but_for_children(a, b),
        }
    }

    fn same_cell(&mut self, a: &New, b: &New) -> bool {
        a.data == b.data
            && a.length == b.length
            && a.initial.is_some() == b.initial.is_some()
            && self.bind(a.variable, b.variable)
    }
}

/// Whether two constructs that bind and name nothing are the same but for their subterms.
fn same_but_for_children(a: &Construct, b: &Construct) -> bool {
    let bare = |construct: &Construct| construct.with_children(|_| TermId(0));
    std::mem::discriminant(a) == std::mem::discriminant(b) && bare(a) == bare(b)
}
