//! Sites: the places of a program where data is kept or comes in, each with a partition of the integers of its own.

use std::collections::BTreeMap;

use agon_base::id::{number, size};
use agon_base::int::Int;
use agon_core::types::{Data, Type};

use crate::arena::{Arena, ComponentId};
use crate::interval::Interval;
use crate::machine::Code;
use crate::moves::Player;
use crate::values::CellId;

agon_base::id! {
    /// The number of a site.
    pub SiteId;
}

/// One part of a site's partition. Parts that were split keep their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PartRef {
    /// The site.
    pub site: SiteId,
    /// The part.
    pub part: u32,
}

/// A site and its partition.
#[derive(Clone, Debug)]
pub struct Site {
    /// What users call it: `x`, `a[]` for the indices of an array, `f.1`.
    pub name: String,
    /// The data that it holds; none for indices.
    pub data: Option<Data>,
    /// All that it may hold.
    pub range: Interval,
    parts: Vec<Interval>,
    /// The parts that were not split, in the order of the numbers in them.
    order: Vec<u32>,
}

/// Longer partitions are not written out.
const MOST_SHOWN: usize = 40;

impl Site {
    fn new(name: String, data: Option<Data>, range: Interval) -> Site {
        Site { name, data, range: range.clone(), parts: vec![range], order: vec![0] }
    }

    /// The parts, least first.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &Interval> {
        self.order.iter().map(|part| &self.parts[*part as usize])
    }

    /// The partition as it is written: its parts, least first, the middle of a long list left out.
    pub fn written(&self) -> String {
        let mut shown: Vec<String> = self.parts().take(MOST_SHOWN).map(|part| part.to_string()).collect();
        if self.count() > MOST_SHOWN {
            let last = self.part(self.nth(self.count() as u64 - 1));
            shown.push(format!("… {} more …", self.count() - MOST_SHOWN - 1));
            shown.push(last.to_string());
        }
        if self.count() == 1 { shown.concat() } else { format!("{{{}}}", shown.join(", ")) }
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// The number of the part at a place in their order.
    pub fn nth(&self, n: u64) -> u32 {
        self.order[size(n)]
    }

    /// The numbers of a part, also of one that was split since.
    pub fn part(&self, part: u32) -> &Interval {
        &self.parts[part as usize]
    }

    /// The places of the first and the last part that an interval meets.
    pub fn meets(&self, interval: &Interval) -> (usize, usize) {
        let at = |n: &Int| {
            let above = self
                .order
                .partition_point(|part| self.parts[*part as usize].low().is_none_or(|low| low <= n));
            above.saturating_sub(1)
        };
        (interval.low().map_or(0, at), interval.high().map_or(self.order.len() - 1, at))
    }

    /// Splits parts, each into others; those that were split before stay as they are.
    pub fn split(&mut self, splits: &BTreeMap<u32, Vec<Interval>>) {
        let before = std::mem::take(&mut self.order);
        for part in before {
            match splits.get(&part) {
                None => self.order.push(part),
                Some(into) => {
                    let first = number(self.parts.len());
                    self.parts.extend(into.iter().cloned());
                    self.order.extend(first..number(self.parts.len()));
                }
            }
        }
    }
}

/// All sites of a program.
#[derive(Clone, Debug)]
pub struct Sites {
    sites: Vec<Site>,
    /// For each declaration, the site of its contents and, of an array, of its indices.
    cells: Vec<(SiteId, Option<SiteId>)>,
    /// For each component, the site of what the environment gives there, and of where it points.
    components: Vec<(Option<SiteId>, Option<SiteId>)>,
}

impl Sites {
    /// The sites of a program, each with one part: the environment's first.
    pub fn new(code: &Code, arena: &Arena) -> Sites {
        let mut all = Sites { sites: Vec::new(), cells: Vec::new(), components: Vec::new() };
        for (id, component) in arena.components() {
            let name = if component.name.is_empty() { "result" } else { &component.name };
            let gives = match &component.base {
                _ if code.linked().any(|(linked, _)| linked == id) => None,
                Type::Exp(data) if component.asker == Player::P => Some((data, None)),
                Type::Var(data) => Some((data, None)),
                Type::Array(data, length) => {
                    Some((data, Some(*length).filter(|_| component.asker == Player::O)))
                }
                _ => None,
            };
            let entry = match gives {
                Some((data, length)) => {
                    let (value, index) = all.add(name, data, length);
                    if component.range.is_some() {
                        let site = all.site_mut(value);
                        *site = Site::new(site.name.clone(), site.data.clone(), Interval::given(arena, id));
                    }
                    (Some(value), index)
                }
                None => (None, None),
            };
            all.components.push(entry);
        }
        for cell in code.cells() {
            let entry = all.add(&cell.name, &cell.data, cell.length);
            all.cells.push(entry);
        }
        for (component, cell) in code.linked() {
            all.components[component.index()].0 = Some(all.cells[cell.index()].0);
        }
        all
    }

    /// Adds a site of such data and, of an array, one of its indices.
    pub fn add(&mut self, name: &str, data: &Data, length: Option<u64>) -> (SiteId, Option<SiteId>) {
        // Names may be declared again.
        let taken = |name: &str| self.sites.iter().any(|site| site.name == name);
        let name = match taken(name) {
            false => name.to_string(),
            true => (2..).map(|n| format!("{name}#{n}")).find(|name| !taken(name)).unwrap_or_default(),
        };
        let mut push = |site| {
            self.sites.push(site);
            SiteId(number(self.sites.len()) - 1)
        };
        let index = length.map(|length| {
            let last = Int::from(length.saturating_sub(1));
            Site::new(format!("{name}[]"), None, Interval::between(Int::ZERO, last))
        });
        let value = push(Site::new(name, Some(data.clone()), Interval::of(data)));
        (value, index.map(push))
    }

    /// A site.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }

    /// A site, to be made finer.
    pub fn site_mut(&mut self, id: SiteId) -> &mut Site {
        &mut self.sites[id.index()]
    }

    /// All sites.
    pub fn iter(&self) -> impl Iterator<Item = (SiteId, &Site)> {
        (0..).map(SiteId).zip(&self.sites)
    }

    /// The numbers of a part.
    pub fn part(&self, part: PartRef) -> &Interval {
        self.site(part.site).part(part.part)
    }

    /// The site of what a cell or the elements of an array hold.
    pub fn of_cell(&self, cell: CellId) -> SiteId {
        self.cells[cell.index()].0
    }

    /// The site of an array's indices.
    pub fn of_index(&self, cell: CellId) -> Option<SiteId> {
        self.cells[cell.index()].1
    }

    /// The site of what the environment gives in a component.
    pub fn of_component(&self, component: ComponentId) -> Option<SiteId> {
        self.components[component.index()].0
    }

    /// The site of where the environment points in a component.
    pub fn of_component_index(&self, component: ComponentId) -> Option<SiteId> {
        self.components[component.index()].1
    }
}
