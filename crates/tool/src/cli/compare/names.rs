//! Which exports of two modules are compared, and what they are called.

use std::collections::BTreeMap;

use agon_base::spelling::closest;
use agon_core::module::Module;

use crate::session::Opened;

/// Reads a renaming.
pub(super) fn rename(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
    };
    match text.split_once('=').map(|(old, new)| (old.trim(), new.trim())) {
        Some((old, new)) if is_name(old) && is_name(new) => Ok((old.into(), new.into())),
        _ => Err(format!("a renaming is written OLD=NEW, and `{text}` is none")),
    }
}

/// Lets the environment of both modules call these exports only; all of them, if none is named.
pub(super) fn keep(only: &[String], programs: [&mut Opened; 2]) -> Result<(), String> {
    if only.is_empty() {
        return Ok(());
    }
    let mut modules = Vec::new();
    for program in programs {
        match program {
            Opened::Module(session) => modules.push(session),
            Opened::Term(_) => return Err("`--only` applies to modules, and this is none".into()),
        }
    }
    let known: Vec<String> =
        modules.iter().flat_map(|session| exports(session.module()).into_keys()).map(String::from).collect();
    if let Some(name) = only.iter().find(|name| !known.contains(name)) {
        let like = closest(name, known.iter().map(String::as_str));
        let like = like.map_or(String::new(), |like| format!(" (did you mean `{like}`?)"));
        return Err(format!("no module exports `{name}`{like}"));
    }
    modules.into_iter().for_each(|session| session.keep_exports(only));
    Ok(())
}

/// The exports of a module, with their types.
fn exports(module: &Module) -> BTreeMap<&str, String> {
    let exported = module.procedures().filter(|(_, procedure)| procedure.exported);
    exported.map(|(_, known)| (&*known.name, module.show_signature(known.signature))).collect()
}

/// What may help if two modules cannot be compared: other names, or fewer exports.
pub(super) fn proposed(modules: [&Module; 2]) -> Option<String> {
    let [first, second] = modules.map(exports);
    let alone = |own: &BTreeMap<&str, String>, other: &BTreeMap<&str, String>| -> Vec<(String, String)> {
        let own = own.iter().filter(|(name, _)| !other.contains_key(*name));
        own.map(|(name, ty)| ((*name).to_string(), ty.clone())).collect()
    };
    let (gone, new) = (alone(&first, &second), alone(&second, &first));
    let both: Vec<&str> =
        first.iter().filter(|(name, ty)| second.get(*name) == Some(*ty)).map(|(name, _)| *name).collect();
    let renamed = gone.iter().find_map(|(old, ty)| {
        let new = new.iter().find(|(_, other)| other == ty)?;
        Some(format!("`--rename {old}={}` if the second calls it so", new.0))
    });
    let fewer = (!both.is_empty() && (both.len() < first.len() || both.len() < second.len()))
        .then(|| format!("`--only {}` compares what both export", both.join(",")));
    let help: Vec<String> = renamed.into_iter().chain(fewer).collect();
    (!help.is_empty()).then(|| help.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamings_are_read() {
        assert_eq!(rename("a = b_2"), Ok(("a".into(), "b_2".into())));
        for wrong in ["a", "a=", "=b", "a=b c", "1=2"] {
            assert!(rename(wrong).is_err(), "{wrong}");
        }
    }
}
