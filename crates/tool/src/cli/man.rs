//! `agon man`: manual pages, made of what `--help` prints.

use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::completions::visible;
use super::output::{Destination, remark};
use super::{STATUSES, Status};
use crate::atomic;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The command that the page is about. Without one, the page is about agon.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Write all pages to a folder, which is made if it is not there: `agon.1`, `agon-check.1` and so on.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "output"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    destination: Destination,
}

pub(super) fn run(options: &Options) -> Status {
    let pages = pages();
    if let Some(folder) = &options.out {
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            pages.iter().try_for_each(|(name, page)| atomic::write(&folder.join(format!("{name}.1")), page))
        });
        return match written {
            Ok(()) => Status::Holds,
            Err(error) => {
                remark(&format!("error: `{}` cannot be written: {error}\n", folder.display()));
                Status::Wrong
            }
        };
    }
    let name = options.command.as_ref().map_or("agon".into(), |command| format!("agon-{command}"));
    match pages.iter().find(|(known, _)| *known == name) {
        Some((_, page)) => {
            options.destination.say(&String::from_utf8_lossy(page));
            Status::Holds
        }
        None => {
            let known: Vec<&str> = pages.iter().filter_map(|(name, _)| name.strip_prefix("agon-")).collect();
            let wanted = options.command.as_deref().unwrap_or_default();
            remark(&format!("error: there is no command `{wanted}`; there are {}\n", known.join(", ")));
            Status::Wrong
        }
    }
}

/// All pages, with their names.
fn pages() -> Vec<(String, Vec<u8>)> {
    let mut main = visible().disable_help_subcommand(true).after_help("");
    // Options of every command stand on every page then, and commands know their whole names.
    main.build();
    let all = std::iter::once(main.clone()).chain(main.get_subcommands().cloned());
    all.map(|command| {
        let name = command.get_display_name().unwrap_or("agon").to_string();
        let main = name == "agon";
        let man = Man::new(command.version(env!("CARGO_PKG_VERSION"))).manual("agon");
        let mut page = Vec::new();
        let mut render = || -> std::io::Result<()> {
            man.render_title(&mut page)?;
            man.render_name_section(&mut page)?;
            man.render_synopsis_section(&mut page)?;
            man.render_description_section(&mut page)?;
            man.render_options_section(&mut page)?;
            if main {
                man.render_subcommands_section(&mut page)?;
            }
            let mut status = Roff::new();
            status.control("SH", ["EXIT STATUS"]);
            for (code, meaning) in STATUSES {
                status.control("TP", []).text([bold(code)]).text([roman(meaning)]);
            }
            status.to_writer(&mut page)?;
            man.render_version_section(&mut page)
        };
        render().expect("writing to memory does not fail");
        (name, page)
    })
    .collect()
}
