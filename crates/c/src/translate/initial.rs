//! Initialisers: braces, designators and strings, as a list of parts of an object with their values.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;

use super::expressions::Operand;
use super::operators::{mistyped, number};
use super::{Checked, Translator};
use crate::layout::MOST_CELLS;
use crate::tree::{Expr, ExprKind, Item, PlaceKind};
use crate::types::{Rank, Type};

/// A part of an object: its first scalar, its number among its like, and its type.
#[derive(Clone, Debug)]
struct Part {
    leaf: usize,
    row: u64,
    ty: Type,
}

/// A place in the object that is initialised: a part, and how many of its inner parts are done.
#[derive(Clone, Debug)]
struct Level {
    part: Part,
    next: u64,
}

impl Translator<'_> {
    /// The parts that an initialiser names, with their values. It may say how long an array is.
    pub(super) fn initializer(
        &mut self,
        ty: &mut Type,
        node: &Initializer,
        is_static: bool,
    ) -> Checked<Vec<Item>> {
        let mut items = Vec::new();
        let mut longest = 0;
        let part = Part { leaf: 0, row: 0, ty: ty.clone() };
        self.part(part, node, &mut items, &mut longest)?;
        if let Type::Array(element, None) = ty {
            *ty = Type::Array(element.clone(), Some(longest));
        }
        if is_static {
            for item in &items {
                if !is_constant(&item.value) {
                    let message = "what an object with static storage holds at first is a constant";
                    return Err(Diagnostic::error(
                        Code::CConstant,
                        message,
                        item.value.span,
                        "not a constant",
                    ));
                }
            }
        }
        Ok(items)
    }

    fn part(
        &mut self,
        part: Part,
        node: &Initializer,
        items: &mut Vec<Item>,
        longest: &mut u64,
    ) -> Checked<()> {
        match node {
            Initializer::Expression(expression) => {
                if let Some(count) = self.string(&part, expression, items)? {
                    *longest = count;
                    return Ok(());
                }
                if matches!(part.ty, Type::Array(..)) {
                    let span = self.span(&expression.span);
                    return Err(mistyped("an array is initialised by a list in braces", span, "not a list"));
                }
                let value = self.value(expression)?;
                self.item(part, value, items)
            }
            Initializer::List(list) => self.list(part, list, items, longest),
        }
    }

    fn item(&self, part: Part, value: Expr, items: &mut Vec<Item>) -> Checked<()> {
        let value = self.converted(value, &part.ty, false)?;
        items.push(Item { leaf: part.leaf, row: part.row, value });
        Ok(())
    }

    /// An array of characters that a string fills; gives the number of its elements.
    fn string(
        &mut self,
        part: &Part,
        node: &Node<Expression>,
        items: &mut Vec<Item>,
    ) -> Checked<Option<u64>> {
        let (Type::Array(element, length), Expression::StringLiteral(parts)) = (&part.ty, &node.node) else {
            return Ok(None);
        };
        let Type::Integer(integer) = **element else { return Ok(None) };
        if integer.rank != Rank::Char {
            return Ok(None);
        }
        let span = self.span(&node.span);
        let mut bytes = self.text(&parts.node, span)?;
        bytes.push(0);
        let count = length.unwrap_or(bytes.len() as u64);
        if bytes.len() as u64 > count + 1 {
            return Err(mistyped("the string is longer than the array", span, "too long"));
        }
        for (n, byte) in (0..count).zip(bytes) {
            let value = number(integer.convert(&Int::from(u64::from(byte))), Type::Integer(integer), span);
            items.push(Item {
                leaf: part.leaf,
                row: part.row.saturating_mul(count).saturating_add(n),
                value,
            });
        }
        Ok(Some(count))
    }

    /// The inner part of an array or a structure with a number; nothing behind the last one.
    fn inner(&self, part: &Part, n: u64) -> Option<Part> {
        match &part.ty {
            Type::Array(element, length) => {
                let row = part.row.saturating_mul(length.unwrap_or(0)).saturating_add(n);
                (n < length.unwrap_or(MOST_CELLS)).then(|| Part {
                    leaf: part.leaf,
                    row,
                    ty: (**element).clone(),
                })
            }
            Type::Struct(id) => {
                let at = usize::try_from(n).ok()?;
                let member = self.program.members(*id).get(at)?;
                let leaf = part.leaf + self.program.leaves_before(*id, at);
                Some(Part { leaf, row: part.row, ty: member.ty.clone() })
            }
            _ => (n == 0).then(|| part.clone()),
        }
    }

    /// A list in braces: each value goes to the next part, or to the one that its designators name.
    fn list(
        &mut self,
        part: Part,
        list: &[Node<InitializerListItem>],
        items: &mut Vec<Item>,
        longest: &mut u64,
    ) -> Checked<()> {
        if part.ty == Type::Mutex {
            let span = list.first().map_or(Span::default(), |first| self.span(&first.span));
            let value = number(self.mutex(list)?, self.int(), span);
            items.push(Item { leaf: part.leaf, row: part.row, value });
            return Ok(());
        }
        items.retain(|item| !self.is_inside(item, &part));
        let mut levels = vec![Level { part, next: 0 }];
        for item in list {
            let span = self.span(&item.span);
            let InitializerListItem { designation, initializer } = &item.node;
            if !designation.is_empty() {
                levels.truncate(1);
                let mut first = true;
                for designator in designation {
                    if !first {
                        self.descend(&mut levels, span)?;
                    }
                    first = false;
                    self.designate(&mut levels, &designator.node, span)?;
                }
            }
            // Parts that are full are left.
            while levels.len() > 1 && self.next(&levels).is_none() {
                levels.pop();
            }
            let Some(mut target) = self.next(&levels) else {
                return Err(mistyped("there are more values than parts", span, "one value too many"));
            };
            if let Initializer::Expression(expression) = &initializer.node {
                // A value goes into the first scalar of a part, unless it is a structure itself or a string.
                loop {
                    let aggregate = match &target.ty {
                        Type::Array(..) => {
                            let mut probe = Vec::new();
                            self.string(&target, expression, &mut probe)?.is_none()
                        }
                        Type::Struct(_) => {
                            let ty = match self.operand(expression)? {
                                Operand::Place(place) => place.ty,
                                Operand::Value(value) => value.ty,
                            };
                            ty != target.ty
                        }
                        _ => false,
                    };
                    if !aggregate {
                        break;
                    }
                    self.descend(&mut levels, span)?;
                    target = self.next(&levels).ok_or_else(|| mistyped("an empty part", span, "no part"))?;
                }
            }
            self.advance(&mut levels);
            *longest = (*longest).max(levels[0].next);
            self.part(target, &initializer.node, items, &mut 0)?;
        }
        Ok(())
    }

    /// Whether an item names something inside a part. A list in braces for that part replaces it.
    fn is_inside(&self, item: &Item, part: &Part) -> bool {
        let leaves = self.program.leaves(&part.ty);
        let Some(leaf) = item.leaf.checked_sub(part.leaf).and_then(|n| leaves.get(n)) else { return false };
        let own = self.program.leaves(&item.value.ty).first().map_or(1, |leaf| leaf.count);
        item.row / (leaf.count / own.max(1)).max(1) == part.row
    }

    fn next(&self, levels: &[Level]) -> Option<Part> {
        levels.last().and_then(|level| self.inner(&level.part, level.next))
    }

    /// Goes into the next part.
    fn descend(&self, levels: &mut Vec<Level>, span: Span) -> Checked<()> {
        let part =
            self.next(levels).ok_or_else(|| mistyped("there is no such part", span, "no such part"))?;
        self.advance(levels);
        levels.push(Level { part, next: 0 });
        Ok(())
    }

    /// Goes behind the next part. Behind one member of a union there is none.
    fn advance(&self, levels: &mut [Level]) {
        if let Some(level) = levels.last_mut() {
            level.next = match level.part.ty {
                Type::Struct(id) if self.program.structs[id.0 as usize].union => u64::MAX,
                _ => level.next + 1,
            };
        }
    }

    fn designate(&mut self, levels: &mut Vec<Level>, node: &Designator, span: Span) -> Checked<()> {
        match node {
            Designator::Index(index) => {
                let n = self.constant(index)?;
                let level = levels.last_mut().expect("there is a level");
                match (n.to_u64(), &level.part.ty) {
                    (Some(n), Type::Array(..)) => level.next = n,
                    _ => return Err(mistyped("this is no index of an array", span, "no such element")),
                }
            }
            Designator::Member(name) => {
                let ty = levels.last().expect("there is a level").part.ty.clone();
                let path = self.find_member(&ty, &name.node.name).ok_or_else(|| {
                    let message = format!("{} has no member `{}`", self.words(&ty), name.node.name);
                    mistyped(message, span, "no such member")
                })?;
                for (n, (at, _)) in path.iter().enumerate() {
                    if n > 0 {
                        self.descend(levels, span)?;
                    }
                    if let Some(level) = levels.last_mut() {
                        level.next = *at as u64;
                    }
                }
            }
            Designator::Range(_) => {
                return Err(super::expressions::refused("a range of elements", span));
            }
        }
        Ok(())
    }

    /// The kind of a mutex, which its initialiser says: 0 is the normal one.
    fn mutex(&mut self, list: &[Node<InitializerListItem>]) -> Checked<Int> {
        let mut kind = Int::ZERO;
        for item in list {
            let value = match &item.node.initializer.node {
                Initializer::Expression(expression) => self.constant(expression)?,
                Initializer::List(inner) => self.mutex(inner)?,
            };
            if kind.is_zero() {
                kind = value;
            }
        }
        Ok(kind)
    }
}

/// Whether a value is known before the program runs: a number, or the address of something with static storage.
fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Number(_) | ExprKind::Function(_) => true,
        ExprKind::Convert(inner) => is_constant(inner),
        ExprKind::Offset(pointer, by, _) => is_constant(pointer) && is_constant(by),
        ExprKind::Address(place) => {
            let mut place = &**place;
            loop {
                match &place.kind {
                    PlaceKind::Object(_) => return true,
                    PlaceKind::Member(inner, _) => place = inner,
                    PlaceKind::Element(inner, index) if is_constant(index) => place = inner,
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}
