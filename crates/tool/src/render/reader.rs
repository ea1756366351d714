//! Where an answer is read, and what a user can do there about a missing verdict.

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
    /// How to allow more time.
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

    /// How to allow more memory.
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

    /// How to allow more iterations.
    pub fn more_iterations(self) -> &'static str {
        match self {
            Reader::Command => "allow more with --iterations N",
            Reader::Page { .. } => "allow more under More, Iterations",
            Reader::Editor => "`agon check --iterations N` allows more",
        }
    }

    /// How to choose another part.
    pub fn another_part(self) -> &'static str {
        match self {
            Reader::Command => "choose another one with --component NAME",
            Reader::Page { .. } => "choose another one under More, Part",
            Reader::Editor => "`agon check --component NAME` chooses another one",
        }
    }

    /// How to use another solver.
    pub fn another_solver(self) -> &'static str {
        match self {
            Reader::Command => "another one may, such as --solver z3",
            Reader::Page { .. } | Reader::Editor => "another one may: `agon check --solver z3`",
        }
    }

    /// How to see the iterations.
    pub fn iterations_show(self) -> &'static str {
        match self {
            Reader::Command => "--verbose shows",
            Reader::Page { .. } => "Iterations shows",
            Reader::Editor => "`agon check --verbose` shows",
        }
    }
}
