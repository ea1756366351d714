//! The strand that runs, among others: their cells, their questions, and what was looked at of them.

use super::StrandId;
use super::strands::Dependency;
use crate::arena::ComponentId;
use crate::machine::store::Store;

/// What a machine knows of the strands of a concurrent program. A sequential program is one strand.
pub(super) struct Threading {
    /// The strand that runs.
    pub(super) strand: StrandId,
    /// The cells of the others.
    pub(super) segments: Vec<Store>,
    /// The others whose cells were written.
    pub(super) written: Vec<StrandId>,
    /// What the strand that runs has looked at outside of itself.
    pub(super) dependencies: Vec<Dependency>,
    /// Whether the questions that are open at one place at once have different numbers.
    pub(super) numbered: bool,
    /// The questions that are open: where, and which of several.
    pub(super) open: Vec<(ComponentId, Option<StrandId>, u32)>,
}

impl Default for Threading {
    fn default() -> Threading {
        Threading {
            strand: StrandId(0),
            segments: Vec::new(),
            written: Vec::new(),
            dependencies: Vec::new(),
            numbered: true,
            open: Vec::new(),
        }
    }
}

impl Threading {
    /// The lowest number that no question open at the same place has.
    pub(super) fn lowest_unused(&mut self, component: ComponentId, giver: Option<StrandId>) -> u32 {
        self.look(Dependency::Number(component, giver));
        (1..).find(|thread| !self.open.contains(&(component, giver, *thread))).unwrap_or(1)
    }

    /// Notes that what happens depends on something outside of the strand that runs.
    pub(super) fn look(&mut self, look: Dependency) {
        if !self.dependencies.contains(&look) {
            self.dependencies.push(look);
        }
    }
}
