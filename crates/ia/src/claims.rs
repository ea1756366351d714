//! What a program claims about itself, in lines that start with `//!`. `agon test` decides the claims, and so do the tests of the corpus:
//!
//! ```text
//! //! paper: [GC] B.1                            its source
//! //! safe                                       it never aborts
//! //! safe MOVE                                  no environment reaches the move
//! //! unsafe                                     an environment makes it abort
//! //! unsafe: run · f.run · abort                the same with the play of the shortest order; if the precise engine
//!                                                cannot handle the program, that of the predicate engine. `any` is no play
//! //! unsafe MOVE: …                             the same for another target
//! //! equivalent: left.ia                        equal in every environment to another program of the folder
//! //! inequivalent: left.ia                      not equal
//! //! approximates: left.ia                      its complete plays are among those of the other
//! //! iterations ENGINE: 3                       at most this many, for the first verdict
//! //! data ENGINE: x [0,1]; y []                 the final partitions of all or some variables
//! //! alive: 2                                   its own predicates prove it, this many at once
//! //! model: 8 states, 9 transitions             the size of its minimal model
//! //! states: 9                                  how many positions a whole search visits, the shortest play first
//! //! unreached: 3:5 7:1                         the places of the checks that no play reaches, in the order of the text
//! //! stuck: yes                                 whether a concurrent program has a deadlock; or `no`
//! //! halves: work, 10 states, 13742 positions    checked at that part: the assumption, and the largest exploration
//! //! moves: 4                                   of a module that is unsafe: the moves of its environment in a shortest play
//! //! alone: safe                                of a module with several threads: its verdict for one
//! //! inputs: 0..3 functions 1 nesting 2         of a module: what the reference search tries, whose play it is
//! //! define: size=3                             constants
//! //! skip ENGINE: reason                        an engine that cannot handle it, or another test: `denote`,
//!                                                `denote-threads`, `model`
//! ```
//!
//! `agon test` asks about verdicts, relations, `stuck`, `alone` and `moves`. The other lines are for tests of single engines.

use agon_base::int::Int;

/// The expected results of a program.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// The targets, each with its verdict.
    pub verdicts: Vec<(String, Claim)>,
    /// `equivalent`, `inequivalent` or `approximates`, and the other program.
    pub relations: Vec<(String, String)>,
    /// How many positions a whole search visits.
    pub states: Option<usize>,
    /// The size of the minimal model.
    pub model: Option<String>,
    /// The values of constants.
    pub defines: Vec<(String, Int)>,
    /// Engines and tests that cannot handle it.
    pub skips: Vec<String>,
    /// How many iterations an engine takes at most.
    pub iterations: Vec<(String, usize)>,
    /// The places of the checks that no play reaches.
    pub unreached: Option<String>,
    /// Whether it has a deadlock.
    pub stuck: Option<bool>,
    /// The part that it is checked at, and the figures then.
    pub halves: Option<String>,
    /// How many moves the environment makes in a shortest play of a module.
    pub moves: Option<usize>,
    /// Whether a module of several threads is safe with one.
    pub alone: Option<bool>,
    /// The final partitions, by engine.
    pub data: Vec<(String, String)>,
    /// How many of the program's own predicates are alive at once in a proof by them.
    pub alive: Option<usize>,
}

/// An expected verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No environment reaches the target.
    Safe,
    /// An environment reaches it; with the play, if one is claimed.
    Unsafe(Option<String>),
}

impl Claims {
    /// The claims in a program's text; an error, if a line is not a claim.
    pub fn read(text: &str) -> Result<Claims, String> {
        let mut claims = Claims::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
            claims.line(line).map_err(|why| format!("{why}: `{line}`"))?;
        }
        if claims.verdicts.is_empty() && claims.relations.is_empty() && claims.stuck.is_none() {
            return Err("it claims nothing".into());
        }
        Ok(claims)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let (word, target) = head.split_once(' ').unwrap_or((head, "abort"));
        let (target, rest) = (target.to_string(), rest.trim());
        let number = || rest.parse::<usize>().map_err(|_| "not a number".to_string());
        match word {
            "safe" => self.verdicts.push((target, Claim::Safe)),
            "unsafe" => {
                let play = Some(rest.to_string()).filter(|play| !matches!(play.as_str(), "" | "any"));
                self.verdicts.push((target, Claim::Unsafe(play)));
            }
            "model" => self.model = Some(rest.into()),
            "states" => self.states = Some(number()?),
            "define" => {
                let (name, value) = rest.split_once('=').ok_or("not NAME=VALUE")?;
                self.defines.push((name.into(), Int::parse(value).ok_or("not a number")?));
            }
            "equivalent" | "inequivalent" | "approximates" => self.relations.push((word.into(), rest.into())),
            "unreached" => self.unreached = Some(rest.into()),
            "stuck" => self.stuck = Some(either(rest, "yes", "no")?),
            "halves" => self.halves = Some(rest.into()),
            "iterations" => self.iterations.push((target, number()?)),
            "moves" => self.moves = Some(number()?),
            // The tests of the references read it.
            "inputs" => {}
            "alone" => self.alone = Some(either(rest, "safe", "unsafe")?),
            "alive" => self.alive = Some(number()?),
            "data" => self.data.push((target, rest.into())),
            "skip" if rest.is_empty() => return Err("a skip without a reason".into()),
            "skip" => self.skips.push(target),
            "paper" => {}
            _ => return Err("no such claim".into()),
        }
        Ok(())
    }

    /// Whether an engine or a test cannot handle the program.
    pub fn skips(&self, what: &str) -> bool {
        self.skips.iter().any(|skipped| skipped == what)
    }
}

/// Which of two words it is.
fn either(word: &str, yes: &str, no: &str) -> Result<bool, String> {
    match word == yes || word == no {
        true => Ok(word == yes),
        false => Err(format!("neither `{yes}` nor `{no}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read() {
        let claims = Claims::read("//! safe\n//! unsafe f.run: any\n//! define: n=3\n//! stuck: no\nskip");
        let claims = claims.expect("they are claims");
        assert_eq!(claims.verdicts.len(), 2);
        assert_eq!((claims.verdicts[1].0.as_str(), &claims.verdicts[1].1), ("f.run", &Claim::Unsafe(None)));
        assert_eq!((claims.defines.len(), claims.stuck), (1, Some(false)));
        for (wrong, why) in [
            ("//! sfae", "no such claim: `sfae`"),
            ("//! skip explicit", "a skip without a reason: `skip explicit`"),
            ("//! safe\n//! define: n", "not NAME=VALUE: `define: n`"),
            ("//! safe\n//! moves: few", "not a number: `moves: few`"),
            ("//! stuck: perhaps", "neither `yes` nor `no`: `stuck: perhaps`"),
            ("skip", "it claims nothing"),
        ] {
            assert_eq!(Claims::read(wrong).expect_err("it is wrong"), why);
        }
    }
}
