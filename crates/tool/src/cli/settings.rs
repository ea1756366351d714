//! Settings: options in a file `agon.toml` beside a program, read as if they stood on the command line.
//!
//! A key is the long name of an option, without the dashes. An option that takes a value has it as a string or a number, an
//! option that may be given several times has a list, and an option without a value is `true` or `false`. What stands on the
//! command line goes before; options that may be given several times add up. A path is one from the folder of the file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, ColorChoice, Command, CommandFactory, FromArgMatches, ValueHint};
use toml::{Table, Value};

use super::output::remark;
use super::{Cli, Status, c};
use crate::c::is_c;

/// The name of the file.
const NAME: &str = "agon.toml";

/// The command line of the process, with the settings beside the program. Ends the process if something is wrong with it.
pub(super) fn parse() -> Cli {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Messages about the command line are coloured as well.
    colour(given_colour(&arguments));
    let matches = Cli::command().get_matches_from(&arguments);
    let settled = with_settings(&arguments, &matches).unwrap_or_else(|why| wrong(&why));
    let matches = match settled {
        None => matches,
        Some((file, arguments)) => Cli::command().try_get_matches_from(arguments).unwrap_or_else(|error| {
            remark(&format!(
                "error: in the command line together with the options in `{}`:\n",
                file.display()
            ));
            error.exit()
        }),
    };
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    colour(cli.color);
    cli
}

