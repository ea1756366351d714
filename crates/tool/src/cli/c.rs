//! The options for C files.

use std::path::PathBuf;

use agon_base::int::Int;
use agon_c::options::{Checks, Evaluation, Options, PrivateData};
use agon_c::types::DataModel;
use clap::{Args, ValueEnum};

use super::Common;
use crate::c::Settings;
use crate::c::preprocess::Preprocessing;

/// The heading of these options in the help.
pub(super) const HEADING: &str = "Options for C files";

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = HEADING)]
pub(super) struct Arguments {
    /// A folder with headers.
    #[arg(short = 'I', long = "include-directory", value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// A macro that is not defined.
    #[arg(short = 'U', long, value_name = "NAME")]
    undefine: Vec<String>,
    /// A file that is read before each C file.
    #[arg(long, value_name = "FILE")]
    include: Vec<PathBuf>,
    /// How a build compiles the files, instead of the `compile_commands.json` beside them.
    #[arg(long, value_name = "FILE")]
    compile_commands: Option<PathBuf>,
    /// The files are preprocessed already, as `.i` files are.
    #[arg(long)]
    no_cpp: bool,
    /// How many bits `long` and pointers have: 64 or 32.
    #[arg(long, value_enum, default_value_t, ignore_case = true)]
    data_model: DataModelName,
    /// Check this as well. Signed arithmetic wraps otherwise.
    #[arg(long = "check", value_name = "WHAT", value_enum)]
    checks: Vec<CheckName>,
    /// A file with `main` is a library, too: the environment calls its functions. Otherwise it is a program that runs once.
    #[arg(long)]
    library: bool,
    /// The environment may call these functions only. The default is all with external linkage.
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    entry: Vec<String>,
    /// The environment does not call these functions.
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    private: Vec<String>,
    /// These imports never call back.
    #[arg(long, value_name = "IMPORT", value_delimiter = ',')]
    leaf: Vec<String>,
    /// An import returns a number of this range, such as `ask=0..1`: short for `--assume 'ask >= 0 and ask <= 1'`.
    #[arg(long, value_name = "IMPORT=LEAST..GREATEST", value_parser = returns)]
    returns: Vec<(String, Int, Int)>,
    /// While this import is open, the environment calls these functions only, such as `wait=poll,cancel`.
    #[arg(long, value_name = "IMPORT=FUNCTIONS", value_parser = may_call)]
    may_call: Vec<(String, Vec<String>)>,
    /// A call of this function is a failure.
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    fails: Vec<String>,
    /// The environment does not touch these objects with external linkage; `all` is every one.
    #[arg(long, value_name = "OBJECT", value_delimiter = ',')]
    private_data: Vec<String>,
    /// The orders of evaluation: all that C allows, operands from the left, or calls before what is read. The default is `any`;
    /// two versions are compared with `calls-first`.
    #[arg(long, value_enum)]
    evaluation: Option<EvaluationName>,
    /// How many objects of one type are allocated at once, at most, and how many activations lend a local variable for good.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=64))]
    objects: u64,
    /// Whether `malloc` and its like succeed, or may give null.
    #[arg(long, value_enum, default_value_t)]
    malloc: MallocName,
    /// The environment may give pointers back whose objects were freed.
    #[arg(long)]
    stale_handles: bool,
    /// Follow pointers of the environment, and hand out pointers to any object: what such objects hold may change at any moment. Otherwise
    /// they are refused.
    #[arg(long, value_enum, value_name = "HOW")]
    exposed: Option<ExposedName>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ExposedName {
    /// Every read is an answer of the environment's.
    Volatile,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
enum MallocName {
    #[default]
    Succeeds,
    MayFail,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
enum DataModelName {
    #[default]
    Lp64,
    Ilp32,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum CheckName {
    /// No signed operation overflows.
    Overflow,
    /// No unsigned operation wraps.
    UnsignedOverflow,
    /// All memory is freed when the program ends.
    Leak,
    /// No two threads use one object in no order, if one of them writes it.
    Race,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EvaluationName {
    Any,
    Left,
    CallsFirst,
}

impl Arguments {
    /// The folders with headers.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The ranges of imports, as conditions.
    pub(super) fn ranges(&self) -> impl Iterator<Item = String> + '_ {
        let condition =
            |(name, low, high): &(String, Int, Int)| format!("{name} >= {low} and {name} <= {high}");
        self.returns.iter().map(condition)
    }

    /// How C files are read.
    pub(super) fn settings(&self, common: &Common, otherwise: Evaluation, threads: Option<u64>) -> Settings {
        let data_model = match self.data_model {
            DataModelName::Lp64 => DataModel::Lp64,
            DataModelName::Ilp32 => DataModel::Ilp32,
        };
        Settings {
            preprocessing: Preprocessing {
                folders: self.folders.clone(),
                defined: common.define.clone(),
                undefined: self.undefine.clone(),
                first: self.include.clone(),
                commands: self.compile_commands.clone(),
                done: self.no_cpp,
                alone: false,
                data_model,
            },
            options: Options {
                data_model,
                checks: Checks {
                    overflow: self.checks.contains(&CheckName::Overflow),
                    unsigned_overflow: self.checks.contains(&CheckName::UnsignedOverflow),
                    leak: self.checks.contains(&CheckName::Leak),
                    lost: false,
                    race: self.checks.contains(&CheckName::Race),
                },
                library: self.library,
                entry: self.entry.clone(),
                private: self.private.clone(),
                leaf: self.leaf.clone(),
                returns: self.returns.clone(),
                may_call: self.may_call.clone(),
                fails: self.fails.clone(),
                private_data: match self.private_data.iter().any(|name| name == "all") {
                    true => PrivateData::All,
                    false => PrivateData::Named(self.private_data.clone()),
                },
                evaluation: match self.evaluation {
                    None => otherwise,
                    Some(EvaluationName::Any) => Evaluation::Any,
                    Some(EvaluationName::Left) => Evaluation::Left,
                    Some(EvaluationName::CallsFirst) => Evaluation::CallsFirst,
                },
                objects: self.objects,
                malloc_fails: self.malloc == MallocName::MayFail,
                stale_handles: self.stale_handles,
                exposed: self.exposed == Some(ExposedName::Volatile),
                // Two versions are compared with one behaviour of the system.
                reused: otherwise == Evaluation::CallsFirst,
                compared: otherwise == Evaluation::CallsFirst,
                threads: threads.unwrap_or(1),
            },
        }
    }
}

fn returns(text: &str) -> Result<(String, Int, Int), String> {
    let wrong = || format!("a range is written IMPORT=LEAST..GREATEST, and `{text}` is none");
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let (least, greatest) = range.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| Int::parse(text.trim()).ok_or_else(wrong);
    let (least, greatest) = (number(least)?, number(greatest)?);
    if least > greatest {
        return Err(format!("{least} is greater than {greatest}"));
    }
    Ok((name.trim().into(), least, greatest))
}

fn may_call(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, list) =
        text.split_once('=').ok_or("functions are written IMPORT=FUNCTION,FUNCTION, or IMPORT= for none")?;
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(String::from);
    Ok((name.trim().into(), names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_are_read() {
        let (least, greatest) = (Int::parse("-1"), Int::parse("3"));
        let range = returns("ask=-1..3").expect("it is a range");
        assert_eq!((Some(range.1), Some(range.2)), (least, greatest));
        for wrong in ["ask", "ask=1", "ask=1..x", "ask=2..1"] {
            assert!(returns(wrong).is_err(), "{wrong}");
        }
        assert_eq!(may_call("wait=poll, cancel"), Ok(("wait".into(), vec!["poll".into(), "cancel".into()])));
        assert_eq!(may_call("wait="), Ok(("wait".into(), vec![])));
        assert!(may_call("wait").is_err());
    }
}
