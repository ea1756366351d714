//! Certificates of `agon equiv` and `agon approx`: why two programs are equal, to be checked again.

use agon_base::int::Int;
use agon_check::equiv::{self, Plays, Relation, Side};
use serde::{Deserialize, Serialize};

use super::Version;

/// A certificate: `agon equiv --certificate` writes it, `--recheck` reads it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Certificate {
    /// The version of the shapes.
    pub version: Version,
    /// The programs, as they were called.
    pub files: [String; 2],
    /// What is proved.
    pub relation: Proved,
    /// If there are finitely many plays: in how many steps all of them are looked at. Nothing else is claimed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walked: Option<usize>,
    /// The cells that are kept exactly: they are part of positions.
    pub exact: Vec<Exact>,
    /// Where both programs are in silent loops, those of which only one runs on.
    pub alignment: Vec<Aligned>,
    /// The terms that claims are made of; parts stand before wholes.
    pub terms: Vec<Term>,
    /// What holds at each position that can be reached.
    pub positions: Vec<Position>,
    /// Why loops end in which one program runs alone.
    pub ranks: Vec<Rank>,
}

/// What is proved of two programs.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Proved {
    /// They have the same plays: of terms the complete ones, of modules all.
    Equivalence,
    /// Of modules: they have the same complete plays.
    CompleteEquivalence,
    /// The plays of the first are among those of the second.
    Approximation,
}

/// One of two programs.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The first.
    First,
    /// The second.
    Second,
}

/// A cell that is kept exactly.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Exact {
    /// The program.
    pub program: Which,
    /// The cell, by its number in the code.
    pub cell: u32,
    /// The numbers that it may hold; null, if these are all of its type.
    pub numbers: Option<Vec<String>>,
}

/// Two silent loops of which only one runs on.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Aligned {
    /// The places in the code where each program will go on, innermost first.
    pub loops: [Vec<u32>; 2],
    /// The program that runs on.
    pub runs: Which,
}

/// A term.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// A number.
    Number(String),
    /// True or false.
    Truth(bool),
    /// What a place of the two stores holds.
    Place(String),
    /// An operator, and the numbers of its parts in the list.
    Apply(String, Vec<usize>),
}

/// What holds at a position.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    /// Where each program is in its code.
    pub at: [String; 2],
    /// What the cells hold that are kept exactly.
    pub exact: Vec<String>,
    /// Which of the positions it is that are alike in this.
    pub nth: usize,
    /// The terms that are true, by their numbers in the list.
    pub holds: Vec<usize>,
}

/// A number that falls in a loop in which one program runs alone.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rank {
    /// The program.
    pub program: Which,
    /// The positions among which it never rises, by their numbers in the list.
    pub among: Vec<usize>,
    /// The term that falls, by its number in the list.
    pub number: usize,
}

impl From<Side> for Which {
    fn from(side: Side) -> Which {
        match side {
            Side::Left => Which::First,
            Side::Right => Which::Second,
        }
    }
}

impl From<Which> for Side {
    fn from(which: Which) -> Side {
        match which {
            Which::First => Side::Left,
            Which::Second => Side::Right,
        }
    }
}

fn shown(numbers: &[Int]) -> Vec<String> {
    numbers.iter().map(Int::to_string).collect()
}

fn number(text: &str) -> Result<Int, String> {
    Int::parse(text).ok_or_else(|| format!("`{text}` is no number"))
}

fn numbers(texts: &[String]) -> Result<Vec<Int>, String> {
    texts.iter().map(|text| number(text)).collect()
}

impl Certificate {
    /// A certificate of these programs as it is written.
    pub fn new(files: [String; 2], of: &equiv::Written) -> Certificate {
        let exact = of.exact.iter().map(|exact| Exact {
            program: exact.side.into(),
            cell: exact.cell,
            numbers: exact.numbers.as_deref().map(shown),
        });
        let alignment = of.alignment.iter();
        let alignment =
            alignment.map(|aligned| Aligned { loops: aligned.loops.clone(), runs: aligned.runs.into() });
        let terms = of.terms.iter().map(|node| match node {
            equiv::Node::Number(n) => Term::Number(n.to_string()),
            equiv::Node::Truth(truth) => Term::Truth(*truth),
            equiv::Node::Place(name) => Term::Place(name.clone()),
            equiv::Node::Apply(word, parts) => Term::Apply(word.clone(), parts.clone()),
        });
        let positions = of.positions.iter().map(|claims| Position {
            at: claims.at.clone(),
            exact: shown(&claims.exact),
            nth: claims.nth,
            holds: claims.holds.clone(),
        });
        let ranks = of.ranks.iter().map(|falls| Rank {
            program: falls.side.into(),
            among: falls.among.clone(),
            number: falls.number,
        });
        Certificate {
            version: Version,
            files,
            relation: match (of.relation, of.plays) {
                (Relation::Equivalence, Plays::All) => Proved::Equivalence,
                (Relation::Equivalence, Plays::Complete) => Proved::CompleteEquivalence,
                (Relation::Approximation, _) => Proved::Approximation,
            },
            walked: of.walked,
            exact: exact.collect(),
            alignment: alignment.collect(),
            terms: terms.collect(),
            positions: positions.collect(),
            ranks: ranks.collect(),
        }
    }

    /// The certificate that was written, or why it is none.
    pub fn read(&self) -> Result<equiv::Written, String> {
        let exact = self.exact.iter().map(|exact| {
            let numbers = exact.numbers.as_deref().map(numbers).transpose()?;
            Ok(equiv::ExactCell { side: exact.program.into(), cell: exact.cell, numbers })
        });
        let alignment = self.alignment.iter();
        let alignment = alignment
            .map(|aligned| equiv::AlignedLoops { loops: aligned.loops.clone(), runs: aligned.runs.into() });
        let terms = self.terms.iter().map(|term| {
            Ok(match term {
                Term::Number(n) => equiv::Node::Number(number(n)?),
                Term::Truth(truth) => equiv::Node::Truth(*truth),
                Term::Place(name) => equiv::Node::Place(name.clone()),
                Term::Apply(word, parts) => equiv::Node::Apply(word.clone(), parts.clone()),
            })
        });
        let positions = self.positions.iter().map(|position| {
            let Position { at, exact, nth, holds } = position;
            let exact = numbers(exact)?;
            Ok(equiv::Claims { at: at.clone(), exact, nth: *nth, holds: holds.clone() })
        });
        let ranks = self.ranks.iter().map(|rank| equiv::Falls {
            side: rank.program.into(),
            among: rank.among.clone(),
            number: rank.number,
        });
        Ok(equiv::Written {
            relation: match self.relation {
                Proved::Equivalence | Proved::CompleteEquivalence => Relation::Equivalence,
                Proved::Approximation => Relation::Approximation,
            },
            plays: match self.relation {
                Proved::Equivalence | Proved::Approximation => Plays::All,
                Proved::CompleteEquivalence => Plays::Complete,
            },
            walked: self.walked,
            exact: exact.collect::<Result<_, String>>()?,
            alignment: alignment.collect(),
            terms: terms.collect::<Result<_, String>>()?,
            positions: positions.collect::<Result<_, String>>()?,
            ranks: ranks.collect(),
        })
    }
}
