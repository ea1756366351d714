//! Layout: an object as a list of scalars, each of which is a cell or, where arrays enclose it, an array of cells.
//!
//! An array of structures is one array for each scalar member. So a part of an object is known by its first scalar and by its
//! number among the parts with the same path, its *row*.

use crate::tree::{Member, Program, Struct};
use crate::types::{DataModel, Rank, Type};

/// A scalar of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The members that lead to it, as they are written behind the name of the object.
    pub path: String,
    /// An integer, a pointer or a mutex.
    pub ty: Type,
    /// How many there are in the object.
    pub count: u64,
    /// Whether an array encloses it.
    pub array: bool,
    /// Whether nobody may change it.
    pub constant: bool,
    /// Whether every access to it is seen.
    pub volatile: bool,
}

/// Objects with more cells than this are refused.
pub const MOST_CELLS: u64 = 1 << 24;

impl Program {
    /// The scalars of an object of a type.
    pub fn leaves(&self, ty: &Type) -> Vec<Leaf> {
        match ty {
            Type::Array(element, length) => {
                let mut leaves = self.leaves(element);
                for leaf in &mut leaves {
                    leaf.count = leaf.count.saturating_mul(length.unwrap_or(0));
                    leaf.array = true;
                }
                leaves
            }
            Type::Struct(id) => {
                let mut leaves = Vec::new();
                for member in self.members(*id) {
                    let name = member.name.as_ref().map_or(String::new(), |name| format!(".{name}"));
                    leaves.extend(self.leaves(&member.ty).into_iter().map(|leaf| {
                        let path = format!("{name}{}", leaf.path);
                        let constant = leaf.constant || member.constant;
                        Leaf { path, constant, volatile: leaf.volatile || member.volatile, ..leaf }
                    }));
                }
                leaves
            }
            Type::Integer(_) | Type::Pointer(_) | Type::Mutex => {
                let (constant, volatile) = (false, false);
                vec![Leaf { path: String::new(), ty: ty.clone(), count: 1, array: false, constant, volatile }]
            }
            Type::Void | Type::Function(_) | Type::Unsupported(_) => vec![],
        }
    }

    /// How C writes a scalar of an object, behind the name of the object: by its path and its number among those with the same path.
    pub fn spelled(&self, ty: &Type, leaf: usize, row: u64) -> String {
        match ty {
            Type::Array(element, _) => {
                let each = self.leaves(element).get(leaf).map_or(1, |leaf| leaf.count).max(1);
                format!("[{}]{}", row / each, self.spelled(element, leaf, row % each))
            }
            Type::Struct(id) => {
                let mut before = 0;
                for member in self.members(*id) {
                    let count = self.leaf_count(&member.ty);
                    if leaf < before + count {
                        let name = member.name.as_ref().map_or(String::new(), |name| format!(".{name}"));
                        return format!("{name}{}", self.spelled(&member.ty, leaf - before, row));
                    }
                    before += count;
                }
                String::new()
            }
            _ => String::new(),
        }
    }

    /// How many scalars come before the part of a type that lies a number of bytes behind the beginning of a structure, if there is one
    /// and no array encloses it.
    pub fn scalars_before(&self, ty: &Type, bytes: u64, part: &Type) -> Option<usize> {
        if bytes == 0 && self.alike(ty, part) {
            return Some(0);
        }
        let Type::Struct(id) = ty else { return None };
        if self.structs[id.0 as usize].union {
            return None;
        }
        (0..self.members(*id).len()).find_map(|n| {
            let rest = bytes.checked_sub(self.offset(*id, n)?)?;
            let inner = self.scalars_before(&self.members(*id)[n].ty, rest, part)?;
            Some(self.leaves_before(*id, n) + inner)
        })
    }

    /// How many scalars, arrays counted once, come before a member of a structure.
    pub fn leaves_before(&self, id: crate::types::StructId, member: usize) -> usize {
        self.members(id)[..member].iter().map(|member| self.leaf_count(&member.ty)).sum()
    }

    /// How many scalars, arrays counted once, an object of a type has.
    pub fn leaf_count(&self, ty: &Type) -> usize {
        match ty {
            Type::Array(element, _) => self.leaf_count(element),
            Type::Struct(id) => self.members(*id).iter().map(|member| self.leaf_count(&member.ty)).sum(),
            Type::Integer(_) | Type::Pointer(_) | Type::Mutex => 1,
            Type::Void | Type::Function(_) | Type::Unsupported(_) => 0,
        }
    }

