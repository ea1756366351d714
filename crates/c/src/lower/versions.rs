//! Versions: what the environment sees of a module beside calls and results, if two versions of it are compared.
//!
//! Data with external linkage is reported whenever the environment is to move, as far as the module has looked at it or written to it since
//! the environment did. A structure that the environment is given is reported like data of that name. A function of the C library that writes
//! something is an import, which has the texts that it is given in its name.

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{
    Base, Callee, Calls, CellId, DataId, Expression, ExpressionId, Import, ImportId, Label,
    Place as CorePlace, Share, SharedData, Signature, Sort, Statement,
};

use super::Lowering;
use super::access::{SharedCell, SharedImport};
use crate::library::Known;
use crate::points::Owner;
use crate::tree::{Argument, Expr, ExprKind, FunctionId, ObjectId, Place, PlaceKind};
use crate::types::Type;

type Lowered<T> = Result<T, Diagnostic>;

/// A scalar of a structure that is given: the import that reports it, if there is one, and how many elements it has.
pub(super) type Told = (Option<ImportId>, Option<u64>);

/// The names of the streams, by their numbers.
const STREAMS: [&str; 4] = ["null", "stdin", "stdout", "stderr"];

/// A function of the C library that writes something, called with certain texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputImport {
    /// The import.
    pub import: ImportId,
    /// The function.
    pub function: String,
    /// Its arguments.
    pub words: Vec<Word>,
}

/// An argument of a function that writes something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// A text, as C writes it.
    Text(String),
    /// A stream.
    Stream(&'static str),
    /// A number of a type.
    Number(String),
}

impl Word {
    fn spelling(&self) -> &str {
        match self {
            Word::Text(word) | Word::Number(word) => word,
            Word::Stream(name) => name,
        }
    }
}

