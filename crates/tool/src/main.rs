//! The command `agon`.
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

use std::alloc::System;
use std::process::ExitCode;

use cap::Cap;

/// Counts what the process has allocated, so that the memory limit applies to the real size of the process.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    agon::system::count_memory_with(|| ALLOCATOR.allocated());
    agon::cli::main()
}
