//! A process that is talked to.

use std::process::{Child, Command, Stdio};

/// Starts a command whose input, output and errors are the test's.
pub fn piped(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("agon can be started")
}
