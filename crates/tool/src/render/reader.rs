//! Where an answer is read, and what can be done there about a missing verdict.

/// Where an answer is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// On the command line.
    Command,
    /// On the page of a server.
    Page {
        /// Whether the request had all the time that the server allows.
        all_time: bool,
        /// Whether it had all the memory.
        all_memory: bool,
    },
    /// In an editor.
    Editor,
}

impl Reader {
    /// How a run is given more time.
    pub fn more_time(self) -> &'static str {
        match self {
            Reader::Command => "give more with --time-limit SECONDS",
            Reader::Page { all_time: false, .. } => "give more under More, Time limit",
            Reader::Page { .. } => {
                "it was all that this server allows; `agon serve --time-limit SECONDS` allows more"
            }
            Reader::Editor => "give more with the editor's setting `timeLimit`",
        }
    }

    /// How a run is given more memory.
    pub fn more_memory(self) -> &'static str {
        match self {
            Reader::Command => "give more with --memory-limit MIB",
            Reader::Page { all_memory: false, .. } => "give more under More, Memory limit",
            Reader::Page { .. } => {
                "it was all that this server allows; `agon serve --memory-limit MIB` allows more"
            }
            Reader::Editor => "`agon check --memory-limit MIB` gives more",
        }
    }

    /// How more iterations are allowed.
    pub fn more_iterations(self) -> &'static str {
        match self {
            Reader::Command => "allow more with --iterations N",
            Reader::Page { .. } => "allow more under More, Iterations",
            Reader::Editor => "`agon check --iterations N` allows more",
        }
    }

    /// How another part is chosen.
    pub fn another_part(self) -> &'static str {
        match self {
            Reader::Command => "choose another one with --component NAME",
            Reader::Page { .. } => "choose another one under More, Part",
            Reader::Editor => "`agon check --component NAME` chooses another one",
        }
    }

    /// How another solver is asked.
    pub fn another_solver(self) -> &'static str {
        match self {
            Reader::Command => "another one may, such as --solver z3",
            Reader::Page { .. } | Reader::Editor => "another one may: `agon check --solver z3`",
        }
    }

    /// What shows the iterations.
    pub fn iterations_show(self) -> &'static str {
        match self {
            Reader::Command => "--verbose shows",
            Reader::Page { .. } => "Iterations shows",
            Reader::Editor => "`agon check --verbose` shows",
        }
    }
}
