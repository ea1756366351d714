//! Certificates of equivalence: what was proved is accepted again, and nothing can be left out of it, negated or changed.

use crate::common::Sample;
use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_check::equiv::{Comparison, Engine, Node, Options, Relation, Written, compare_with, recheck};
use agon_check::library;
use agon_check::solvers::Solvers;
use agon_ia::read::{ModuleReading, read_module};

/// Something that is compared, and that a certificate is about.
enum Pair {
    Programs(Box<[Sample; 2]>),
    Modules(Box<[ModuleReading; 2]>),
}

impl Pair {
    fn modules(left: &str, right: &str) -> Pair {
        let read = |text: &str| {
            let text = format!("module {text}");
            read_module(&text, &[]).and_then(Result::ok).unwrap_or_else(|| panic!("it is a module: {text}"))
        };
        Pair::Modules(Box::new([read(left), read(right)]))
    }

    /// The certificate that is found, if one is.
    fn certificate(&self) -> Option<Written> {
        let budget = Budget::default().with_patience(300_000);
        let options = Options { engine: Engine::Product, ..Options::new(Relation::Equivalence) };
        let proof = match self {
            Pair::Programs(programs) => {
                let [left, right] = &**programs;
                let compared = compare_with(left.subject(), right.subject(), &options, &budget, &mut |_| {});
                compared.expect("they can be compared").proof
            }
            Pair::Modules(modules) => {
                let [left, right] = &**modules;
                let languages = [&left.document as _, &right.document as _];
                let modules = [&left.module, &right.module];
                let compared = library::compare(modules, languages, &options, &budget, &mut |_| {});
                compared.expect("they can be compared").proof
            }
        };
        proof?.certificate.map(|certificate| *certificate)
    }

    /// Whether a certificate is accepted.
    fn accepts(&self, certificate: &Written) -> bool {
        let (budget, solvers) = (Budget::default(), Solvers::default());
        match self {
            Pair::Programs(programs) => {
                let [left, right] = &**programs;
                let checked = recheck(left.subject(), right.subject(), certificate, &solvers, &budget);
                matches!(checked.expect("they can be compared").comparison, Comparison::Holds)
            }
            Pair::Modules(modules) => {
                let modules = [&modules[0].module, &modules[1].module];
                let checked = library::recheck(modules, certificate, &solvers, &budget);
                matches!(checked.expect("they can be compared").comparison, library::Comparison::Holds)
            }
        }
    }
}

