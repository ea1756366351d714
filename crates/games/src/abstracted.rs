//! The abstract domain: of every number only the part of a partition in which it lies is known [OTF, Def. 6; GC, §2].
//!
//! On their way values are intervals. Where one comes to a cell it is *glued* to the cell's own partition
//! [OTF, Prop. 3]: if it meets several parts, the run forks. The elements of an array are kept by groups of indices;
//! a group holds a range of parts, for elements that may or may not have been written.

mod value;

use agon_base::id::halves;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use crate::arena::{Arena, ComponentId};
use crate::interval::Interval;
use crate::machine::{Offer, OfferKind};
use crate::sites::{PartRef, SiteId, Sites};
use crate::values::{Answers, Arithmetic, Arrays, Cells, Choices, Outcome, Slot, Target, Truth};
pub use value::{Cause, Causes, Source, Value};

/// How cells are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeping {
    /// By the part only: few bits, and none where there is one part.
    Parts,
    /// By the part, with all that the value came from.
    Causes,
    /// As the interval that it is, with all that it came from; nothing is glued.
    Intervals,
}

/// The operators of two operands over intervals.
pub type IntervalArithmetic = fn(&Interval, Operator, &Interval) -> Outcome<Interval>;

/// The abstract domain of a program.
#[derive(Clone, Debug)]
pub struct Abstracted {
    /// The sites and their partitions.
    pub sites: Sites,
    keeping: Keeping,
    arithmetic: IntervalArithmetic,
    /// Values that are kept whole.
    values: Interner<Value>,
    /// The parts that were looked at since this was last asked.
    touched: Vec<PartRef>,
    /// What the last undecided operation was undecided about.
    marker: Option<PartRef>,
    /// What the undecided operations since the last choice came from.
    pending: Vec<Pending>,
    /// What every choice that was taken came from.
    doubts: Vec<Causes>,
}

#[derive(Clone, Debug)]
struct Pending {
    causes: Causes,
    /// Where a cut would help, for each outcome.
    outcomes: Vec<Causes>,
}

/// Where an index may point: the groups of elements from the first to the last.
#[derive(Clone, Debug)]
pub struct Element {
    first: u64,
    last: u64,
    certain: bool,
    blame: Option<PartRef>,
    causes: Causes,
}

/// Whether the result depends on the difference of the operands only.
fn is_about_difference(operator: Operator) -> bool {
    use Operator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Subtract};
    matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Subtract)
}

/// How a part compares to others: the coarser comes first [GC, §3: the bijection r].
pub fn rank(part: &Interval) -> u64 {
    let size = |n: &Int| if n.is_negative() { n.neg() } else { n.clone() }.to_u64().unwrap_or(u64::MAX / 4);
    if part.contains(&Int::ZERO) {
        0
    } else if part.low().is_some_and(|low| *low > Int::ZERO) {
        // >n is the part that starts with n + 1.
        part.low().map_or(0, |low| (size(low) - 1).saturating_mul(2).saturating_add(1))
    } else {
        part.high().map_or(0, |high| (size(high) - 1).saturating_mul(2).saturating_add(2))
    }
}

