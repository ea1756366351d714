//! Verdicts: answers, with what was seen on the way to them.

use agon_base::budget::Stop;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::checks::Check;
use agon_games::moves::Player;
use agon_games::play::Play;
use agon_witness::verify::Evidence;

use crate::refine::assume::Assumed;

/// An answer and its figures. The plays of modules are others than those of terms, with other evidence.
#[derive(Clone, Debug)]
pub struct Report<P = Play, E = Evidence> {
    /// The answer.
    pub verdict: Verdict<P, E>,
    /// The engine that gave it.
    pub engine: &'static str,
    /// How often it started over with a finer abstraction; 1 for the precise engine.
    pub iterations: usize,
    /// Distinct positions visited.
    pub states: usize,
    /// Pairs of a move of O's and P's answer that were tried.
    pub transitions: u64,
    /// Why this engine was chosen, where nobody had said which.
    pub because: Option<String>,
    /// What went wrong last with a solver, if anything did.
    pub solver_failure: Option<agon_solve::Reason>,
    /// What else the engine has to say.
    pub account: Account,
}

/// What an engine has to say besides its verdict.
#[derive(Clone, Debug)]
pub enum Account {
    /// Of the precise engine.
    Explicit {
        /// Where the threads stand of a run that gets stuck, if that was the question.
        stuck: Vec<Span>,
        /// The checks that no play comes to, where the search has shown it.
        unreached: Vec<Check>,
    },
    /// Of intervals and partitions: how the data was approximated.
    Approximated(Refinement),
    /// Of predicates: which there were.
    Predicated(Refinement, Predicated),
    /// Of two halves: what was assumed about a part, and how the data was approximated.
    Assumed(Refinement, Box<Assumed>),
}

impl Default for Account {
    fn default() -> Account {
        Account::Explicit { stuck: Vec::new(), unreached: Vec::new() }
    }
}

impl<P, E> Report<P, E> {
    /// An answer that cost nothing.
    pub fn new(verdict: Verdict<P, E>, engine: &'static str) -> Report<P, E> {
        Report {
            verdict,
            engine,
            iterations: 1,
            states: 0,
            transitions: 0,
            because: None,
            solver_failure: None,
            account: Account::default(),
        }
    }

    /// The same figures with another verdict.
    pub fn map<Q, F>(self, f: impl FnOnce(Verdict<P, E>) -> Verdict<Q, F>) -> Report<Q, F> {
        Report {
            verdict: f(self.verdict),
            engine: self.engine,
            iterations: self.iterations,
            states: self.states,
            transitions: self.transitions,
            because: self.because,
            solver_failure: self.solver_failure,
            account: self.account,
        }
    }

    /// How the data was approximated, if it was.
    pub fn refinement(&self) -> Option<&Refinement> {
        match &self.account {
            Account::Explicit { .. } => None,
            Account::Approximated(refinement)
            | Account::Predicated(refinement, _)
            | Account::Assumed(refinement, _) => Some(refinement),
        }
    }

    /// What predicates there were, if there were any.
    pub fn predicated(&self) -> Option<&Predicated> {
        match &self.account {
            Account::Predicated(_, predicated) => Some(predicated),
            _ => None,
        }
    }

    /// What was assumed about a part of the program, if it was checked in two halves.
    pub fn assumed(&self) -> Option<&Assumed> {
        match &self.account {
            Account::Assumed(_, assumed) => Some(assumed),
            _ => None,
        }
    }

    /// Where the threads stand of a run that gets stuck.
    pub fn stuck(&self) -> &[Span] {
        match &self.account {
            Account::Explicit { stuck, .. } => stuck,
            _ => &[],
        }
    }

    /// The checks that no play comes to, as far as the search has shown it.
    pub fn unreached(&self) -> &[Check] {
        match &self.account {
            Account::Explicit { unreached, .. } => unreached,
            _ => &[],
        }
    }
}

/// How the data of a program was approximated, and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    /// The partition of each variable, in the end.
    pub abstraction: Vec<(String, String)>,
    /// The variable that was split most, and how often.
    pub kept_splitting: Option<(String, usize)>,
    /// All iterations.
    pub history: Vec<Iteration>,
    /// The moves of their counterexamples, each once.
    pub moves: Vec<(Player, String)>,
}

/// What was known of the store by predicates.
#[derive(Clone, Debug, Default)]
pub struct Predicated {
    /// The predicates, and where they are known; and the variables whose numbers are kept.
    pub kept: Vec<(String, String)>,
    /// The most that were alive at once.
    pub alive: usize,
    /// How often a solver was asked.
    pub asked: u64,
    /// The program with the tightest scopes that were found, if it was proved safe with them.
    pub annotated: Option<String>,
    /// Whether nothing but these scopes was needed: nothing else was known, and the solver was not asked later than at first.
    pub scopes_suffice: bool,
}