/// The pairs of the corpus that are said to be equivalent.
fn corpus() -> Vec<(String, Pair)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/equivalence");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus can be listed") {
        let path = entry.expect("it can be listed").path();
        let read = |name: &str| std::fs::read_to_string(path.join(name)).ok();
        let (Some(left), Some(right)) = (read("left.ia"), read("right.ia")) else { continue };
        let wide = left.contains("its data is too wide") && !left.contains("concurrent");
        if left.contains("//! equivalent: right.ia") && wide {
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            found.push((name, Pair::Programs(Box::new([Sample::new(&left), Sample::new(&right)]))));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn modules() -> Vec<(String, Pair)> {
    let cached = Pair::modules(
        "i32 x; export set(a : i32) = x := a; export get() : i32 = x * 3 + 7;",
        "i32 x, c; bool valid; export set(a : i32) = { x := a; valid := false };
         export get() : i32 = { if not valid then { c := x * 3 + 7; valid := true }; c };",
    );
    let waits = Pair::modules(
        "import ask() : i32; i32 x; export set(a : i32) = x := a;
         export run(k : i32) : i32 = { i32 was := x; was := was + ask(); was + k };",
        "import ask() : i32; i32 x; export set(a : i32) = x := a;
         export run(k : i32) : i32 = { i32 was := x + k; i32 r := ask(); r + was };",
    );
    let counted = Pair::modules(
        "import tick(u32) : com; u32 n; export step() = { n := n + 1; tick(n) };",
        "import tick(u32) : com; u32 n := 100; export step() = { n := n + 1; tick(n - 100) };",
    );
    let alone = Pair::modules(
        "import out(i32) : com; export run(n : i32) = { i32 i; while i < n do i := i + 1; out(1) };",
        "import out(i32) : com; export run(n : i32) = out(1);",
    );
    let busy = |body: &str| {
        format!(
            "import call(i32) : i32; bool busy; i32 last;
             export run(x : i32) : i32 = if busy then -1 else {{ busy := true; last := x; {body} }};"
        )
    };
    let busy = Pair::modules(
        &busy("i32 r := call(x); busy := false; r + last"),
        &busy("i32 r := call(last); r := r + x; busy := false; r"),
    );
    let downwards = Pair::modules(
        "import out(i32) : com; export run(n : i32) = { i32 i := n; while i > 3 do i := i - 2; out(n) };",
        "import out(i32) : com; export run(n : i32) = out(n);",
    );
    [
        ("cached", cached),
        ("waits", waits),
        ("counted", counted),
        ("alone", alone),
        ("busy", busy),
        ("downwards", downwards),
    ]
    .map(|(name, pair)| (name.to_string(), pair))
    .into()
}

/// The certificate with another term in place of a conjunct.
fn with_claim(certificate: &Written, (position, n): (usize, usize), claim: usize) -> Written {
    let mut changed = certificate.clone();
    changed.positions[position].holds[n] = claim;
    changed
}

/// The certificate with one more term, and its number.
fn with_terms(certificate: &Written, more: &[Node]) -> (Written, usize) {
    let mut changed = certificate.clone();
    changed.terms.extend(more.iter().cloned());
    let last = changed.terms.len() - 1;
    (changed, last)
}

#[test]
fn what_was_proved_is_accepted_and_nothing_else() {
    let (mut seen, mut changes, mut ranks) = (0, 0, 0);
    for (name, pair) in corpus().into_iter().chain(modules()) {
        let Some(certificate) = pair.certificate() else { continue };
        seen += 1;
        assert!(pair.accepts(&certificate), "{name}: {certificate:#?}");
        for (n, claims) in certificate.positions.iter().enumerate() {
            for (m, claim) in claims.holds.iter().copied().enumerate() {
                let refused = |changed: &Written, how: &str| {
                    assert!(!pair.accepts(changed), "{name}: {how} {m} at {n}: {certificate:#?}");
                };
                changes += 3;
                let mut without = certificate.clone();
                without.positions[n].holds.remove(m);
                refused(&without, "without conjunct");
                let (with, negated) = with_terms(&certificate, &[Node::Apply("not".into(), vec![claim])]);
                refused(&with_claim(&with, (n, m), negated), "negated conjunct");
                if let Node::Apply(word, parts) = &certificate.terms[claim]
                    && word == "equal"
                {
                    let at = certificate.terms.len();
                    let more = [
                        Node::Number(Int::ONE),
                        Node::Apply("add".into(), vec![parts[0], at]),
                        Node::Apply("equal".into(), vec![at + 1, parts[1]]),
                    ];
                    let (with, other) = with_terms(&certificate, &more);
                    refused(&with_claim(&with, (n, m), other), "another constant in conjunct");
                }
            }
        }
        for n in 0..certificate.ranks.len() {
            ranks += 1;
            let mut without = certificate.clone();
            without.ranks.remove(n);
            assert!(!pair.accepts(&without), "{name}: without rank {n}");
            let number = certificate.ranks[n].number;
            for other in [Node::Apply("negate".into(), vec![number]), Node::Number(Int::from(7i64))] {
                let (mut with, other) = with_terms(&certificate, &[other]);
                with.ranks[n].number = other;
                assert!(!pair.accepts(&with), "{name}: another rank {n}");
            }
        }
    }
    println!("{seen} certificates, {changes} changes of conjuncts, {ranks} ranks");
    assert!(seen >= 15 && changes > 60 && ranks > 1, "{seen} {changes} {ranks}");
}

/// A certificate is about two programs, and about no others.
#[test]
fn a_certificate_of_others_is_refused() {
    let programs: Vec<(String, Pair)> = corpus().into_iter().take(6).chain(modules()).collect();
    let certificates: Vec<Option<Written>> = programs.iter().map(|(_, pair)| pair.certificate()).collect();
    let mut refused = 0;
    for (n, (name, pair)) in programs.iter().enumerate() {
        for (m, certificate) in certificates.iter().enumerate() {
            let Some(certificate) = certificate else { continue };
            // Some relations are true of other programs as well, but those with claims are about their own cells.
            if n != m && certificate.positions.iter().any(|claims| !claims.holds.is_empty()) {
                assert!(!pair.accepts(certificate), "{name} with the certificate of {}", programs[m].0);
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn what_is_no_certificate_is_refused() {
    let (_, pair) = modules().remove(0);
    let certificate = pair.certificate().expect("it is proved");
    let mut changed: Vec<Written> = Vec::new();
    let mut change = |how: &dyn Fn(&mut Written)| {
        let mut other = certificate.clone();
        how(&mut other);
        changed.push(other);
    };
    change(&|other| other.positions.clear());
    change(&|other| other.terms.clear());
    change(&|other| other.exact.clear());
    change(&|other| other.exact[0].cell = 1_000);
    change(&|other| other.exact[0].numbers = Some(vec![Int::ZERO]));
    change(&|other| other.positions[0].holds.push(usize::MAX));
    // A number is no claim, nor is what speaks of places that are not there.
    change(&|other| other.positions[0].holds.push(0));
    change(&|other| {
        other.terms.push(Node::Place("first cell 99 0 99".into()));
        let at = other.terms.len() - 1;
        other.terms.push(Node::Apply("equal".into(), vec![at, at]));
        other.terms.push(Node::Apply("less".into(), vec![at, 0]));
        other.positions[0].holds.push(at + 2);
    });
    change(&|other| other.terms.insert(0, Node::Apply("equal".into(), vec![5, 6])));
    change(&|other| other.terms.push(Node::Apply("and".into(), vec![0])));
    change(&|other| other.terms.push(Node::Apply("nothing".into(), vec![])));
    for other in &changed {
        assert!(!pair.accepts(other), "{other:#?}");
    }
}
