//! What a C file claims about itself, in its first lines, which start with `//!`. `agon test` decides the claims, and so do the tests of
//! the corpus:
//!
//! ```text
//! //! safe                                   no environment makes the module fail
//! //! safe-up-to: 8 locks at once            the same, up to bounds of the model
//! //! unknown                                something that the model does not follow may happen before it fails
//! //! safe MOVE                              no environment makes it play this
//! //! unsafe                                 an environment makes the module fail
//! //! unsafe: get(0) · load(0) · … · fail    the same with the play of the reference search; `any` is no play
//! //! unsafe MOVE: any                       an environment makes it play this
//! //! moves: 4                               the moves of the environment in a shortest play that fails
//! //! with -DFIXED --leaf f: safe            the same with options
//! //! refused: E0611                         it is not read, and the diagnostic has this code
//! //! inputs: 0..3 functions 1 nesting 2     what the reference search tries
//! //! with -DFIXED inputs: …                 the same with options
//! //! files: a.c b.c                         the files of the module, if there are several
//! //! equivalent: other.c -DFIXED            equal in every environment to another file of the folder, read with options
//! //! inequivalent: other.c                  not equal
//! //! twin: modules/x.ia, with -DFIXED …     modules of the corpus with the same verdicts and plays
//! //! skip WHAT: reason                      an engine, or a test, that cannot handle it
//! ```
//!
//! `agon test` asks about verdicts, relations and `refused`. The other lines are for tests of single engines.

/// What a file claims.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Verdicts.
    pub cases: Vec<Case>,
    /// The moves of the environment in a shortest play that fails.
    pub moves: Option<usize>,
    /// What the reference search tries, by the options.
    inputs: Vec<(Vec<String>, String)>,
    /// The files of the module, if there are several.
    pub files: Vec<String>,
    /// `equivalent` or `inequivalent`, the other file, and the options that it is read with.
    pub relations: Vec<(String, String, Vec<String>)>,
    /// Modules of the corpus that the file says in C, with options.
    pub twins: Vec<(Vec<String>, String)>,
    skips: Vec<String>,
}

/// A verdict.
#[derive(Clone, Debug)]
pub struct Case {
    /// The options that it is read with.
    pub options: Vec<String>,
    /// Another move than a failure, if it is asked for.
    pub target: Option<String>,
    /// The expected verdict.
    pub verdict: Expected,
}

/// An expected verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Up to these bounds of the model, if it has any that can be met.
    Safe(Option<String>),
    /// With the play, if it is given.
    Unsafe(Option<String>),
    /// With the code of the diagnostic.
    Refused(String),
    /// The references go no further than the model does, and find no failure.
    Unknown,
}

impl Claims {
    /// What a text claims; an error, if a line is not a claim.
    pub fn read(text: &str) -> Result<Claims, String> {
        let mut claims = Claims::default();
        for line in text.lines().map_while(|line| line.strip_prefix("//! ")) {
            claims.line(line).map_err(|why| format!("{why}: `{line}`"))?;
        }
        match claims.cases.is_empty() && claims.relations.is_empty() {
            true => Err("it claims nothing".into()),
            false => Ok(claims),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (options, claim) = match line.strip_prefix("with ") {
            None => (vec![], line),
            Some(rest) if rest.contains(" inputs: ") && !rest.contains(": safe") => rest
                .split_once(" inputs: ")
                .map_or((vec![], line), |(options, _)| (words(options), &rest[options.len() + 1..])),
            Some(rest) => {
                let (options, claim) = rest.split_once(": ").ok_or("no claim follows the options")?;
                (words(options), claim)
            }
        };
        let (head, rest) = claim.split_once(':').unwrap_or((claim, ""));
        let (word, target) =
            head.split_once(' ').map_or((head, None), |(word, target)| (word, Some(target.to_string())));
        let rest = rest.trim();
        let verdict = match word {
            "safe" => Expected::Safe(None),
            "safe-up-to" => Expected::Safe(Some(rest.into())),
            "unsafe" => {
                Expected::Unsafe(Some(rest.to_string()).filter(|play| !matches!(play.as_str(), "" | "any")))
            }
            "refused" => Expected::Refused(rest.into()),
            "unknown" => Expected::Unknown,
            _ => return self.other(word, target, rest, options),
        };
        self.cases.push(Case { options, target, verdict });
        Ok(())
    }

    fn other(
        &mut self,
        word: &str,
        target: Option<String>,
        rest: &str,
        options: Vec<String>,
    ) -> Result<(), String> {
        match word {
            "moves" => self.moves = Some(rest.parse().map_err(|_| "not a number")?),
            "inputs" => self.inputs.push((options, rest.into())),
            "files" => self.files = words(rest),
            "equivalent" | "inequivalent" => {
                let mut all = words(rest);
                let file = if all.is_empty() { return Err("no file".into()) } else { all.remove(0) };
                self.relations.push((word.into(), file, all));
            }
            "twin" => {
                for part in rest.split(',').map(str::trim) {
                    let words = part.strip_prefix("with ").unwrap_or(part).split_whitespace();
                    let (files, options): (Vec<&str>, Vec<&str>) =
                        words.partition(|word| word.ends_with(".ia"));
                    let options: Vec<String> = options.into_iter().map(String::from).collect();
                    self.twins.extend(files.into_iter().map(|file| (options.clone(), file.to_string())));
                }
            }
            "skip" if rest.is_empty() => return Err("a skip without a reason".into()),
            "skip" => self.skips.extend(target),
            _ => return Err("no such claim".into()),
        }
        Ok(())
    }

    /// Whether an engine or a test cannot handle the file.
    pub fn skips(&self, what: &str) -> bool {
        self.skips.iter().any(|skipped| skipped == what)
    }

    /// What the reference search tries with these options.
    pub fn inputs(&self, options: &[String]) -> Option<&str> {
        let with = |wanted: &[String]| self.inputs.iter().find(|(known, _)| known == wanted);
        with(options).or_else(|| with(&[])).map(|(_, inputs)| inputs.as_str())
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read() {
        let text = "//! safe-up-to: 8 locks at once\n//! with -DBAD --leaf f: unsafe pay(): any\n//! equivalent: old.c -DX\nint x;";
        let claims = Claims::read(text).expect("they are claims");
        assert_eq!(claims.cases[0].verdict, Expected::Safe(Some("8 locks at once".into())));
        let Case { options, target, verdict } = &claims.cases[1];
        assert_eq!(options, &["-DBAD", "--leaf", "f"]);
        assert_eq!((target.as_deref(), verdict), (Some("pay()"), &Expected::Unsafe(None)));
        assert_eq!(claims.relations, [("equivalent".into(), "old.c".into(), vec!["-DX".into()])]);
        for (wrong, why) in [
            ("//! sfae", "no such claim: `sfae`"),
            ("//! with -DBAD", "no claim follows the options: `with -DBAD`"),
            ("//! equivalent:", "no file: `equivalent:`"),
            ("int x;\n//! safe", "it claims nothing"),
        ] {
            assert_eq!(Claims::read(wrong).expect_err("it is wrong"), why);
        }
    }
}