/// Sets when colours are used, for all that is written.
fn colour(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// What a command line says about colours, before it is read as a whole.
fn given_colour(arguments: &[OsString]) -> ColorChoice {
    let words: Vec<&str> =
        arguments.iter().map_while(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let joined = words.iter().find_map(|word| word.strip_prefix("--color="));
    let apart = || words.windows(2).find_map(|pair| (pair[0] == "--color").then_some(pair[1]));
    joined.or_else(apart).and_then(|word| word.parse().ok()).unwrap_or_default()
}

fn wrong(why: &str) -> ! {
    remark(&format!("error: {why}\n"));
    std::process::exit(Status::Wrong.code().into())
}

/// The command line for a check of a file, with the settings beside it.
pub(super) fn of_file(path: &Path) -> Result<Cli, String> {
    let arguments: Vec<OsString> = vec!["agon".into(), "check".into(), "--".into(), path.into()];
    let parsed = |arguments: &[OsString]| {
        Cli::command().try_get_matches_from(arguments).map_err(|error| error.to_string())
    };
    let matches = parsed(&arguments)?;
    let matches = match with_settings(&arguments, &matches)? {
        None => matches,
        Some((file, arguments)) => {
            parsed(&arguments).map_err(|why| format!("in `{}`: {why}", file.display()))?
        }
    };
    Cli::from_arg_matches(&matches).map_err(|error| error.to_string())
}

/// A command line with the settings that stand beside the first file, and where they stand. Nothing if there are none.
#[allow(clippy::type_complexity)]
fn with_settings(
    arguments: &[OsString],
    matches: &ArgMatches,
) -> Result<Option<(PathBuf, Vec<OsString>)>, String> {
    let mut root = Cli::command();
    // Options of every command belong to each command then.
    root.build();
    let Some((name, given)) = matches.subcommand() else { return Ok(None) };
    let Some(command) = root.find_subcommand(name) else { return Ok(None) };
    let files = files(given);
    if let Some(option) = only_for_c(command, given)
        && !files.iter().any(|file| is_c(file) || file.is_dir())
    {
        return Err(format!("`--{option}` applies to C files, and there is none"));
    }
    let Some(file) = files.first().map(|file| file.with_file_name(NAME)) else { return Ok(None) };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("`{}` cannot be read: {error}", file.display())),
    };
    let table: Table = text.parse().map_err(|error| format!("`{}` is not TOML: {error}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut more = Vec::new();
    for (key, value) in &table {
        let is_option = |arg: &&Arg| arg.get_long() == Some(key);
        let Some(arg) = command.get_arguments().find(is_option) else {
            match root.get_subcommands().any(|other| other.get_arguments().any(|arg| is_option(&arg))) {
                // It is for another command.
                true => continue,
                false => return Err(format!("`{}`: there is no option `--{key}`", file.display())),
            }
        };
        let adds_up = matches!(arg.get_action(), ArgAction::Append);
        if !adds_up && given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine) {
            continue;
        }
        more.extend(words(arg, value, folder).map_err(|why| format!("`{}`: `{key}` {why}", file.display()))?);
    }
    // Options of every command may stand before its name.
    let behind = arguments.iter().skip(1).position(|word| word.as_os_str() == name).map_or(1, |at| at + 2);
    let (head, tail) = arguments.split_at(behind);
    let arguments = head.iter().cloned().chain(more).chain(tail.iter().cloned());
    Ok(Some((file, arguments.collect())))
}

/// The files of a command line.
fn files(given: &ArgMatches) -> Vec<PathBuf> {
    let of = |id: &str| given.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten().cloned();
    ["files", "file", "left", "right"]
        .into_iter()
        .flat_map(of)
        .filter(|file| file.as_os_str() != "-")
        .collect()
}

/// An option for C files that was given.
fn only_for_c(command: &Command, given: &ArgMatches) -> Option<String> {
    // A range is an assumption as others are.
    let is_given = |arg: &&Arg| {
        arg.get_help_heading() == Some(c::HEADING)
            && arg.get_id() != "returns"
            && given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    command.get_arguments().find(is_given)?.get_long().map(String::from)
}

/// An option as it stands on a command line.
fn words(arg: &Arg, value: &Value, folder: &Path) -> Result<Vec<OsString>, String> {
    let long = arg.get_long().unwrap_or_default();
    if let ArgAction::SetTrue = arg.get_action() {
        return match value {
            Value::Boolean(true) => Ok(vec![format!("--{long}").into()]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => Err("is `true` or `false`".into()),
        };
    }
    let is_path = matches!(
        arg.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath | ValueHint::ExecutablePath
    );
    let word = |value: &Value| {
        let text: OsString = match value {
            Value::String(text) if is_path && text != "-" => folder.join(text).into(),
            Value::String(text) => text.into(),
            Value::Integer(number) => number.to_string().into(),
            Value::Float(number) => number.to_string().into(),
            _ => return Err("is a string, a number, or a list of them".to_string()),
        };
        let mut word: OsString = format!("--{long}=").into();
        word.push::<&OsStr>(&text);
        Ok(word)
    };
    match value {
        Value::Array(list) => list.iter().map(word).collect(),
        one => Ok(vec![word(one)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Command as Chosen;

    /// The options of a check with these settings and these arguments.
    fn checked(settings: &str, arguments: &[&str]) -> Result<String, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        std::fs::write(folder.path().join(NAME), settings).map_err(|error| error.to_string())?;
        let file = folder.path().join("lib.c");
        let line = ["agon", "check"].iter().chain(arguments).map(OsString::from).chain([file.into()]);
        let line: Vec<OsString> = line.collect();
        let matches = Cli::command().try_get_matches_from(&line).map_err(|error| error.to_string())?;
        let (_, line) = with_settings(&line, &matches)?.ok_or("there are no settings")?;
        let matches = Cli::command().try_get_matches_from(line).map_err(|error| error.to_string())?;
        match Cli::from_arg_matches(&matches).map_err(|error| error.to_string())?.command {
            Chosen::Check(options) => {
                Ok(format!("{options:?}").replace(&folder.path().display().to_string(), "FOLDER"))
            }
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn settings_are_options_and_the_command_line_goes_before() {
        let said = checked(
            "leaf = [\"now\", \"log\"]\ntime-limit = 5\nall = true\ninclude-directory = \"inc\"",
            &[],
        );
        let said = said.expect("they are settings");
        for part in
            ["leaf: [\"now\", \"log\"]", "time_limit: Some(5s)", "all: true", "folders: [\"FOLDER/inc\"]"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        let said = checked("leaf = \"now\"\ntime-limit = 5", &["--time-limit", "7", "--leaf", "log"]);
        let said = said.expect("they are settings");
        assert!(said.contains("leaf: [\"now\", \"log\"]") && said.contains("time_limit: Some(7s)"), "{said}");
        assert!(
            checked("context = \"x\"", &[]).is_err_and(|why| why.contains("there is no option `--context`"))
        );
        assert!(checked("all = 1", &[]).is_err_and(|why| why.contains("`all` is `true` or `false`")));
        assert!(checked("entry = [[1]]", &[]).is_err_and(|why| why.contains("a list of them")));
        assert!(checked("entry = ", &[]).is_err_and(|why| why.contains("is not TOML")));
        assert!(checked("in = \"context.ia\"", &[]).is_ok(), "an option of another command");
    }
}
