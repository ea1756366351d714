//! The two halves of a program, ready to be run over approximated data that they share.

use std::collections::BTreeMap;
use std::sync::Arc;

use agon_base::refused::Refused;
use agon_core::split::Split;

use super::{Interface, Said, rules};
use crate::abstracted::{Abstracted, IntervalArithmetic, Keeping};
use crate::arena::{Arena, ComponentId, OWN};
use crate::interval::Interval;
use crate::machine::{CallMemo, Code, Machine, compile};
use crate::moves::{Label, Move};
use crate::sites::{SiteId, Sites};
use crate::values::CellId;

/// One of the two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Half {
    /// The program without the part.
    Rest,
    /// The part.
    Part,
}

/// Both halves, compiled.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// Where their games are one.
    pub interface: Interface,
    rest: Arc<Code>,
    part: Arc<Code>,
    /// The sites of the whole program and those in between, each with one part.
    sites: Sites,
    /// For each of these, those of the halves that are the same.
    links: Vec<Vec<(Half, SiteId)>>,
}

impl Decomposition {
    /// The halves of a compiled program that was split; the part is known by a name.
    pub fn new(whole: &Code, arena: &Arena, split: &Split, name: &str) -> Result<Decomposition, Refused> {
        let interface = Interface::new(split);
        let rest = compile(&split.rest, &interface.rest)?;
        let part = compile(&split.part, &interface.part)?;
        let mut sites = Sites::new(whole, arena);
        let cell = |var| {
            let place = whole.cells().iter().position(|cell| cell.variable == Some(var));
            place.map(CellId::new)
        };
        // What the two say to each other is kept as the cell that it is about, or by itself.
        type Pair = (Option<SiteId>, Option<SiteId>);
        let mut between: Vec<Pair> = Vec::new();
        for (id, component) in interface.part.components() {
            let pair = match (interface.outside(id), component.base.data()) {
                (Some(_), Some(data)) => match component.variable.and_then(cell) {
                    Some(cell) => (Some(sites.of_cell(cell)), sites.of_index(cell)),
                    None => {
                        let length = match component.base {
                            agon_core::types::Type::Array(_, length) => Some(length),
                            _ => None,
                        };
                        let called = if id == OWN { name } else { &component.name };
                        let (value, index) = sites.add(called, data, length);
                        (Some(value), index)
                    }
                },
                _ => (None, None),
            };
            between.push(pair);
        }
        let mut links = vec![Vec::new(); sites.iter().count()];
        let mut link = |half: Half, whole: Pair, own: Pair| {
            for (whole, own) in [(whole.0, own.0), (whole.1, own.1)] {
                if let (Some(whole), Some(own)) = (whole, own) {
                    links[whole.index()].push((half, own));
                }
            }
        };
        for half in [Half::Rest, Half::Part] {
            let (code, own_arena) = match half {
                Half::Rest => (&rest, &interface.rest),
                Half::Part => (&part, &interface.part),
            };
            let own = Sites::new(code, own_arena);
            for (id, _) in own_arena.components() {
                let joined = match half {
                    Half::Rest => interface.inside(id),
                    Half::Part => interface.outside(id).map(|_| id),
                };
                let whole = match joined {
                    Some(inside) => between[inside.index()],
                    None => {
                        let id = same_component(own_arena, id, arena);
                        (
                            id.and_then(|id| sites.of_component(id)),
                            id.and_then(|id| sites.of_component_index(id)),
                        )
                    }
                };
                link(half, whole, (own.of_component(id), own.of_component_index(id)));
            }
            for (n, declared) in code.cells().iter().enumerate() {
                let own_cell = CellId::new(n);
                let Some(cell) = declared.variable.and_then(&cell) else { continue };
                let whole = (Some(sites.of_cell(cell)), sites.of_index(cell));
                link(half, whole, (Some(own.of_cell(own_cell)), own.of_index(own_cell)));
            }
        }
        Ok(Decomposition { interface, rest: Arc::new(rest), part: Arc::new(part), sites, links })
    }

    /// The sites of the whole program and those in between, each with one part.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The sites of the halves that are one of the whole program's.
    pub fn linked(&self, site: SiteId) -> &[(Half, SiteId)] {
        &self.links[site.index()]
    }

    /// The machine of a half, over data that is approximated as that of the whole program is.
    pub fn machine(
        &self,
        half: Half,
        sites: &Sites,
        keeping: Keeping,
        arithmetic: IntervalArithmetic,
    ) -> Machine<Abstracted> {
        let (code, arena) = match half {
            Half::Rest => (&self.rest, &self.interface.rest),
            Half::Part => (&self.part, &self.interface.part),
        };
        let mut own = Sites::new(code, arena);
        for (id, site) in sites.iter() {
            let parts: Vec<Interval> = site.parts().cloned().collect();
            if parts.len() > 1 {
                for (_, linked) in self.linked(id).iter().filter(|(of, _)| *of == half) {
                    own.site_mut(*linked).split(&BTreeMap::from([(0, parts.clone())]));
                }
            }
        }
        let memo = CallMemo { forget: true, ..CallMemo::default() };
        Machine::new(code.clone(), arena.clone(), Abstracted::new(own, keeping, arithmetic))
            .with_call_memo(memo)
    }

    /// A move of the whole program's as a move of a half; none if it is none of it.
    pub fn in_half(&self, half: Half, m: &Move, arena: &Arena) -> Option<Move> {
        let own = match half {
            Half::Rest => &self.interface.rest,
            Half::Part => &self.interface.part,
        };
        let component = same_component(arena, m.component, own);
        let component = match (half, &m.label) {
            (_, Label::Abort) => Some(OWN),
            (Half::Part, _) if m.component == OWN => None,
            _ => component,
        };
        component.map(|component| Move { component, ..m.clone() })
    }

    /// A component of a half as one of the whole program's.
    pub fn in_whole(&self, half: Half, component: ComponentId, arena: &Arena) -> Option<ComponentId> {
        let own = match half {
            Half::Rest => &self.interface.rest,
            Half::Part => &self.interface.part,
        };
        same_component(own, component, arena)
    }

    /// What the part says when it brings the target about.
    pub fn hit(&self) -> Said {
        rules::hit()
    }
}

/// The same place of the same identifier in another arena, where the identifier may have another name.
fn same_component(from: &Arena, id: ComponentId, to: &Arena) -> Option<ComponentId> {
    let place = |arena: &Arena, id: ComponentId| {
        let root = std::iter::successors(Some(id), |id| arena.component(*id).parent).last().unwrap_or(id);
        let component = arena.component(id);
        (component.variable, component.name[arena.component(root).name.len()..].to_string())
    };
    let wanted = place(from, id);
    to.components().map(|(id, _)| id).find(|id| place(to, *id) == wanted)
}
