//! Looks: where an environment compares a move of the library with the one that it looks for.
//!
//! It ends by `abort` if that is the move. If the play goes on, it notes that it has seen the move, and ends where it would go on
//! without having seen it.

use agon_base::int::Int;
use agon_core::module::environment::{Expected, Part, Step};
use agon_core::module::{Function, ProcedureId};

use super::Writer;
use super::steps::{Given, Script};
use crate::declare::declare;
use crate::read::{OutputImport, Word};
use crate::types::Type;

/// A function of the environment's looks whether it is called with what is looked for.
pub(super) struct Looked {
    /// The function.
    pub part: usize,
    /// The step that comes next then.
    pub step: usize,
    /// What must be so of its arguments, and of shared data.
    pub holds: Vec<String>,
    /// Whether the play goes on.
    pub goes_on: bool,
}

/// What stands before a step that comes after a move that was looked for.
pub(super) const UNLESS_SEEN: &str = "if (!agon_seen) exit(0); ";

impl Looked {
    /// What the function does first.
    pub(super) fn statement(&self) -> String {
        let Looked { step, holds, goes_on, .. } = self;
        match (goes_on, &holds[..]) {
            (false, []) => format!("if (agon_step == {step}) abort(); "),
            (false, holds) => format!("if (agon_step == {step} && {}) abort(); ", holds.join(" && ")),
            (true, []) => format!("if (agon_step == {step}) agon_seen = 1; "),
            (true, holds) => {
                format!(
                    "if (agon_step == {step}) {{ if ({}) agon_seen = 1; else exit(0); }} ",
                    holds.join(" && ")
                )
            }
        }
    }
}

