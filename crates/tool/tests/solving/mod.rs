//! A folder with a program and a solver for `agon check`; and programs that need a solver.

use std::process::Command;

use super::folder::Folder;

/// Only a solver finds the values that abort.
pub const NEEDY: &str = "a : int, b : int |-
int x := a;
int y := b;
if x * 3 + y * 5 = 1000003 then if x - y * 7 = 12347 then abort else skip else skip
";
/// Safe, but no partition proves it.
pub const RELATED: &str = "a : int, b : int |-
int x := a;
int y := b;
if x > y then if y > x then abort else skip else skip
";

impl Folder {
    /// A solver that is a script.
    pub fn script(&self, shell: &str, text: &str) -> String {
        format!("{shell} '{}'", self.file("solver", text).display())
    }

    /// The output and the status of `agon check --engine partition`.
    pub fn check(&self, program: &str, options: &[&str]) -> (String, i32) {
        self.check_by("partition", program, options)
    }

    /// The same for any engine.
    pub fn check_by(&self, engine: &str, program: &str, options: &[&str]) -> (String, i32) {
        let file = self.file("program.ia", program);
        let output = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["check", "-q", "--engine", engine, "--certify", "solver"])
            .args(options)
            .arg(file)
            .output()
            .expect("agon can be run");
        let status = output.status.code().expect("it ends by itself");
        (String::from_utf8_lossy(&output.stdout).into_owned(), status)
    }
}
