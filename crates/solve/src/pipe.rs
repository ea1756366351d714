//! Any program that speaks SMT-LIB 2, over a connection that somebody else makes.

use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::eval::Model;
use crate::smtlib::{PREAMBLE, Phrase, definition, is_unsaid, mention};
use crate::solver::{Answer, Claim, Limit, Reason, Solver, believe};
use crate::term::{Op, Term, Terms};

/// A running program. It is ended when it is dropped.
pub trait Connection {
    /// Says something to it, without waiting for it to listen.
    fn send(&mut self, text: &str) -> Result<(), String>;
    /// The next line that it says, if it says one within the limit.
    fn receive(&mut self, limit: &Limit) -> Result<String, Reason>;
}

/// How long an answer of a program may be, in bytes.
const LONGEST: usize = 1 << 24;

/// A solver at the other end of a connection, which is made when it is first needed, and again after it broke.
pub struct Pipe<F> {
    connect: F,
    patience: Duration,
    running: Option<Running>,
}

struct Running {
    connection: Box<dyn Connection>,
    /// The claims that were said, each on a level of its own with the terms that were defined for it.
    levels: Vec<(Term, Vec<Term>)>,
    defined: FxHashSet<Term>,
}

impl<F: FnMut() -> Result<Box<dyn Connection>, String>> Pipe<F> {
    /// A solver that is connected like this, and may be silent for so long.
    pub fn new(connect: F, patience: Duration) -> Pipe<F> {
        Pipe { connect, patience, running: None }
    }

    fn answer(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Result<Answer, Reason> {
        if let Some(reason) = limit.over() {
            return Err(reason);
        }
        let all = terms.parts_first(claims.iter().map(|claim| claim.term));
        if all.into_iter().any(|term| is_unsaid(terms, term)) {
            return Ok(Answer::Unknown(Reason::Beyond("bits of unknown integers".into())));
        }
        let running = match &mut self.running {
            Some(running) => running,
            none => {
                let mut connection = (self.connect)().map_err(Reason::Broken)?;
                connection.send(PREAMBLE).map_err(Reason::Broken)?;
                none.insert(Running { connection, levels: Vec::new(), defined: FxHashSet::default() })
            }
        };
        let silent = Instant::now() + self.patience;
        let deadline = Some(limit.deadline.map_or(silent, |deadline| deadline.min(silent)));
        running.ask(terms, claims, &Limit { deadline, ..limit.clone() })
    }
}

impl<F: FnMut() -> Result<Box<dyn Connection>, String>> Solver for Pipe<F> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        self.answer(terms, claims, limit).unwrap_or_else(|reason| {
            // What it would say next may be the answer to this: it is not heard any more.
            self.running = None;
            Answer::Unknown(reason)
        })
    }
}