/// One iteration: a check of an abstraction and, unless it was the last, what was made finer.
#[derive(Clone, Default, Debug)]
pub struct Iteration {
    /// The partition of each variable.
    pub abstraction: Vec<(String, String)>,
    /// The counterexample, if there was one: its moves by their places in [`Refinement::moves`].
    pub play: Vec<u32>,
    /// Why it is none, if it is none.
    pub spurious: Option<String>,
    /// What was split.
    pub splits: Vec<Split>,
    /// What else was made finer, in words.
    pub changes: Vec<String>,
    /// Distinct positions visited.
    pub states: usize,
    /// Moves that had to be played; those that no refinement had touched were not.
    pub played: u64,
}

/// A part that was split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The variable.
    pub variable: String,
    /// The part.
    pub part: String,
    /// What it became.
    pub into: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict<P = Play, E = Evidence> {
    /// No environment brings the target about.
    Safe,
    /// This play does. The interpreter has played it, and the environment in the closed program has been seen to do it.
    Unsafe(P, E),
    /// It could not be found out.
    Unknown(Reason),
}

impl<P, E> Verdict<P, E> {
    /// The answer in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe => "SAFE",
            Verdict::Unsafe(..) => "UNSAFE",
            Verdict::Unknown(_) => "UNKNOWN",
        }
    }
}

/// What a proof that two programs are equal lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// A reason why a loop ends in which one program runs while the other goes on or waits.
    Loop,
    /// A relation between the two stores that excludes a difference.
    Relation,
}

/// Why it could not be found out.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The budget is exhausted, or something is too large or too many.
    Stop(Stop),
    /// A bound of the model was met; in words.
    Bound(String),
    /// There may be behaviour that the language leaves undefined; which, in words.
    Undefined(String),
    /// Nothing is known about what is asked.
    Unsupported(String),
    /// Jumps leave calls that are nested in calls of the same identifier: the moves say too little.
    Ambiguous,
    /// No engine can run this.
    NoEngine {
        /// What it is.
        what: String,
        /// Where it stands.
        span: Span,
    },
    /// The environment may give any value of this type, and only a few were tried.
    SomeValues(String),
    /// The part that was to be checked on its own is entered while it runs.
    Reenters,
    /// There is no part to be checked on its own.
    NoComponent(String),
    /// A model cannot be built from those of the program's parts.
    NoParts(String),
    /// A module has no model, for this reason.
    NoModel(String),
    /// This many abstractions were tried, and none was fine enough.
    Iterations(usize),
    /// A counterexample cannot be played, but no predicates were found that say so.
    Predicates,
    /// No proof that two programs are equal was found, nor a difference.
    Unproved {
        /// What is missing.
        what: Unproved,
        /// Where the program stands then.
        span: Option<Span>,
        /// Whether that is the second of two programs.
        second: bool,
        /// With this many moves of the environment there is no difference, whatever its numbers are.
        moves: usize,
    },
    /// Programs were proved to do the same with at most this many moves of the environment, whatever its numbers are; and why nothing
    /// more is known.
    Partly {
        /// How many moves.
        moves: usize,
        /// Why.
        reason: Box<Reason>,
    },
    /// The environment may give more numbers to two modules than can be tried, so a few were tried. Relations, which need no trying,
    /// are not looked for between modules like these, in words; or nothing, if they were not asked for.
    FewTried(Option<String>),
    /// A solver is needed, and failed again and again; or two of them contradict each other.
    Solver(agon_solve::Reason),
    /// This program says that the module fails, by its Horn clauses, and no play was found that does.
    Unshown(String),
    /// A play was found that needs no refinement, but the program is too large to be run with exact numbers.
    TooLargeToReplay,
    /// A play of this many moves was found, but the budget ran out before the interpreter had confirmed it.
    Unconfirmed(usize),
    /// An engine found a play that was then refused: a mistake of ours.
    Unverified(String),
    /// A certificate is refused: it does not prove what it is for.
    Refused(String),
    /// Something happened that must not happen, whatever the program is: a mistake of ours.
    Bug(String),
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        Reason::Stop(stop)
    }
}

impl From<Refused> for Reason {
    fn from(refused: Refused) -> Reason {
        match refused {
            Refused::Wrong(why) => Reason::Unverified(why),
            Refused::Construct { what, span } => Reason::NoEngine { what, span },
            Refused::Stop(stop) => Reason::Stop(stop),
        }
    }
}

impl Reason {
    /// Why a play that was found is not believed.
    pub(crate) fn disbelieved(moves: usize, refused: Refused) -> Reason {
        match refused {
            Refused::Wrong(why) => Reason::Unverified(why),
            Refused::Construct { .. } | Refused::Stop(_) => Reason::Unconfirmed(moves),
        }
    }

    /// Whether this is a mistake of ours, and not a matter of the program or of limits.
    pub fn is_bug(&self) -> bool {
        match self {
            Reason::Unverified(_) | Reason::Bug(_) => true,
            Reason::Partly { reason, .. } => reason.is_bug(),
            _ => false,
        }
    }

    /// The same reason, if another one says up to how many moves two programs do the same.
    pub(crate) fn partly(self, proved: Option<&Reason>) -> Reason {
        match proved {
            Some(Reason::Unproved { moves, .. }) if *moves > 0 => {
                Reason::Partly { moves: *moves, reason: Box::new(self) }
            }
            _ => self,
        }
    }
}
