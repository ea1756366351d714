//! `agon completions`: a script that completes commands and options in a shell.

use clap::{Args, Command, CommandFactory};
use clap_complete::{Shell, generate};

use super::output::Destination;
use super::{Cli, Status};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
    #[command(flatten)]
    destination: Destination,
}

pub(super) fn run(options: &Options) -> Status {
    let mut script = Vec::new();
    generate(options.shell, &mut visible(), "agon", &mut script);
    options.destination.say(&String::from_utf8_lossy(&script));
    Status::Holds
}

/// The command line without what is not for people.
pub(super) fn visible() -> Command {
    let whole = Cli::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let main = Command::new("agon").args(whole.get_arguments());
    let main = main.subcommands(shown.collect::<Vec<_>>()).subcommand_required(true);
    let about = whole.get_about().cloned().unwrap_or_default();
    main.about(about).version(env!("CARGO_PKG_VERSION")).after_help(super::STATUSES_HELP)
}