impl Lowering<'_> {
    /// The environment knows the addresses of texts by what they hold, and those of objects that it can name by their names.
    pub(super) fn fix_addresses(&mut self) {
        for (id, target) in self.memory.analysis.targets() {
            let Owner::Object(object) = target.owner else { continue };
            let range = self.memory.range(id);
            let (shared, object) = (self.is_visible(object), self.program.object(object));
            if !object.constant && !shared {
                continue;
            }
            let mut words = match (object.text, shared) {
                (true, _) => object.name.clone(),
                (false, true) => format!("&{}", object.name),
                // It is known by nothing but its address, and the environment can look into it.
                (false, false) => {
                    if self.memory.analysis.given().targets.contains(&id) {
                        self.unseen.insert(format!("what `{}` holds", object.name));
                    }
                    continue;
                }
            };
            if !object.text {
                words += self.program.leaves(&object.ty).get(target.leaf).map_or("", |leaf| &leaf.path);
            }
            let end = range.first.saturating_add(range.row().saturating_mul(range.rows));
            let given = shared || self.handed.contains_key(&id);
            self.module.fix_addresses(range.first, end, words.into(), given);
        }
    }

    /// The environment sees what a cell of an object holds at first.
    pub(super) fn show_data(
        &mut self,
        id: ObjectId,
        cell: CellId,
        name: &str,
        sort: Sort,
        length: Option<u64>,
    ) -> DataId {
        let initial = self.program.object(id).defined.then(|| self.module.cell(cell).initial.clone());
        self.module.add_data(SharedData { name: name.into(), sort, length, initial })
    }

    /// The environment sees what constants with external linkage hold.
    pub(super) fn show_constant(&mut self, id: ObjectId) -> Lowered<()> {
        let object = self.program.object(id);
        for (n, leaf) in self.program.leaves(&object.ty).into_iter().enumerate() {
            let Some(cell) = self.objects[id.index()].get(n).copied() else { continue };
            let sort = self.sort(&leaf.ty, object.span)?;
            let length = leaf.array.then_some(leaf.count.max(1));
            self.show_data(id, cell, &format!("{}{}", object.name, leaf.path), sort, length);
        }
        Ok(())
    }

    /// The environment is to move: it sees what data holds that the module knows.
    pub(super) fn tell_data(&mut self, cell: CellId, shared: &SharedCell, span: Span) {
        let (Some(known), Some(tell)) = (shared.known, shared.tell) else { return };
        let told = |this: &mut Self, index: Option<ExpressionId>| {
            let is_known = this.add(Expression::Load(CorePlace { base: Base::Module(known), index }), span);
            let here = this.here();
            let at = this.emit(Statement::Branch(is_known, Label(here.0 + 1), here), span);
            let value = this.add(Expression::Load(CorePlace { base: Base::Module(cell), index }), span);
            let arguments = index.into_iter().chain([value]).collect();
            this.emit(Statement::Call(Callee::Import(tell), arguments, None), span);
            this.patch(&[(at, false)]);
        };
        match self.module.cell(cell).length {
            None => told(self, None),
            Some(length) => self.through(length, span, |this, n| told(this, Some(n))),
        }
    }

    /// The environment sees that an object has died to which it has a pointer.
    pub(super) fn tell_end(&mut self, address: ExpressionId, span: Span) {
        const NAME: &str = "an object has died";
        let sort = Sort::Data(agon_core::types::Data::Machine { signed: false, bits: 64 });
        let known = self.module.imports().find(|(_, import)| *import.name == *NAME).map(|(id, _)| id);
        let import = known.unwrap_or_else(|| {
            let signature = self.module.add_signature(Signature { parameters: vec![sort], result: None });
            let import = Import::new(NAME.into(), signature, Span::default());
            let id = self.module.add_import(Import { calls: Calls::Nothing, ..import });
            self.module.share(id, Share::Ends);
            id
        });
        self.emit(Statement::Call(Callee::Import(import), vec![address], None), span);
    }

    /// Declares what tells the structure that a function gives to the environment. If nothing is compared, only pointers count, which the
    /// environment may use later.
    pub(super) fn declare_told(&mut self, id: FunctionId) -> Lowered<()> {
        let function = self.program.function(id);
        let mut imports = Vec::new();
        for leaf in self.program.leaves(&function.ty.result) {
            let pointer = leaf.ty.pointed_function().is_some() || leaf.ty.pointed_data().is_some();
            if !self.options.compared && !pointer {
                imports.push((None, leaf.array.then_some(leaf.count)));
                continue;
            }
            let sort = self.sort(&leaf.ty, function.span)?;
            let length = leaf.array.then_some(leaf.count.max(1));
            let name = format!("{} gives{}", function.name, leaf.path);
            let import = self.telling(&name, sort.clone(), leaf.array, function.span);
            if self.options.compared {
                let initial = Some(vec![Int::ZERO]);
                let data = SharedData { name: name.as_str().into(), sort, length, initial };
                let data = self.module.add_data(data);
                self.module.share(import, Share::Tells(data));
            }
            self.shared_imports.push(SharedImport {
                import,
                place: format!("result{}", leaf.path),
                shown: format!("result{}", leaf.path),
                ty: leaf.ty.clone(),
                element: leaf.array,
                tells: true,
                known: None,
                result_of: Some(id),
            });
            imports.push((Some(import), leaf.array.then_some(leaf.count)));
        }
        self.told_results.insert(id, imports);
        Ok(())
    }

    /// An import that tells what a cell or an element holds.
    pub(super) fn telling(&mut self, name: &str, sort: Sort, array: bool, span: Span) -> ImportId {
        let index = Sort::Data(agon_core::types::Data::Machine { signed: false, bits: 64 });
        let parameters = array.then_some(index).into_iter().chain([sort]).collect();
        self.leaf_import(&format!("{name} ="), Signature { parameters, result: None }, span)
    }

    /// The environment is given a structure.
    pub(super) fn tell_result(&mut self, id: FunctionId, values: &[ExpressionId], span: Span) {
        let scalars = self.scalars(&self.program.function(id).ty.result);
        for (value, scalar) in values.iter().zip(&scalars) {
            self.hand_out(*value, scalar, span);
        }
        let mut values = values.iter().copied();
        for (import, count) in self.told_results.get(&id).cloned().unwrap_or_default() {
            for n in 0..count.unwrap_or(1) {
                let index = count.map(|_| self.number(Int::from(n), span));
                let Some(value) = values.next() else { return };
                let Some(import) = import else { continue };
                let arguments = index.into_iter().chain([value]).collect();
                self.emit(Statement::Call(Callee::Import(import), arguments, None), span);
            }
        }
    }

    /// A call of a function of the C library that writes something.
    pub(super) fn output(
        &mut self,
        name: &str,
        arguments: &[Argument],
        ty: &Type,
        used: bool,
        span: Span,
    ) -> Lowered<Option<ExpressionId>> {
        let (mut words, mut sorts, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for argument in arguments {
            if let Some(word) = self.word(argument) {
                words.push(word);
                continue;
            }
            match argument {
                Argument::Value(e) if e.ty.integer().is_some() => {
                    let value = self.value(e)?;
                    let sort = self.sort(&e.ty, e.span)?;
                    words.push(Word::Number(crate::declare::declare(self.program, &e.ty, "")));
                    values.push(self.stable(value, sort.clone(), e.span));
                    sorts.push(sort);
                }
                Argument::Value(e) => {
                    self.unseen.insert(format!("what `{name}` writes from memory"));
                    match e.ty.is_scalar() {
                        true => _ = self.value(e)?,
                        false => self.effect(e)?,
                    }
                }
                Argument::Object(place) => {
                    self.unseen.insert(format!("what `{name}` writes from memory"));
                    self.each(place, &mut |_, _| Ok(()))?;
                }
            }
        }
        let result = match ty {
            Type::Void => None,
            ty => Some(self.sort(ty, span)?),
        };
        let spelt: Vec<&str> = words.iter().map(|word| word.spelling()).collect();
        let called = format!("{name}({})", spelt.join(", "));
        let known = self.module.imports().find(|(_, import)| *import.name == *called).map(|(id, _)| id);
        let import = known.unwrap_or_else(|| {
            let import =
                self.leaf_import(&called, Signature { parameters: sorts, result: result.clone() }, span);
            self.outputs.push(OutputImport { import, function: name.to_string(), words: words.clone() });
            import
        });
        let to = result.filter(|_| used).map(|sort| self.local(None, sort, None, span));
        self.emit(Statement::Call(Callee::Import(import), values, to), span);
        Ok(to.map(|to| self.read(to, span)))
    }

    /// A text or a stream as an argument.
    fn word(&self, argument: &Argument) -> Option<Word> {
        let text = |place: &Place| {
            let mut place = place;
            while let PlaceKind::Element(inner, index) = &place.kind {
                matches!(&index.kind, ExprKind::Number(n) if n.is_zero()).then_some(())?;
                place = inner;
            }
            match place.kind {
                PlaceKind::Object(id) => {
                    let object = self.program.object(id);
                    object.text.then(|| Word::Text(object.name.clone()))
                }
                _ => None,
            }
        };
        match argument {
            Argument::Object(place) => text(place),
            Argument::Value(e) => match &stripped(e).kind {
                ExprKind::Address(place) => text(place),
                ExprKind::Library(Known::Stream, _, arguments) => match &arguments[..] {
                    [Argument::Value(Expr { kind: ExprKind::Number(n), .. })] => {
                        STREAMS.get(usize::try_from(n.to_u64()?).ok()?).map(|name| Word::Stream(name))
                    }
                    _ => None,
                },
                ExprKind::Number(n) if n.is_zero() && e.ty.pointed_data().is_some() => {
                    Some(Word::Stream(STREAMS[0]))
                }
                _ => None,
            },
        }
    }
}

fn stripped(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) if inner.ty.pointed_data().is_some() => stripped(inner),
        _ => e,
    }
}