impl Running {
    fn ask(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Result<Answer, Reason> {
        let mut text = String::new();
        let same =
            claims.iter().zip(&self.levels).take_while(|(claim, (term, _))| claim.term == *term).count();
        if same < self.levels.len() {
            text.push_str(&format!("(pop {})\n", self.levels.len() - same));
            for (_, defined) in self.levels.drain(same..) {
                defined.iter().for_each(|term| {
                    self.defined.remove(term);
                });
            }
        }
        for (i, claim) in claims.iter().enumerate().skip(same) {
            text.push_str("(push 1)\n");
            let mut all = terms.parts_first([claim.term]);
            all.retain(|term| self.defined.insert(*term));
            text.extend(all.iter().filter_map(|term| definition(terms, *term)));
            text.push_str(&format!("(assert (! {} :named n{i}))\n", mention(terms, claim.term)));
            self.levels.push((claim.term, all));
        }
        text.push_str("(check-sat)\n");
        let said = self.say(&text, limit)?;
        match said.word() {
            Some("sat") => Ok(believe(terms, claims, self.model(terms, claims, limit)?)),
            Some("unsat") => {
                let core = self.core(claims.len(), limit)?;
                Ok(Answer::Unsat(core.map_or_else(
                    || claims.iter().map(|claim| claim.name).collect(),
                    |core| core.iter().map(|i| claims[*i].name).collect(),
                )))
            }
            Some("unknown" | "timeout") => Ok(Answer::Unknown(Reason::Beyond("this question".into()))),
            _ => Err(nonsense(&said)),
        }
    }

    fn model(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Result<Model, Reason> {
        let mut model = Model::default();
        let mut constants = terms.parts_first(claims.iter().map(|claim| claim.term));
        constants.retain(|term| matches!(terms.op(*term), Op::Constant(_)));
        if constants.is_empty() {
            return Ok(model);
        }
        let names: Vec<String> = constants.iter().map(|term| mention(terms, *term)).collect();
        let said = self.say(&format!("(get-value ({}))\n", names.join(" ")), limit)?;
        let pairs = match &said {
            Phrase::List(pairs) if pairs.len() == constants.len() => pairs,
            _ => return Err(nonsense(&said)),
        };
        for ((constant, name), pair) in constants.iter().zip(&names).zip(pairs) {
            let value = match pair {
                Phrase::List(pair) if pair.len() == 2 && pair[0].word() == Some(name) => {
                    pair[1].value(terms.sort(*constant))
                }
                _ => None,
            };
            model.set(*constant, value.ok_or_else(|| nonsense(&said))?);
        }
        Ok(model)
    }

    /// Which of this many claims contradict each other; nothing if the program does not say.
    fn core(&mut self, of: usize, limit: &Limit) -> Result<Option<Vec<usize>>, Reason> {
        let place =
            |phrase: &Phrase| phrase.word()?.strip_prefix('n')?.parse().ok().filter(|place| *place < of);
        Ok(match self.say("(get-unsat-core)\n", limit)? {
            Phrase::List(names) => names.iter().map(place).collect(),
            Phrase::Word(_) => None,
        })
    }

    /// Says something, and hears the answer.
    fn say(&mut self, text: &str, limit: &Limit) -> Result<Phrase, Reason> {
        self.connection.send(text).map_err(Reason::Broken)?;
        let (mut heard, mut open) = (String::new(), 0);
        loop {
            let line = self.connection.receive(limit)?;
            if heard.is_empty() && ["", "success", "unsupported"].contains(&line.trim()) {
                continue;
            }
            open += still_open(&line);
            heard.push_str(&line);
            heard.push('\n');
            if heard.len() > LONGEST {
                return Err(Reason::Broken(cut("the solver says no end of", &heard)));
            }
            if open <= 0 {
                let no_answer = || Reason::Broken(cut("the solver says what is no answer:", heard.trim()));
                return Phrase::read(&heard).ok_or_else(no_answer);
            }
        }
    }
}

/// How many more parentheses a line opens than it closes, outside of strings.
fn still_open(line: &str) -> i64 {
    let outside = line.split('"').step_by(2);
    outside.flat_map(str::chars).fold(0, |open, c| open + i64::from(c == '(') - i64::from(c == ')'))
}

fn cut(what: &str, text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    format!("{what} `{}`", start.replace('\n', " "))
}

fn nonsense(phrase: &Phrase) -> Reason {
    let text = match phrase {
        Phrase::Word(word) => word.clone(),
        Phrase::List(list) => {
            let words: Vec<&str> = list.iter().map(|phrase| phrase.word().unwrap_or("(…)")).collect();
            format!("({})", words.join(" "))
        }
    };
    Reason::Broken(cut("the solver says what is no answer:", &text))
}

/// A whole script that asks one question: for programs that take files, and for reports of mistakes.
pub fn script(terms: &Terms, claims: &[Claim]) -> String {
    let mut text = PREAMBLE.to_string();
    let all = terms.parts_first(claims.iter().map(|claim| claim.term));
    text.extend(all.iter().filter_map(|term| definition(terms, *term)));
    for (i, claim) in claims.iter().enumerate() {
        text.push_str(&format!("(assert (! {} :named n{i}))\n", mention(terms, claim.term)));
    }
    text.push_str("(check-sat)\n");
    text
}