impl Writer<'_> {
    /// A function of the environment's looks whether it is called with these values, before the next step.
    pub(super) fn look_for(&self, values: &[Int], goes_on: bool, script: &mut Script, given: &mut Given) {
        let looks = |part: &Part| {
            part.steps.iter().any(|(_, step)| match step {
                Step::AbortIf(_) => !goes_on,
                Step::Check(_) => goes_on,
                _ => false,
            })
        };
        let Some(at) = self.environment.parts.iter().position(looks) else {
            let data = self.data_held(script, given);
            script.steps.push(format!("if ({}) abort(); exit(0);", data.join(" && ")));
            return;
        };
        if let Some(output) = self.output(at).cloned() {
            return self.look_for_output((at, &output), values, goes_on, script);
        }
        let parameters = self.type_of_part(at).map(|ty| ty.parameters).unwrap_or_default();
        let mut values = values.iter();
        let mut conditions = Vec::new();
        for (n, ty) in parameters.iter().enumerate() {
            self.holds(&format!("agon_{n}"), ty, &mut values, &mut conditions, script, given);
        }
        conditions.extend(self.data_held(script, given));
        self.looks_at(at, conditions, goes_on, script);
    }

    /// A function of the C library is looked for that writes something.
    fn look_for_output(
        &self,
        (at, output): (usize, &OutputImport),
        values: &[Int],
        goes_on: bool,
        script: &mut Script,
    ) {
        let parameters = self.type_of_part(at).map_or(0, |ty| ty.parameters.len());
        let mut values = values.iter();
        let mut conditions = Vec::new();
        for (n, word) in output.words.iter().enumerate() {
            let argument = |ty: &str| match n < parameters {
                true => format!("agon_{n}"),
                false => format!("__builtin_va_arg(agon_list, {ty})"),
            };
            match word {
                Word::Text(text) => {
                    script.compares_texts = true;
                    let argument = argument("const char *");
                    conditions.push(format!("agon_same((const char *){argument}, {text})"));
                }
                Word::Number(ty) => {
                    let value = values.next().cloned().unwrap_or_default();
                    conditions.push(format!("{} == ({ty}){value}", argument(ty)));
                }
                Word::Stream(_) => {}
            }
        }
        self.looks_at(at, conditions, goes_on, script);
    }

    /// A function of the environment's looks for a move before the next step.
    fn looks_at(&self, part: usize, holds: Vec<String>, goes_on: bool, script: &mut Script) {
        let step = script.steps.len();
        script.looked_for = Some(Looked { part, step, holds, goes_on });
        if goes_on {
            script.seen_before = Some(step);
        }
    }

    /// A call of the library after which the environment goes on only if it returns what is expected.
    pub(super) fn checked_call(
        &self,
        id: ProcedureId,
        values: &[Int],
        expected: &Expected,
        script: &mut Script,
        given: &mut Given,
    ) -> String {
        let Some((call, result)) = self.called(id, values, script, given) else { return String::new() };
        let mut conditions = Vec::new();
        if let Some(value) = expected {
            conditions.push(format!("agon_result == {}", self.scalar(value, &result, script, given)));
        }
        conditions.extend(self.data_held(script, given));
        let seen = match &conditions[..] {
            [] => "agon_seen = 1;".to_string(),
            all => format!("if ({}) agon_seen = 1; else exit(0);", all.join(" && ")),
        };
        if result == Type::Void {
            return format!("{call}; {seen} break;");
        }
        let kept = if given.kept { self.keep("agon_result", &result, (true, true)) } else { String::new() };
        let result = declare(&self.document.program, &result, "agon_result");
        format!("{{ {result} = {call}; (void)&agon_result; {kept}{seen} }} break;")
    }

    /// The function of the environment's that is called.
    pub(super) fn part_of(&self, function: Function) -> Option<usize> {
        match function {
            Function::Import(id) => Some(id.index()),
            Function::Foreign(n) => {
                usize::try_from(n).ok().and_then(|n| (self.module.imports().count() + n).checked_sub(1))
            }
            Function::Procedure(_) => None,
        }
    }

    /// The last call of the library: the environment ends by `abort` if it returns what is expected, and by `exit` otherwise.
    pub(super) fn last_call(
        &self,
        id: ProcedureId,
        values: &[Int],
        expected: Option<&Expected>,
        script: &mut Script,
        given: &mut Given,
    ) -> String {
        let Some((call, result)) = self.called(id, values, script, given) else { return String::new() };
        script.aborts |= expected.is_some();
        let mut conditions = Vec::new();
        if let Some(Some(value)) = expected {
            let written = self.scalar(value, &result, script, given);
            conditions.push(format!("{call} == {written}"));
        }
        let data = if expected.is_some() { self.data_held(script, given) } else { vec![] };
        match (expected, &data[..], &result) {
            (None, ..) => format!("{call}; exit(0);"),
            (Some(None), [], _) => format!("{call}; abort();"),
            (Some(None), data, Type::Struct(_)) => {
                let result = declare(&self.document.program, &result, "agon_result");
                let held = data.join(" && ");
                format!("{{ {result} = {call}; (void)&agon_result; if ({held}) abort(); exit(0); }}")
            }
            (Some(None), data, _) => format!("{call}; if ({}) abort(); exit(0);", data.join(" && ")),
            (Some(Some(_)), data, _) => {
                conditions.extend(data.iter().cloned());
                format!("if ({}) abort(); exit(0);", conditions.join(" && "))
            }
        }
    }

    /// The conditions that shared data holds what is looked for after the last move.
    fn data_held(&self, script: &mut Script, given: &mut Given) -> Vec<String> {
        let mut conditions = Vec::new();
        for datum in &self.environment.looks_for {
            let Some((place, ty)) = (match self.place_of(datum) {
                Some((place, shared)) => {
                    script.objects.extend(self.object_of(shared));
                    Some((place, shared.ty.clone()))
                }
                None => self.never_told(datum, script),
            }) else {
                continue;
            };
            self.holds(&place, &ty, &mut [&datum.value].into_iter(), &mut conditions, script, given);
        }
        conditions
    }

    /// The conditions under which an object holds values.
    fn holds<'v>(
        &self,
        place: &str,
        ty: &Type,
        values: &mut impl Iterator<Item = &'v Int>,
        conditions: &mut Vec<String>,
        script: &mut Script,
        given: &mut Given,
    ) {
        match ty {
            Type::Struct(id) => {
                for member in self.document.program.members(*id) {
                    let place = match &member.name {
                        Some(name) => format!("{place}.{name}"),
                        None => place.to_string(),
                    };
                    self.holds(&place, &member.ty, values, conditions, script, given);
                }
            }
            Type::Array(element, length) => {
                for n in 0..length.unwrap_or(0) {
                    self.holds(&format!("{place}[{n}]"), element, values, conditions, script, given);
                }
            }
            ty => {
                let Some(value) = values.next() else { return };
                if let (Some(text), true) = (self.text_at(value), ty.pointed_data().is_some()) {
                    script.compares_texts = true;
                    conditions.push(format!("agon_same((const char *){place}, {text})"));
                    return;
                }
                conditions.push(format!("{place} == {}", self.scalar(value, ty, script, given)));
            }
        }
    }
}
