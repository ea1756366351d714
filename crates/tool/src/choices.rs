//! The named options of a check, for the command line and the workbench.

use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::Order;
use agon_check::refine::Certify;
use agon_check::refine::assume::Method;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The search order.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OrderName {
    /// Depth first, arguments in order.
    Fixed,
    /// Depth first, in an order drawn from the seed.
    Random,
    /// Breadth first: a shortest play.
    Shortest,
}

impl OrderName {
    /// The order with its seed, which only the random order uses.
    pub fn order(self, seed: u64) -> Order {
        match self {
            OrderName::Fixed => Order::Fixed,
            OrderName::Random => Order::Random(seed),
            OrderName::Shortest => Order::Shortest,
        }
    }
}

/// How counterexamples over approximated data are shown to be genuine.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CertifyName {
    /// Every condition on the path was decided.
    Forced,
    /// Or values are found for which the play exists.
    #[default]
    Values,
    /// Or a solver finds such values, or shows that there are none.
    Solver,
}

impl From<CertifyName> for Certify {
    fn from(name: CertifyName) -> Certify {
        match name {
            CertifyName::Forced => Certify::Forced,
            CertifyName::Values => Certify::Values,
            CertifyName::Solver => Certify::Solver,
        }
    }
}

/// The initial predicates.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SchemeName {
    /// No predicates, and none are found.
    None,
    /// Those of the program's `letp`, `newp` and `endp`.
    Annotated,
    /// All conditions, wherever their variables are live. More are found where these do not suffice.
    Maximal,
    /// The same, but only where they are needed.
    #[default]
    Minimal,
}

impl From<SchemeName> for Scheme {
    fn from(name: SchemeName) -> Scheme {
        match name {
            SchemeName::None => Scheme::None,
            SchemeName::Annotated => Scheme::Annotated,
            SchemeName::Maximal => Scheme::Maximal,
            SchemeName::Minimal => Scheme::Minimal,
        }
    }
}

/// How assumptions are learnt.
#[derive(ValueEnum, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LearnerName {
    /// With an observation table, as the papers do; `--verbose` shows the tables.
    Table,
    /// With a discrimination tree, which asks less.
    #[default]
    Tree,
}

impl From<LearnerName> for Method {
    fn from(name: LearnerName) -> Method {
        match name {
            LearnerName::Table => Method::Table,
            LearnerName::Tree => Method::Tree,
        }
    }
}

/// The options of all engines; each engine uses its own.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// Whether refinement of partitions must terminate for every unsafe program.
    pub semi_terminating: bool,
    /// The initial predicates.
    pub predicates: SchemeName,
    /// How assumptions are learnt.
    pub learner: LearnerName,
    /// Whether a part of the program was named that is checked on its own.
    pub component: bool,
}

/// The engine of a name; the reason, if there is none.
pub fn engine(name: &str, options: EngineOptions) -> Result<Engine, String> {
    let Some(engine) = Engine::named(name) else {
        let names: Vec<_> = Engine::ALL.iter().map(|engine| format!("`{}`", engine.name())).collect();
        let (last, others) = names.split_last().expect("there are engines");
        return Err(format!(
            "this version has no engine `{name}`; there are {} and {last}",
            others.join(", ")
        ));
    };
    let in_halves = Engine::AssumeGuarantee(options.learner.into());
    Ok(match engine {
        Engine::Auto if options.component => in_halves,
        Engine::AssumeGuarantee(_) => in_halves,
        engine if options.component => {
            return Err(format!(
                "a part is checked on its own by `{}`, and not by `{}`",
                in_halves.name(),
                engine.name()
            ));
        }
        Engine::Partition { .. } => Engine::Partition { semi_terminating: options.semi_terminating },
        Engine::Predicate(_) => Engine::Predicate(options.predicates.into()),
        engine => engine,
    })
}
