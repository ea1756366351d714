//! The command `agon`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon::cli::main()
}
