//! A server that ends with the test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub struct Served {
    process: Child,
    /// Its address.
    pub url: String,
}

impl Served {
    pub fn start(options: &[&str]) -> Served {
        let mut process = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["serve", "--port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("it can be listened to");
        BufReader::new(output).read_line(&mut line).expect("it says where it is");
        let url = line.trim().strip_prefix("The workbench is at ").expect("it says where it is").to_string();
        Served { process, url }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How many workers it has.
    pub fn workers(&self) -> usize {
        let list = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.id()));
        list.map_or(0, |list| list.split_whitespace().count())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
