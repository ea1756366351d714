//! `compile_commands.json`: how a build compiles each file, as CMake, Meson and Bear write it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The name of the file, and the folder beside the sources that builds often write it to.
const NAME: &str = "compile_commands.json";
const BUILD: &str = "build";

/// How one file is compiled.
#[derive(Deserialize)]
struct Compiled {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The options of the preprocessor with which a build compiles a file. None if no build is known, or it does not compile the
/// file.
pub fn options(file: &str, given: Option<&Path>) -> Result<Vec<String>, String> {
    let Some(path) = given.map(Path::to_path_buf).or_else(|| beside(Path::new(file))) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let list: Vec<Compiled> = serde_json::from_str(&text)
        .map_err(|error| format!("`{}` is no list of compilations: {error}", path.display()))?;
    let wanted = std::fs::canonicalize(file).ok();
    let is_it = |entry: &&Compiled| {
        wanted.is_some() && std::fs::canonicalize(entry.directory.join(&entry.file)).ok() == wanted
    };
    let Some(entry) = list.iter().find(is_it) else { return Ok(Vec::new()) };
    let words = match (&entry.arguments, &entry.command) {
        (Some(words), _) => words.clone(),
        (None, Some(line)) => shlex::split(line)
            .ok_or_else(|| format!("`{}` has a command with an open quote", path.display()))?,
        (None, None) => Vec::new(),
    };
    Ok(kept(&words, &entry.directory))
}

/// The file in a folder of the source, or around it.
fn beside(file: &Path) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(file).ok()?;
    let candidates =
        folder.ancestors().skip(1).flat_map(|folder| [folder.join(NAME), folder.join(BUILD).join(NAME)]);
    candidates.into_iter().find(|path| path.is_file())
}

/// The words that matter to the preprocessor, with absolute paths.
fn kept(words: &[String], directory: &Path) -> Vec<String> {
    const PATHS: [&str; 5] = ["-I", "-isystem", "-iquote", "-idirafter", "-include"];
    const OTHERS: [&str; 2] = ["-D", "-U"];
    let mut kept = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let option = PATHS.iter().chain(&OTHERS).find(|option| word.starts_with(**option));
        let Some(option) = option.filter(|option| option.len() == 2 || word.len() == option.len()) else {
            if word.starts_with("-std=") {
                kept.push(word.clone());
            }
            continue;
        };
        let value = match &word[option.len()..] {
            "" => match words.next() {
                Some(value) => value.clone(),
                None => continue,
            },
            value => value.to_string(),
        };
        let value = match PATHS.contains(option) {
            true => directory.join(value).display().to_string(),
            false => value,
        };
        kept.extend([option.to_string(), value]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_preprocessor_needs_is_kept() {
        let line = "cc -O2 -Iinc -I /abs -isystem sys -DA=1 -D B -UC -include pre.h -std=c11 -c -o x.o x.c";
        let words = shlex::split(line).expect("it is a command");
        let expected = "-I /b/inc -I /abs -isystem /b/sys -D A=1 -D B -U C -include /b/pre.h -std=c11";
        assert_eq!(kept(&words, Path::new("/b")).join(" "), expected);
    }
}
