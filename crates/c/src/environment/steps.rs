//! Steps: the moves of an environment as statements of C.

use std::collections::BTreeSet;

use agon_base::int::Int;
use agon_core::module::environment::Step;
use agon_core::module::eval::play;
use agon_core::module::play::Move;
use agon_core::module::{Datum, Function, ImportId, ProcedureId, Share};

use super::Writer;
use super::looks::{Looked, UNLESS_SEEN};
use crate::declare::declare;
use crate::read::SharedImport;
use crate::tree::{ExprKind, FunctionId, Linkage, Object, ObjectId};
use crate::types::{Integer, Type};

/// The play was run before; it takes fewer steps than this.
const STEPS: u64 = 1 << 24;

/// What an environment does.
#[derive(Default)]
pub(super) struct Script {
    /// The statements of each step.
    pub steps: Vec<String>,
    /// What is done before the first step.
    pub first: Vec<String>,
    /// The functions and objects of the library that are named.
    pub functions: BTreeSet<FunctionId>,
    pub objects: BTreeSet<ObjectId>,
    /// Objects that are constant, with their values.
    pub constants: Vec<(ObjectId, String)>,
    /// How many pointers to functions are handed over; 0 if none of them is needed.
    pub taken: usize,
    /// How many pointers to objects are handed over; 0 if none of them is needed.
    pub held: usize,
    /// The addresses of objects of the environment's own.
    pub foreign: Vec<Int>,
    /// Whether a function of the environment's gives a pointer to a function.
    pub gives_functions: bool,
    /// Whether the environment ends by `abort`.
    pub aborts: bool,
    /// A function of the environment's looks for a move.
    pub looked_for: Option<Looked>,
    /// The step that comes after a move that was looked for, if the play goes on.
    pub seen_before: Option<usize>,
    /// Whether texts are compared.
    pub compares_texts: bool,
}

/// The pointers to functions that were handed over until now, in order.
#[derive(Default)]
pub(super) struct Given {
    pub list: Vec<Int>,
    /// The pointers to objects that were handed over until now, in order.
    pub objects: Vec<Int>,
    /// Whether one of them is called, or given back.
    pub needed: bool,
    /// Whether they are kept.
    pub kept: bool,
}

impl Script {
    /// What the steps mention is declared, though a call in which it stands may never return.
    pub(super) fn count_mentioned(&mut self) {
        let mentions = |word: &str| self.steps.iter().chain(&self.first).any(|line| line.contains(word));
        let (takes, holds) = (mentions("agon_take("), mentions("agon_hold("));
        self.taken = self.taken.max(usize::from(takes));
        self.held = self.held.max(usize::from(holds));
    }
}