impl Abstracted {
    /// The domain over the partitions of these sites.
    pub fn new(sites: Sites, keeping: Keeping, arithmetic: IntervalArithmetic) -> Abstracted {
        Abstracted {
            sites,
            keeping,
            arithmetic,
            values: Interner::default(),
            touched: Vec::new(),
            marker: None,
            pending: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// Takes the parts that were looked at since this was last asked.
    pub fn take_touched(&mut self) -> Vec<PartRef> {
        self.touched.sort_unstable();
        self.touched.dedup();
        std::mem::take(&mut self.touched)
    }

    /// Takes what every choice that was taken since this was last asked came from.
    pub fn take_doubts(&mut self) -> Vec<Causes> {
        self.pending.clear();
        std::mem::take(&mut self.doubts)
    }

    /// Takes what the undecided operations since this was last asked came from.
    pub fn take_pending(&mut self) -> Vec<Causes> {
        self.pending.drain(..).map(|pending| pending.causes).collect()
    }

    /// The data of one of the environment's moves by the numbers of its parts, which do not change.
    pub fn stable(&self, offer: &Offer<Value>, code: u64) -> (u32, u32) {
        let value =
            |code| self.sites.of_component(offer.component).map_or(0, |id| self.sites.site(id).nth(code));
        let index = |code| {
            self.sites.of_component_index(offer.component).map_or(0, |id| self.sites.site(id).nth(code))
        };
        match offer.kind {
            OfferKind::Write | OfferKind::Value => (value(code), 0),
            OfferKind::ReadElement(_) => (0, index(code)),
            OfferKind::WriteElement(indices) => (value(code / indices), index(code % indices)),
            _ => (0, 0),
        }
    }

    /// The memory that the tables take, in bytes.
    pub fn memory(&self) -> usize {
        self.values.memory()
    }

    fn tracks(&self) -> bool {
        self.keeping != Keeping::Parts
    }

    fn coarser(&self, a: Option<PartRef>, b: Option<PartRef>) -> Option<PartRef> {
        match (a, b) {
            (Some(a), Some(b)) if rank(self.sites.part(b)) < rank(self.sites.part(a)) => Some(b),
            (a, b) => a.or(b),
        }
    }

    fn read_from(&self, part: PartRef) -> Value {
        let interval = self.sites.part(part).clone();
        let causes = if self.tracks() { Causes::source(Source::Part(part)) } else { Causes::default() };
        Value { interval, blame: Some(part), causes }.settled()
    }

    /// Notes that an operation on a value is undecided, and would not be if it were cut before these numbers.
    fn undecided(&mut self, value: &Value, cuts: &[Int]) {
        self.marker = value.blame;
        if self.tracks() {
            let causes = value.causes.deciding(cuts);
            self.pending.push(Pending { causes, outcomes: Vec::new() });
        }
    }

    /// Results of an operation, with what they came from.
    fn results(&self, outcome: Outcome<Interval>, blame: Option<PartRef>, causes: &Causes) -> Outcome<Value> {
        let result = |interval| Value { interval, blame, causes: causes.clone() }.settled();
        match outcome {
            Outcome::One(interval) => Outcome::One(result(interval)),
            Outcome::Fails => Outcome::Fails,
            Outcome::TooLarge => Outcome::TooLarge,
            Outcome::Many(several) => Outcome::Many(several.into_iter().map(|one| one.map(result)).collect()),
        }
    }

    /// The numbers of the value that are in bounds; whether others are not.
    fn in_bounds(&mut self, length: u64, at: &Value) -> Outcome<Interval> {
        let bounds = Interval::new(Some(Int::ZERO), Some(Int::from(length).sub(&Int::ONE)));
        match bounds.and_then(|bounds| at.interval.intersection(&bounds)) {
            None => Outcome::Fails,
            Some(inside) if inside == at.interval => Outcome::One(inside),
            Some(inside) => {
                self.undecided(at, &[Int::ZERO, Int::from(length)]);
                Outcome::Many(vec![Some(inside), None])
            }
        }
    }

    /// Glues a value to a site's partition: the parts that it meets.
    fn glue(&mut self, id: SiteId, a: &Value) -> Vec<u32> {
        let site = self.sites.site(id);
        let (first, last) = site.meets(&a.interval);
        let parts: Vec<u32> = (first..=last).map(|n| site.nth(n as u64)).collect();
        self.touched.extend(parts.iter().map(|part| PartRef { site: id, part: *part }));
        if parts.len() > 1 {
            self.marker = a.blame;
        }
        parts
    }

    fn encode_cell(&mut self, id: SiteId, a: &Value) -> Outcome<u64> {
        let parts = self.glue(id, a);
        if !self.tracks() {
            return match parts[..] {
                [part] => Outcome::One(u64::from(part)),
                _ => Outcome::Many(parts.into_iter().map(|part| Some(u64::from(part))).collect()),
            };
        }
        let mut codes = Vec::new();
        let mut outcomes = Vec::new();
        for part in &parts {
            let mut value = self.read_from(PartRef { site: id, part: *part });
            if value.interval.as_point().is_none() {
                value.causes = value.causes.and(&a.causes);
            }
            let ends = [value.interval.low().cloned(), value.interval.high().map(|high| high.add(&Int::ONE))];
            outcomes.push(a.causes.deciding(&ends.into_iter().flatten().collect::<Vec<_>>()));
            codes.push(Some(u64::from(self.values.intern(value))));
        }
        match codes[..] {
            [Some(code)] => Outcome::One(code),
            _ => {
                self.pending.push(Pending { causes: a.causes.blurred(), outcomes });
                Outcome::Many(codes)
            }
        }
    }

    /// Encodes a group: its elements are in the parts from the first to the last that a value meets.
    fn encode_group(&mut self, id: SiteId, a: &Value) -> u64 {
        let parts = self.glue(id, a);
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        if self.tracks() {
            let mut value = self.read_range(id, first, last);
            value.causes = value.causes.and(&a.causes);
            return u64::from(self.values.intern(value));
        }
        (u64::from(first) << 32) | u64::from(last)
    }

    fn read_range(&self, id: SiteId, first: u32, last: u32) -> Value {
        let low = self.read_from(PartRef { site: id, part: first });
        if first == last {
            return low;
        }
        let high = self.read_from(PartRef { site: id, part: last });
        let interval = low.interval.hull(&high.interval);
        let mut causes = low.causes.and(&high.causes);
        let mut blame = self.coarser(low.blame, high.blame);
        // Parts in between are blamed as well.
        let (from, to) = self.sites.site(id).meets(&interval);
        for n in from..=to {
            let part = PartRef { site: id, part: self.sites.site(id).nth(n as u64) };
            if self.sites.part(part).as_point().is_none() {
                blame = self.coarser(blame, Some(part));
                if self.tracks() {
                    causes = causes.and(&Causes::source(Source::Part(part)));
                }
            }
        }
        Value { interval, blame, causes: causes.blurred() }
    }
}

impl Arithmetic for Abstracted {
    type Value = Value;

    fn number(&mut self, n: &Int) -> Value {
        Value::new(Interval::point(n.clone()))
    }

    fn unary(&mut self, operator: Unary, a: &Value) -> Outcome<Value> {
        let interval = a.interval.unary(operator);
        let causes = match operator {
            _ if !self.tracks() => Causes::default(),
            Unary::Negate => a.causes.turned(&Int::ZERO),
            Unary::Not => a.causes.deciding(&[Int::ZERO, Int::ONE]),
            Unary::Complement => a.causes.turned(&Int::from(-1i64)),
        };
        Outcome::One(Value { interval, blame: a.blame, causes }.settled())
    }

    fn binary(&mut self, operator: Operator, a: &Value, b: &Value) -> Outcome<Value> {
        // Only what the environment gave in one move is one number for sure.
        let difference = match self.keeping {
            Keeping::Intervals => a.causes.difference(&b.causes),
            _ => None,
        };
        let outcome = match difference {
            Some(n) if is_about_difference(operator) => {
                (self.arithmetic)(&Interval::point(n), operator, &Interval::point(Int::ZERO))
            }
            _ => (self.arithmetic)(&a.interval, operator, &b.interval),
        };
        if matches!(outcome, Outcome::Many(_)) {
            self.undecided(b, &[Int::ZERO, Int::ONE]);
        }
        let causes = if self.tracks() { Causes::of_binary(operator, a, b) } else { Causes::default() };
        self.results(outcome, self.coarser(a.blame, b.blame), &causes)
    }

    fn wrap(&mut self, data: &Data, a: &Value) -> Outcome<Value> {
        let outcome = a.interval.wrap(data);
        match &outcome {
            Outcome::One(same) if *same == a.interval => return Outcome::One(a.clone()),
            Outcome::Many(_) => {
                let ends = data.range().map(|(low, high)| [low, high.add(&Int::ONE)]);
                self.undecided(a, &ends.unwrap_or_default());
            }
            _ => {}
        }
        self.results(outcome, a.blame, &a.causes.blurred())
    }

    fn truth(&mut self, a: &Value) -> Truth {
        let truth = a.interval.truth();
        if truth == Truth::Either {
            self.undecided(a, &[Int::ZERO, Int::ONE]);
        }
        truth
    }

    fn exactly(&self, a: &Value) -> Option<Int> {
        a.interval.as_point().cloned()
    }
}

impl Cells for Abstracted {
    fn width(&self, slot: &Slot) -> u32 {
        if let Some(bits) = slot.counter_bits() {
            return bits;
        }
        match (slot.cell, self.keeping) {
            (Some(cell), Keeping::Parts) => {
                match (self.sites.site(self.sites.of_cell(cell)).count(), slot.length) {
                    (1, _) => 0,
                    (_, None) => 32,
                    _ => 64,
                }
            }
            _ => 32,
        }
    }

    fn cells(&self, slot: &Slot) -> u64 {
        match (slot.cell.and_then(|cell| self.sites.of_index(cell)), self.keeping) {
            (Some(_), Keeping::Intervals) => slot.length.unwrap_or(1),
            (Some(index), _) => self.sites.site(index).count() as u64,
            (None, _) => 1,
        }
    }

    fn encode(&mut self, slot: &Slot, a: &Value) -> Outcome<u64> {
        match slot.cell {
            Some(cell) if self.keeping != Keeping::Intervals => match self.sites.of_index(cell) {
                None => self.encode_cell(self.sites.of_cell(cell), a),
                Some(index) => {
                    // How the elements are grouped is part of how the array is kept.
                    let groups = self.sites.site(index);
                    let groups =
                        (0..groups.count() as u64).map(|n| PartRef { site: index, part: groups.nth(n) });
                    self.touched.extend(groups);
                    Outcome::One(self.encode_group(self.sites.of_cell(cell), a))
                }
            },
            _ => Outcome::One(u64::from(self.values.intern(a.clone()))),
        }
    }

    fn decode(&self, slot: &Slot, bits: u64) -> Value {
        match slot.cell {
            Some(cell) if self.keeping == Keeping::Parts => {
                let site = self.sites.of_cell(cell);
                match slot.length {
                    _ if self.sites.site(site).count() == 1 => self.read_from(PartRef { site, part: 0 }),
                    None => self.read_from(PartRef { site, part: halves(bits).1 }),
                    Some(_) => {
                        let (first, last) = halves(bits);
                        self.read_range(site, first, last)
                    }
                }
            }
            _ => self.values.get(halves(bits).1).clone(),
        }
    }

    fn held(&mut self, a: &Value) -> Value {
        a.clone()
    }
}

impl Arrays for Abstracted {
    type Element = Element;

    fn element(&mut self, slot: &Slot, length: u64, at: &Value) -> Outcome<Element> {
        let groups = slot.cell.and_then(|cell| self.sites.of_index(cell));
        self.in_bounds(length, at).then(|inside| {
            let exact = inside.as_point().is_some();
            let mut causes = if exact { Causes::default() } else { at.causes.blurred() };
            let mut blame = if exact { None } else { at.blame };
            let (first, last) = match groups {
                Some(id) if self.keeping != Keeping::Intervals => {
                    let site = self.sites.site(id);
                    let (first, last) = site.meets(&inside);
                    for n in first..=last {
                        let group = PartRef { site: id, part: site.nth(n as u64) };
                        if self.sites.part(group).as_point().is_none() {
                            blame = self.coarser(blame, Some(group));
                            if self.tracks() {
                                causes = causes.and(&Causes::source(Source::Part(group)));
                            }
                        }
                    }
                    (first as u64, last as u64)
                }
                _ => {
                    let end = |n: Option<&Int>| n.and_then(Int::to_u64).unwrap_or(0);
                    (end(inside.low()), end(inside.high()))
                }
            };
            let certain = exact && blame.is_none();
            Outcome::One(Element { first, last, certain, blame, causes })
        })
    }

    fn checked(&mut self, length: u64, at: &Value) -> Outcome<Value> {
        let outcome = self.in_bounds(length, at);
        self.results(outcome, at.blame, &at.causes)
    }

    fn reach(element: &Element) -> (u64, u64) {
        (element.first, element.last)
    }

    fn join(&mut self, _: &Element, _: u64, a: &Value, b: &Value) -> Value {
        Value {
            interval: a.interval.hull(&b.interval),
            blame: self.coarser(a.blame, b.blame),
            causes: a.causes.blurred().and(&b.causes.blurred()),
        }
    }

    fn found(&mut self, element: &Element, mut a: Value) -> Value {
        if a.interval.as_point().is_none() && !element.certain {
            a.blame = self.coarser(a.blame, element.blame);
            a.causes = a.causes.and(&element.causes.blurred());
        }
        a
    }

    fn target(&mut self, element: &Element) -> Target {
        match element.certain {
            true => Target::Cell(element.first),
            false => Target::Any(element.first, element.last),
        }
    }

    fn blend(&mut self, slot: &Slot, bits: u64, element: &Element, n: u64, a: &Value) -> u64 {
        let before = self.decode(slot, bits);
        let mut joined = self.join(element, n, &before, a);
        if self.tracks() {
            joined.causes = joined.causes.and(&element.causes.blurred());
        }
        match self.encode(slot, &joined) {
            Outcome::One(bits) => bits,
            _ => bits,
        }
    }
}

impl Answers for Abstracted {
    fn last_answer(&self, _: &Arena, component: ComponentId) -> Option<u64> {
        self.sites.of_component(component).map(|id| self.sites.site(id).count() as u64 - 1)
    }

    fn answer(&self, arena: &Arena, component: ComponentId, code: u64) -> Value {
        match self.sites.of_component(component) {
            Some(site) => self.read_from(PartRef { site, part: self.sites.site(site).nth(code) }),
            None => Value::new(Interval::given(arena, component)),
        }
    }

    fn indices(&self, component: ComponentId, length: u64) -> u64 {
        self.sites.of_component_index(component).map_or(length, |id| self.sites.site(id).count() as u64)
    }

    fn index(&self, component: ComponentId, code: u64) -> Value {
        match self.sites.of_component_index(component) {
            Some(site) => self.read_from(PartRef { site, part: self.sites.site(site).nth(code) }),
            None => Value::new(Interval::point(Int::from(code))),
        }
    }
}

impl Choices for Abstracted {
    fn marker(&self) -> Option<Value> {
        let part = self.marker?;
        Some(Value { interval: self.sites.part(part).clone(), blame: Some(part), causes: Causes::default() })
    }

    fn pick(&mut self, outcome: usize, _: bool) -> bool {
        for pending in self.pending.drain(..) {
            self.doubts.push(match pending.outcomes.get(outcome) {
                Some(causes) => causes.clone(),
                None => pending.causes,
            });
        }
        true
    }

    fn end_path(&mut self, begun: bool) -> bool {
        begun
    }
}