    /// How many bytes an object of a type has, and on multiples of how many bytes it stands; nothing if that is not known.
    pub fn size(&self, ty: &Type) -> Option<(u64, u64)> {
        let pointer = u64::from(self.model.size().bits / 8);
        Some(match ty {
            Type::Integer(integer) => {
                let bytes = u64::from(integer.bits / 8);
                // On 32-bit systems objects of 8 bytes stand on multiples of 4 inside structures.
                let aligned = if self.model == DataModel::Ilp32 { bytes.min(4) } else { bytes };
                (bytes, if integer.rank == Rank::Bool { 1 } else { aligned })
            }
            Type::Pointer(_) => (pointer, pointer),
            Type::Array(element, length) => {
                let (size, align) = self.size(element)?;
                (size.checked_mul((*length)?)?, align)
            }
            Type::Struct(id) => {
                let structure @ Struct { members, union, size, .. } = &self.structs[id.0 as usize];
                members.as_ref()?;
                if size.is_some() {
                    return *size;
                }
                let union = *union;
                let (mut size, mut align) = (0u64, structure.align.unwrap_or(1));
                for member in self.members(*id) {
                    let (inner, natural) = self.size(&member.ty)?;
                    let inner_align = if structure.packed { 1 } else { natural };
                    align = align.max(inner_align);
                    if union {
                        size = size.max(inner);
                        continue;
                    }
                    size = size.checked_next_multiple_of(inner_align)?.checked_add(inner)?;
                }
                (size.checked_next_multiple_of(align)?, align)
            }
            Type::Void | Type::Function(_) => (1, 1),
            // As in glibc.
            Type::Mutex if pointer == 8 => (40, 8),
            Type::Mutex => (24, 4),
            Type::Unsupported(_) => return None,
        })
    }

    /// How many bytes of a structure come before a member; nothing if that is not known.
    pub fn offset(&self, id: crate::types::StructId, member: usize) -> Option<u64> {
        let Struct { union, size, .. } = &self.structs[id.0 as usize];
        if size.is_some() || *union {
            // Where members lie beside bit fields is not remembered.
            return union.then_some(0);
        }
        let mut bytes = 0u64;
        for (n, each) in self.members(id).iter().enumerate() {
            let (size, natural) = self.size(&each.ty)?;
            let align = if self.structs[id.0 as usize].packed { 1 } else { natural };
            bytes = bytes.checked_next_multiple_of(align)?;
            if n == member {
                return Some(bytes);
            }
            bytes = bytes.checked_add(size)?;
        }
        None
    }

    /// Whether two types are the same. Structures of two units are if they have one tag and the same members.
    pub fn alike(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Struct(a), Type::Struct(b)) if a == b => true,
            (Type::Struct(a), Type::Struct(b)) => {
                let (a, b) = (&self.structs[a.0 as usize], &self.structs[b.0 as usize]);
                let members = match (&a.members, &b.members) {
                    (Some(a), Some(b)) => {
                        let same = |(a, b): (&Member, &Member)| {
                            a.name == b.name && a.field == b.field && self.alike(&a.ty, &b.ty)
                        };
                        a.len() == b.len() && a.iter().zip(b).all(same)
                    }
                    _ => true,
                };
                a.name == b.name && a.union == b.union && members
            }
            (Type::Array(a, n), Type::Array(b, m)) => n == m && self.alike(a, b),
            // What pointers point to is not looked at.
            (Type::Pointer(_), Type::Pointer(_)) => true,
            _ => a == b,
        }
    }

    /// Whether a type is a structure that only the module knows: its members are declared in a source file, not in a header.
    pub fn is_private(&self, ty: &Type) -> bool {
        match ty {
            Type::Struct(id) => self.structs[id.0 as usize].private,
            _ => false,
        }
    }

    /// Whether a type is complete: objects of it can be declared.
    pub fn is_complete(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, length) => length.is_some() && self.is_complete(element),
            Type::Struct(id) => self.structs[id.0 as usize].members.is_some(),
            Type::Void | Type::Function(_) => false,
            Type::Integer(_) | Type::Pointer(_) | Type::Mutex | Type::Unsupported(_) => true,
        }
    }

    /// Whether a union is part of a type, not behind pointers.
    pub fn has_union(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.has_union(element),
            Type::Struct(id) => {
                self.structs[id.0 as usize].union
                    || self.members(*id).iter().any(|member| self.has_union(&member.ty))
            }
            _ => false,
        }
    }

    /// For each scalar of a type those of other members of the unions that it is in.
    pub fn siblings(&self, ty: &Type) -> Vec<Vec<Sibling>> {
        match ty {
            Type::Array(element, _) => self.siblings(element),
            Type::Struct(id) => {
                let mut all: Vec<Vec<Sibling>> = Vec::new();
                // The scalars of each member: the first one, and how many of each there are.
                let mut members: Vec<(usize, Vec<u64>)> = Vec::new();
                for member in self.members(*id) {
                    let first = all.len();
                    for mut list in self.siblings(&member.ty) {
                        list.iter_mut().for_each(|sibling| sibling.leaf += first);
                        all.push(list);
                    }
                    members.push((first, self.leaves(&member.ty).iter().map(|leaf| leaf.count).collect()));
                }
                if self.structs[id.0 as usize].union {
                    for (n, (first, counts)) in members.iter().enumerate() {
                        for (_, (other, others)) in members.iter().enumerate().filter(|(m, _)| *m != n) {
                            for (at, own) in counts.iter().enumerate() {
                                let each = others.iter().enumerate().map(|(leaf, count)| Sibling {
                                    leaf: other + leaf,
                                    own: (*own).max(1),
                                    count: (*count).max(1),
                                });
                                all[first + at].extend(each);
                            }
                        }
                    }
                }
                all
            }
            Type::Integer(_) | Type::Pointer(_) | Type::Mutex => vec![vec![]],
            Type::Void | Type::Function(_) | Type::Unsupported(_) => vec![],
        }
    }
}

/// A scalar of another member of a union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sibling {
    /// Which one it is.
    pub leaf: usize,
    /// How many of the scalar itself there are in one union.
    pub own: u64,
    /// How many of the other one there are in one union.
    pub count: u64,
}
