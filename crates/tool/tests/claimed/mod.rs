//! The programs of the corpus that claim to be unsafe, apart from modules.

use std::path::{Path, PathBuf};

use agon::session::{Opened, Session};
use agon_base::int::Int;
use agon_base::source::Source;

use crate::tree::files;

/// Each program with each of its unsafe targets.
pub fn corpus() -> Vec<(PathBuf, Session, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for path in files(&root, "ia") {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        let defined = text.lines().filter_map(|line| line.strip_prefix("//! define: ")?.split_once('='));
        let defined: Vec<_> =
            defined.map(|(name, value)| (name.into(), Int::parse(value).expect("a number"))).collect();
        let short = path.strip_prefix(&root).expect("it is in the corpus").to_path_buf();
        for line in text.lines().filter_map(|line| line.strip_prefix("//! unsafe")) {
            let target = line.split_once(':').map_or(line, |(target, _)| target).trim();
            let target = if target.is_empty() { "abort" } else { target };
            match Opened::open(Source::new("corpus", text.clone()), defined.clone()) {
                Ok(Opened::Term(session)) => found.push((short.clone(), *session, target.to_string())),
                Ok(Opened::Module(_)) => {}
                Err((_, why)) => panic!("{}: {why:?}", path.display()),
            }
        }
    }
    assert!(found.len() > 70, "{} unsafe targets", found.len());
    found
}