impl Writer<'_> {
    pub(super) fn script(&self) -> Script {
        // Pointers are kept only if they are needed.
        let (script, needed) = self.script_with(true);
        if needed { script } else { self.script_with(false).0 }
    }

    fn script_with(&self, kept: bool) -> (Script, bool) {
        let mut steps: Vec<(u64, &Step)> = Vec::new();
        let parts = self.environment.parts.iter().flat_map(|part| &part.steps);
        steps.extend(self.environment.opening.iter().chain(parts).map(|(n, step)| (*n, step)));
        steps.sort_by_key(|(n, _)| *n);
        steps.dedup_by_key(|(n, _)| *n);
        // What a function looks for while the play goes on is no step of its own in C.
        let check = steps.iter().position(|(_, step)| matches!(step, Step::Check(_)));
        let check = check.map(|at| (at, steps.remove(at).1));
        let played = play(self.module, self.environment.moves.iter().cloned(), STEPS).play;
        let mut script = Script::default();
        // What the library needs and does not define is defined.
        for id in self.document.shared.iter().filter_map(|shared| self.object_of(shared)) {
            if !self.document.program.object(id).defined {
                script.objects.insert(id);
            }
        }
        let mut given = Given { kept, ..Given::default() };
        self.take_initial(&mut script, &mut given);
        // The calls of the library that are open, with their arguments.
        let mut open: Vec<(Function, Vec<Int>)> = Vec::new();
        // What is read where functions were stored, before the next step.
        let mut read: Vec<String> = Vec::new();
        // The numbers of these steps.
        let mut calls: Vec<usize> = Vec::new();
        // The steps that were made, and the shared data that was written before the last one.
        let mut made = 0;
        let mut written: Vec<(ImportId, Vec<Int>)> = Vec::new();
        let before = |made: usize| made.checked_sub(1).and_then(|last| steps.get(last));
        for (n, played) in played.0.iter().enumerate() {
            match (played, n % 2 == 0) {
                (Move::Call(function @ Function::Procedure(id), values), true) => {
                    let step = steps.get(made);
                    self.write_unasked(before(made), &written, &mut script, &mut given);
                    made += 1;
                    written.clear();
                    open.push((*function, values.clone()));
                    calls.push(made - 1);
                    // Nobody but the system calls a closed program.
                    if self.document.closed {
                        continue;
                    }
                    let call = match step {
                        Some((_, Step::LastCall(_, _, expected))) => {
                            self.last_call(*id, values, expected.as_ref(), &mut script, &mut given)
                        }
                        Some((_, Step::CheckedCall(_, _, expected))) => {
                            self.checked_call(*id, values, expected, &mut script, &mut given)
                        }
                        _ => format!("{} break;", self.call(*id, values, &mut script, &mut given)),
                    };
                    script.steps.push(format!("{}{call}", read.drain(..).collect::<String>()));
                }
                (Move::Return(value), true) => {
                    let Some((function, arguments)) = open.pop() else { continue };
                    let share =
                        matches!(function, Function::Import(id) if self.module.share_of(id).is_some());
                    if !share {
                        self.write_unasked(before(made), &written, &mut script, &mut given);
                        made += 1;
                        written.clear();
                    }
                    if let Function::Import(id) = function {
                        if self.module.import(id).choice {
                            continue;
                        }
                        if let Some(shared) = self.shared(id) {
                            if !shared.tells {
                                written.push((id, arguments.clone()));
                                self.write(shared, &arguments, value.as_ref(), &mut script, &mut given);
                            }
                            continue;
                        }
                        if share {
                            continue;
                        }
                    }
                    let answer = self.answer(function, value.as_ref(), &mut script, &mut given);
                    script.steps.push(format!("{}{answer}", read.drain(..).collect::<String>()));
                }
                (Move::Call(function, arguments), false) => {
                    self.hand_over(*function, arguments, &mut given, &mut read, &mut script);
                    open.push((*function, arguments.clone()));
                    let checks = |part: usize| {
                        let mut steps = self.environment.parts[part].steps.iter();
                        steps.any(|(_, step)| matches!(step, Step::Check(_)))
                    };
                    if let Some((at, Step::Check(values))) = check
                        && at == made
                        && self.part_of(*function).is_some_and(checks)
                    {
                        self.look_for(values, true, &mut script, &mut given);
                    }
                }
                (Move::Return(value), false) => {
                    let Some((function, _)) = open.pop() else { continue };
                    if let Some((_, Step::CheckedCall(..))) = calls.pop().and_then(|call| steps.get(call)) {
                        script.seen_before = Some(script.steps.len());
                    }
                    let ty = self.type_of(function).map(|ty| ty.result);
                    match (value, ty) {
                        (Some(value), Some(ty)) if ty.pointed_function().is_some() => {
                            given.list.push(value.clone());
                        }
                        (Some(value), Some(ty)) if ty.pointed_data().is_some() => {
                            given.objects.push(value.clone());
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        self.write_unasked(before(made), &written, &mut script, &mut given);
        match steps.last() {
            Some((_, Step::Abort)) => {
                script.aborts = true;
                script.steps.push("abort(); break;".into());
            }
            Some((_, Step::AbortIf(values))) => {
                script.aborts = true;
                self.look_for(values, false, &mut script, &mut given);
            }
            _ => {}
        }
        if let Some(step) = script.seen_before.and_then(|at| script.steps.get_mut(at)) {
            step.insert_str(0, UNLESS_SEEN);
        }
        script.taken = if kept { given.list.len() } else { 0 };
        script.held = if kept { given.objects.len() } else { 0 };
        script.count_mentioned();
        (script, given.needed)
    }

    /// Functions and pointers to private objects that objects hold at first which C can name.
    pub(super) fn take_initial(&self, script: &mut Script, given: &mut Given) {
        for (id, object) in self.document.program.objects() {
            if !given.kept || object.linkage == Linkage::Internal {
                continue;
            }
            let leaves = self.document.program.leaves(&object.ty);
            for item in &object.initial {
                let leaf = &leaves[item.leaf];
                let place = format!("{}{}", object.name, leaf.path);
                let spelled = self.document.program.spelled(&object.ty, item.leaf, item.row);
                let spelled = format!("{}{spelled}", object.name);
                if let ExprKind::Function(function) = &item.value.kind {
                    let known = self.document.functions[function.index()];
                    let private = matches!(known, Some(Function::Procedure(id)) if !self.is_named(id));
                    if let (true, Some(function)) = (private, known) {
                        script.first.push(format!("agon_take((void (*)(void)){spelled});"));
                        script.objects.insert(id);
                        given.list.push(self.module.number(function));
                    }
                } else if leaf.ty.pointed_data().is_some() {
                    let cell =
                        self.module.cells().find(|(_, cell)| *cell.name == *place).map(|(_, cell)| cell);
                    let row = usize::try_from(item.row).unwrap_or(usize::MAX);
                    let held = cell.and_then(|cell| cell.initial.get(row).or(cell.initial.last()));
                    let new = |address: &&Int| !address.is_zero() && !given.objects.contains(address);
                    if let Some(address) = held.filter(new) {
                        script.first.push(format!("agon_hold((void *){spelled});"));
                        script.objects.insert(id);
                        given.objects.push(address.clone());
                    }
                }
            }
        }
    }

    /// The library calls the environment: functions that it is given can be called from now on.
    pub(super) fn hand_over(
        &self,
        function: Function,
        arguments: &[Int],
        given: &mut Given,
        read: &mut Vec<String>,
        script: &mut Script,
    ) {
        if let Function::Import(id) = function
            && (self.shared(id).is_some() || self.module.share_of(id).is_some())
        {
            // A structure that was given is taken apart where the call returns.
            if let Some(shared) = self.shared(id).filter(|shared| shared.result_of.is_some())
                && let Some(value) = arguments.last()
            {
                match shared.ty.pointed_function().is_some() {
                    true => given.list.push(value.clone()),
                    false if shared.ty.pointed_data().is_some() => given.objects.push(value.clone()),
                    false => {}
                }
            } else if let Some(shared) = self.shared(id).filter(|shared| shared.tells && given.kept)
                && let (Some(object), Some(value)) = (self.object_of(shared), arguments.last())
            {
                let place = self.indexed(&shared.place, arguments.first().filter(|_| shared.element));
                if shared.ty.pointed_function().is_some() {
                    read.push(format!("agon_take((void (*)(void)){place}); "));
                    script.objects.insert(object);
                    given.list.push(value.clone());
                } else if shared.ty.pointed_data().is_some() {
                    read.push(format!("agon_hold((void *){place}); "));
                    script.objects.insert(object);
                    given.objects.push(value.clone());
                }
            }
            return;
        }
        if let Function::Import(id) = function
            && self.document.outputs.iter().any(|output| output.import == id)
        {
            return;
        }
        let types = self
            .part_of(function)
            .and_then(|at| self.type_of_part(at))
            .map(|ty| ty.parameters)
            .unwrap_or_default();
        let mut values = arguments.iter();
        for ty in &types {
            let count = self.document.program.leaves(ty).iter().map(|leaf| leaf.count).sum::<u64>();
            let part: Vec<&Int> = values.by_ref().take(usize::try_from(count).unwrap_or(0)).collect();
            for (value, (_, kind)) in part.into_iter().zip(self.pointers_in("", ty)) {
                match kind {
                    Some(true) => given.list.push(value.clone()),
                    Some(false) => given.objects.push(value.clone()),
                    None => {}
                }
            }
        }
    }

    /// The scalars of a value, as C writes them: whether they are pointers to functions, or to data, or none.
    pub(super) fn pointers_in(&self, place: &str, ty: &Type) -> Vec<(String, Option<bool>)> {
        let program = &self.document.program;
        let mut scalars = Vec::new();
        for (n, leaf) in program.leaves(ty).into_iter().enumerate() {
            let kind = match leaf.ty.pointed_function() {
                Some(_) => Some(true),
                None => leaf.ty.pointed_data().map(|_| false),
            };
            let rows = 0..leaf.count;
            scalars.extend(rows.map(|row| (format!("{place}{}", program.spelled(ty, n, row)), kind)));
        }
        scalars
    }

    /// A part of an object that C can name, with its number if there are several with the same path.
    fn indexed(&self, place: &str, index: Option<&Int>) -> String {
        let Some(index) = index else { return place.to_string() };
        let program = &self.document.program;
        let (root, path) = place.split_at(place.find('.').unwrap_or(place.len()));
        let external = |object: &&Object| object.name == root && object.linkage == Linkage::External;
        let object = program.objects().map(|(_, object)| object).find(external);
        let spelled = object.zip(index.to_u64()).and_then(|(object, index)| {
            let leaf = program.leaves(&object.ty).iter().position(|leaf| leaf.path == path)?;
            Some(format!("{root}{}", program.spelled(&object.ty, leaf, index)))
        });
        spelled.unwrap_or_else(|| format!("{place}[{index}]"))
    }

    /// Statements that keep the pointers in a value.
    pub(super) fn keep(&self, place: &str, ty: &Type, (functions, objects): (bool, bool)) -> String {
        let keep = |(place, kind): (String, Option<bool>)| match kind? {
            true => functions.then(|| format!("agon_take((void (*)(void)){place}); ")),
            false => objects.then(|| format!("agon_hold((void *){place}); ")),
        };
        self.pointers_in(place, ty).into_iter().filter_map(keep).collect()
    }

    /// A call of the library.
    pub(super) fn call(
        &self,
        id: ProcedureId,
        values: &[Int],
        script: &mut Script,
        given: &mut Given,
    ) -> String {
        let Some((call, result)) = self.called(id, values, script, given) else { return String::new() };
        let kept = if given.kept { self.keep("agon_result", &result, (true, true)) } else { String::new() };
        match &result {
            _ if kept.is_empty() => format!("{call};"),
            Type::Struct(_) => {
                let result = declare(&self.document.program, &result, "agon_result");
                format!("{{ {result} = {call}; {kept}}}")
            }
            _ => kept.trim_end().replace("agon_result", &call),
        }
    }

    /// A call of the library as an expression, and the type of its result.
    pub(super) fn called(
        &self,
        id: ProcedureId,
        values: &[Int],
        script: &mut Script,
        given: &mut Given,
    ) -> Option<(String, Type)> {
        let ty = self.type_of(Function::Procedure(id))?;
        let mut list = values.iter();
        let mut arguments = Vec::new();
        for ty in &ty.parameters {
            arguments.push(self.value(&mut list, ty, script, given));
        }
        let function = match self.is_named(id) {
            true => {
                self.mention(Function::Procedure(id), &mut script.functions);
                self.module.procedure(id).name.to_string()
            }
            false => {
                let pointer = Type::Function(ty.clone().into()).pointer();
                format!("({})", self.taken(&self.module.number(Function::Procedure(id)), &pointer, given))
            }
        };
        Some((format!("{function}({})", arguments.join(", ")), ty.result))
    }

    /// Data that is never told, since it is constant or since every access to it is seen.
    pub(super) fn never_told(&self, datum: &Datum, script: &mut Script) -> Option<(String, Type)> {
        let name = &self.module.data(datum.data).name;
        let (root, path) = name.split_at(name.find('.').unwrap_or(name.len()));
        let (id, object) = self.document.program.objects().find(|(_, object)| object.name == root)?;
        let leaves = self.document.program.leaves(&object.ty);
        let leaf = leaves.iter().find(|leaf| leaf.path == path)?;
        script.objects.insert(id);
        Some((self.indexed(name, datum.index.as_ref()), leaf.ty.clone()))
    }

    /// Shared data as C writes it. A part of a structure that was given is one of `agon_result`.
    pub(super) fn place_of(&self, datum: &Datum) -> Option<(String, &SharedImport)> {
        let stands_for = |shared: &&SharedImport| match self.module.share_of(shared.import) {
            Some(Share::Asks { data, .. } | Share::Tells(data)) => data == datum.data,
            Some(Share::Ends) | None => false,
        };
        let shared = self.document.shared.iter().find(stands_for)?;
        let place = self.indexed(&shared.place, datum.index.as_ref());
        let root = if shared.result_of.is_some() { "agon_" } else { "" };
        Some((format!("{root}{place}"), shared))
    }

    /// What the environment writes before a step although the library does not ask for it.
    fn write_unasked(
        &self,
        step: Option<&(u64, &Step)>,
        written: &[(ImportId, Vec<Int>)],
        script: &mut Script,
        given: &mut Given,
    ) {
        let Some((step, _)) = step else { return };
        for (_, datum) in self.environment.writes.iter().filter(|(number, _)| number == step) {
            let Some((_, shared)) = self.place_of(datum) else { continue };
            let index: Vec<Int> = datum.index.iter().cloned().collect();
            if !written.contains(&(shared.import, index.clone())) {
                self.write(shared, &index, Some(&datum.value), script, given);
            }
        }
    }

    /// The text that an address points into, as C writes it.
    pub(super) fn text_at(&self, address: &Int) -> Option<String> {
        let (words, behind) = self.module.fixed_address(address.to_u64()?)?;
        let text = words.starts_with('"').then(|| words.to_string())?;
        Some(if behind == 0 { text } else { format!("{text} + {behind}") })
    }

    /// The object that an address points into, if C can name it, and the address as C writes it.
    fn named_at(&self, address: &Int) -> Option<(ObjectId, String)> {
        let words = self.module.show_address(address);
        let name = words.strip_prefix('&')?.split(['.', '[']).next()?;
        let external =
            |object: &crate::tree::Object| object.linkage == Linkage::External && object.name == name;
        let (id, _) = self.document.program.objects().find(|(_, object)| external(object))?;
        Some((id, words))
    }

    /// A function that was handed over. If it was not, the environment ends.
    fn taken(&self, value: &Int, pointer: &Type, given: &mut Given) -> String {
        given.needed = true;
        let at = given.list.iter().position(|known| known == value).unwrap_or(0);
        let cast = declare(&self.document.program, pointer, "");
        format!("({cast})(agon_count > {at} ? agon_got[{at}] : (exit(0), agon_got[0]))")
    }

    /// The return from a function of the environment's.
    pub(super) fn answer(
        &self,
        function: Function,
        value: Option<&Int>,
        script: &mut Script,
        given: &mut Given,
    ) -> String {
        let ty = self.part_of(function).and_then(|at| self.type_of_part(at)).map(|ty| ty.result);
        let (Some(value), Some(ty)) = (value, ty) else { return "return 0;".into() };
        let written = self.value(&mut [value.clone()].iter(), &ty, script, given);
        match ty {
            ty if ty.pointed_function().is_some() => {
                script.gives_functions = true;
                format!("agon_function = (void (*)(void)){written}; return 0;")
            }
            Type::Integer(_) => format!("return {written};"),
            _ => format!("return (long long)(unsigned long){written};"),
        }
    }

    /// The environment writes to an object that it shares, before its last step gives the control away.
    fn write(
        &self,
        shared: &crate::read::SharedImport,
        arguments: &[Int],
        value: Option<&Int>,
        script: &mut Script,
        given: &mut Given,
    ) {
        let (Some(value), Some(id)) = (value, self.object_of(shared)) else { return };
        // A pointer of the module's that was never given to the environment is where the module has left it.
        let left = shared.ty.pointed_data().is_some()
            && self.module.show_address(value).starts_with('&')
            && !given.objects.contains(value)
            && self.named_at(value).is_none();
        if left {
            return;
        }
        script.objects.insert(id);
        let place = self.indexed(&shared.place, arguments.first().filter(|_| shared.element));
        let line = if shared.ty == Type::Mutex {
            self.locked(shared.import, &place, value)
        } else {
            let written = self.value(&mut [value.clone()].iter(), &shared.ty, script, given);
            if self.document.program.object(id).constant || self.document.closed {
                script.constants.push((id, written));
                return;
            }
            format!("{place} = {written}; ")
        };
        match script.steps.last_mut() {
            Some(step) => step.insert_str(0, &line),
            None => script.first.push(line),
        }
    }

    /// A value of a type as C reads it; of a structure, the values of its parts.
    fn value<'v>(
        &self,
        values: &mut impl Iterator<Item = &'v Int>,
        ty: &Type,
        script: &mut Script,
        given: &mut Given,
    ) -> String {
        match ty {
            Type::Struct(id) => {
                let members: Vec<Type> =
                    self.document.program.members(*id).iter().map(|member| member.ty.clone()).collect();
                let inner: Vec<String> =
                    members.iter().map(|ty| self.value(values, ty, script, given)).collect();
                format!("({}){{{}}}", declare(&self.document.program, ty, ""), inner.join(", "))
            }
            Type::Array(element, length) => {
                let inner: Vec<String> =
                    (0..length.unwrap_or(0)).map(|_| self.value(values, element, script, given)).collect();
                format!("{{{}}}", inner.join(", "))
            }
            ty => {
                let zero = Int::ZERO;
                let value = values.next().unwrap_or(&zero);
                self.scalar(value, ty, script, given)
            }
        }
    }

    pub(super) fn scalar(&self, value: &Int, ty: &Type, script: &mut Script, given: &mut Given) -> String {
        if ty.pointed_function().is_some() {
            return match self.module.function(value) {
                None => "0".into(),
                Some(Function::Foreign(n)) => {
                    let at = usize::try_from(n)
                        .ok()
                        .and_then(|n| (self.module.imports().count() + n).checked_sub(1));
                    let part = at.and_then(|at| self.environment.parts.get(at));
                    part.map_or("0".into(), |part| part.name.to_string())
                }
                Some(Function::Procedure(id)) if !self.is_named(id) => self.taken(value, ty, given),
                Some(function) => {
                    self.mention(function, &mut script.functions);
                    self.module.show_function(function)
                }
            };
        }
        match ty {
            Type::Integer(integer) => number(value, *integer),
            _ if value.is_zero() => "0".into(),
            ty => {
                let cast = declare(&self.document.program, ty, "");
                // Of two objects with one address, the later one lives.
                if let Some(at) = given.objects.iter().rposition(|known| known == value) {
                    given.needed = true;
                    return format!(
                        "({cast})(agon_holds > {at} ? agon_held[{at}] : (exit(0), agon_held[0]))"
                    );
                }
                if let Some((id, place)) = self.named_at(value) {
                    script.objects.insert(id);
                    return format!("({cast}){place}");
                }
                let at = script.foreign.iter().position(|known| known == value).unwrap_or_else(|| {
                    script.foreign.push(value.clone());
                    script.foreign.len() - 1
                });
                format!("({cast})(void *)&agon_object[{at}]")
            }
        }
    }
}

/// A number of a type as C reads it.
fn number(value: &Int, ty: Integer) -> String {
    match (value.to_i64(), ty.bits) {
        (Some(i64::MIN), _) => "(-9223372036854775807LL - 1)".into(),
        (Some(n), 64) if ty.signed => format!("{n}LL"),
        (_, 64) => format!("{value}ULL"),
        (Some(n), 32) if n == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
        (_, 32) if !ty.signed => format!("{value}U"),
        _ => value.to_string(),
    }
}
