//! Tests that need other programs. If such a program is missing, they are ignored, and reported as ignored.
//!
//! With the environment variable `AGON_INSIST` they run all the same, and fail.

use std::process::{Command, Stdio};

use libtest_mimic::Trial;

/// Whether a program is installed.
pub fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// A test that is ignored if a program that it needs is missing.
pub fn trial(name: &str, there: bool, run: impl FnOnce() + Send + 'static) -> Trial {
    let test = move || {
        run();
        Ok(())
    };
    Trial::test(name, test).with_ignored_flag(!there && std::env::var_os("AGON_INSIST").is_none())
}
