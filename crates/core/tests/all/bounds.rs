//! Judgements with their bounds, and programs that have none.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::random::Random;
use agon_core::bounds::*;
use agon_core::normal::normalize;
use agon_core::term::Judgement;
use agon_ia::read::read;

fn judged(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

#[track_caller]
fn typed(text: &str, expected: &str) {
    match bounds(&judged(text)) {
        Ok(bounds) => assert_eq!(bounds.to_string(), expected, "{text}"),
        Err(diagnostics) => panic!("{text}: {diagnostics:?}"),
    }
}

/// What is wrong with the bounds of a program: the code, the place, the message.
#[track_caller]
fn refused(text: &str, code: Code, place: &str) -> Diagnostic {
    let diagnostics = bounds(&judged(text)).expect_err(text);
    assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:?}");
    let diagnostic = diagnostics[0].clone();
    let (span, _) = diagnostic.primary.clone().expect("a place");
    let shown =
        format!("{}>{}<", &text[..span.start as usize], &text[span.start as usize..span.end as usize]);
    assert_eq!((diagnostic.code, shown.as_str()), (code, place), "{text}");
    diagnostic
}

#[test]
fn the_example_of_the_paper_is_derived() {
    typed("f : (com{2} -> com){2}, x : com{4} |- f(x) || f(x)", "f : (com{2} -> com){2}, x : com{4} |- com");
    typed("f : com{7} -> com, x : com |- f(x) || f(x)", "f : (com{7} -> com){2}, x : com{14} |- com");
}

#[test]
fn uses_in_sequence_share_and_uses_at_once_add_up() {
    typed("concurrent x : com |- x; x; while true do x", "x : com{1} |- com");
    typed("x : com, b : bool |- if b then { x || x } else x", "x : com{2}, b : bool{1} |- com");
    typed("x : var int |- (x := x + x) || x := 1", "x : var int{2} |- com");
    typed(
        "s : sem, a : var int[3] |- grab(s); a[a[0]] := 1; release(s)",
        "s : sem{1}, a : var int[3]{1} |- com",
    );
    typed("f : com{3} -> com, x : com |- f(x || x)", "f : (com{3} -> com){1}, x : com{6} |- com");
    typed(
        "f : com{0} -> com, x : com, y : com |- f(x)",
        "f : (com{0} -> com){1}, x : com{0}, y : com{0} |- com",
    );
    typed("x : com |- par i := 1..5 do x", "x : com{5} |- com");
}

#[test]
fn the_program_may_be_a_procedure() {
    typed("concurrent fun x : com . x", "|- com{1} -> com");
    typed("fun x : com . { x || x }", "|- com{2} -> com");
    typed("fun f : com{3} -> com . fun x : com . f(x || x)", "|- (com{3} -> com){1} -> com{6} -> com");
    typed("f : com{3} -> com |- f", "f : (com{3} -> com){1} |- com{3} -> com");
    typed(
        "f : (com{3} -> com){2} -> com |- f",
        "f : ((com{3} -> com){2} -> com){1} |- (com{3} -> com){2} -> com",
    );
}

#[test]
fn arguments_of_arguments_are_guaranteed() {
    typed(
        "f : (com -> com){2} -> com |- f(fun c : com . { c || c })",
        "f : ((com{2} -> com){2} -> com){1} |- com",
    );
    // What the environment does with what it is given to it inside of its own argument is assumed.
    typed(
        "f : ((com{3} -> com) -> com) -> com, x : com |- f(fun g : com -> com . { g(x) || g(x) })",
        "f : (((com{3} -> com){2} -> com){1} -> com){1}, x : com{6} |- com",
    );
}

#[test]
fn definitions_count_for_each_use() {
    typed("x : com |- let y = { x || x } in y || y", "x : com{4} |- com");
    typed("x : com |- let y = { x || x } in let z = { y || y } in z || z", "x : com{8} |- com");
    typed("x : com |- let twice(c : com) = { c || c } in twice(twice(x))", "x : com{4} |- com");
    typed("x : com |- let never(c : com) = skip in never(x) || never(x)", "x : com{0} |- com");
    // By the rule of application, a definition counts beside what uses it.
    typed("concurrent x : com |- let y = x in y; x", "x : com{2} |- com");
    // A conditional gives what either branch may do.
    typed(
        "b : bool, f : com{2} -> com, g : com{3} -> com, x : com |- (if b then f else g)(x)",
        "b : bool{1}, f : (com{2} -> com){1}, g : (com{3} -> com){1}, x : com{3} |- com",
    );
    typed(
        "b : bool, f : com{2} -> com, g : com{3} -> com, x : com |- let h = if b then g else f in h(x)",
        "b : bool{1}, f : (com{2} -> com){1}, g : (com{3} -> com){1}, x : com{3} |- com",
    );
}

#[test]
fn what_is_left_out_counts_for_nothing() {
    typed("concurrent x : com |- abort(x || x)", "x : com{0} |- com");
}

#[test]
fn the_warm_up_of_the_paper_is_typed() {
    typed(
        "concurrent p : com -> int -> com |- new int x := 0 in p(x := x + 1; x := x - 1, x)",
        "p : (com{1} -> int{1} -> com){1} |- com",
    );
}

#[test]
fn the_stack_of_figure_4_is_typed() {
    let stack = "
        const n = 2;
        empty : com, overflow : com, VERIFY : (int -> com){1} -> com{1} -> int{1} -> com |-
        int buf[n], crt; sem s;
        let size : int = n in
        let isempty = crt = 0 in
        let isfull = crt = size in
        let push = fun x : int . if isfull then overflow
          else { grab(s); buf[crt] := x; crt := crt + 1; release(s) } in
        let top : int = { int tmp; if isempty then { empty; 0 }
          else { grab(s); tmp := buf[crt - 1]; release(s); tmp } } in
        let pop : com = if isempty then empty else { grab(s); crt := crt - 1; release(s) } in
        VERIFY push pop top";
    typed(
        stack,
        "empty : com{2}, overflow : com{1}, \
         VERIFY : ((int{1} -> com){1} -> com{1} -> int{1} -> com){1} |- com",
    );
}

#[test]
fn sequential_programs_are_typed_too() {
    typed("f : com -> com, x : com |- f(x; x); x", "f : (com{1} -> com){1}, x : com{1} |- com");
}

#[test]
fn what_the_paper_cannot_type_has_no_bounds() {
    let text = "(fun g : (com -> com) -> com . g(fun x : com . g(fun y : com . x)))\
                (fun f : com -> com . f(f skip))";
    let diagnostics = bounds(&judged(text)).expect_err("it has none");
    assert_eq!(diagnostics[0].code, Code::NoBounds);
    assert!(diagnostics[0].message.contains("ever more threads"), "{}", diagnostics[0].message);
}

#[test]
fn what_doubles_thirty_times_has_no_bounds() {
    let mut text = "x0 : com |- ".to_string();
    for n in 1..=30 {
        text += &format!("let x{n} = {{ x{0} || x{0} }} in ", n - 1);
    }
    text += "x30";
    let diagnostics = bounds(&judged(&text)).expect_err("it has none");
    assert_eq!(diagnostics[0].code, Code::NoBounds);
    assert!(diagnostics[0].message.contains("more than 65535"), "{}", diagnostics[0].message);
}

#[test]
fn a_written_bound_of_the_program_is_a_claim() {
    let one = refused("x : com{1} |- x || x", Code::BoundExceeded, "x : com{1} |- x || >x<");
    assert_eq!(one.message, "x is used in up to 2 threads at once, but the bound that is written is 1");
    refused(
        "f : com{3} -> com, x : com{5} |- f(x || x)",
        Code::BoundExceeded,
        "f : com{3} -> com, x : com{5} |- f(>x<",
    );
    refused(
        "f : (com{1} -> com) -> com |- f(fun c : com . { c || c })",
        Code::BoundExceeded,
        "f : (com{1} -> com) -> com |- f(fun c : com . { c || >c<",
    );
    // Inside of the program too, and each is reported once.
    refused("fun x : com{1} . { x || x }", Code::BoundExceeded, "fun x : com{1} . { x || >x<");
    refused(
        "x : com |- let f : com{1} -> com = fun c : com . { c || c } in f(x)",
        Code::BoundExceeded,
        "x : com |- let f : com{1} -> com = fun c : com . { c || >c<",
    );
    refused(
        "x : com |- let f(c : com{1}) : com = { c || c } in f(x)",
        Code::BoundExceeded,
        "x : com |- let f(c : com{1}) : com = { c || >c<",
    );
    refused(
        "f : com{2} -> com, x : com |- let g(h : com{1} -> com) = h(x) in g(f)",
        Code::BoundExceeded,
        "f : com{2} -> com, x : com |- let g(h : com{1} -> com) = h(x) in g(>f<",
    );
    // What is claimed may be more than what is needed, and what is needed is shown.
    typed("x : com{9} |- x || x", "x : com{2} |- com");
    typed("fun x : com{9} . { x || x }", "|- com{2} -> com");
}

#[test]
fn deep_and_long_programs_are_typed() {
    let mut deep = "x : com |- ".to_string() + &"{ skip; ".repeat(4_000);
    deep += &("x || x".to_string() + &" }".repeat(4_000));
    typed(&deep, "x : com{2} |- com");
    let long = format!("x : com |- {}", vec!["x"; 20_000].join(" || "));
    typed(&long, "x : com{20000} |- com");
    let mut lets = "concurrent x0 : com |- ".to_string();
    for n in 1..=3_000 {
        lets += &format!("let x{n} = {{ x{0}; x{0} }} in ", n - 1);
    }
    typed(&(lets + "x3000"), "x0 : com{1} |- com");
}

#[test]
fn bounds_in_words() {
    let text = "f : (com -> com){2} -> com, x : com |- f(fun c : com . x)";
    let bounds = bounds(&judged(text)).expect("it is typed");
    let words: Vec<_> = bounds.positions.iter().map(|position| (position.role, position.words())).collect();
    let expected = [
        (Role::Guarantee, "f is called in at most 1 thread at once"),
        (Role::Assume, "f uses its first argument in at most 2 threads at once"),
        (Role::Guarantee, "the first argument of f does not use its first argument"),
        (Role::Guarantee, "x is used in at most 2 threads at once"),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(role, words)| (role, words.to_string())).collect();
    assert_eq!(words, expected);
    assert_eq!([1, 10, 11, 12, 21, 22, 103].map(ordinal).join(" "), "first tenth 11th 12th 21st 22nd 103rd");
}

/// A random term of a type, out of procedures, threads and definitions.
struct Sampler {
    random: Random,
    /// The names in scope with their types.
    scope: Vec<(String, &'static str)>,
    names: usize,
}

impl Sampler {
    fn term(&mut self, ty: &'static str, size: usize) -> String {
        let fitting: Vec<_> =
            self.scope.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name.clone()).collect();
        if size == 0 && !fitting.is_empty() {
            return fitting[self.random.below(fitting.len())].clone();
        }
        let (part, rest) = (size / 2, size.saturating_sub(1));
        match (ty, self.random.below(6)) {
            ("com", _) if size == 0 => "skip".into(),
            ("com", 0) => format!("{{ {} || {} }}", self.term(ty, part), self.term(ty, part)),
            ("com", 1) => format!("{{ {}; {} }}", self.term(ty, part), self.term(ty, part)),
            ("com", 2 | 3) => {
                let wanted = ["com", "com -> com", "(com -> com) -> com"][self.random.below(3)];
                let function = match wanted {
                    "com" => self.term("com -> com", part),
                    "com -> com" => self.term("(com -> com) -> com", part),
                    _ => self.term("((com -> com) -> com) -> com", part),
                };
                format!("({function})({})", self.term(wanted, part))
            }
            (_, 4) => {
                let of = ["com", "com -> com", "(com -> com) -> com"][self.random.below(3)];
                let definition = self.term(of, part);
                let name = self.name();
                self.scope.push((name.clone(), of));
                let body = self.term(ty, part);
                self.scope.pop();
                format!("(let {name} = {definition} in {body})")
            }
            ("com", _) => format!("if b then {} else {}", self.term(ty, part), self.term(ty, part)),
            (_, 5) => format!("(if b then {} else {})", self.term(ty, part), self.term(ty, part)),
            _ => {
                let argument = match ty {
                    "com -> com" => "com",
                    "(com -> com) -> com" => "com -> com",
                    _ => "(com -> com) -> com",
                };
                let name = self.name();
                self.scope.push((name.clone(), argument));
                let body = self.term("com", rest);
                self.scope.pop();
                format!("(fun {name} : {argument} . {body})")
            }
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }
}

/// Unfolding definitions and procedures never takes more threads, so the normal form of a program with bounds has
/// bounds too, and none of them is greater.
#[test]
fn bounds_are_kept_by_reduction() {
    let (mut typed, mut untyped, mut less) = (0, 0, 0);
    for seed in 0..3_000 {
        let context = [
            ("b", "bool"),
            ("x", "com"),
            ("y", "com"),
            ("f", "com -> com"),
            ("h", "(com -> com) -> com"),
            ("k", "((com -> com) -> com) -> com"),
        ];
        let scope = context.iter().map(|(name, ty)| (name.to_string(), *ty)).collect();
        let mut sampler = Sampler { random: Random::new(seed), scope, names: 0 };
        let term = sampler.term("com", 2 + seed as usize % 40);
        let text = format!(
            "concurrent b : bool, x : com, y : com, f : com{{2}} -> com, h : (com -> com){{2}} -> com, \
             k : ((com{{3}} -> com) -> com) -> com |- {term}"
        );
        let judgement = judged(&text);
        let Ok(before) = bounds(&judgement) else {
            untyped += 1;
            continue;
        };
        let Some(normal) = normalize(&judgement, 100_000) else { continue };
        let after = bounds(&normal).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
        for (before, after) in before.positions.iter().zip(&after.positions) {
            assert_eq!((&before.identifier, &before.path), (&after.identifier, &after.path));
            assert!(after.bound <= before.bound, "{text}: {before:?} became {after:?}");
            less += usize::from(after.bound < before.bound);
        }
        typed += 1;
    }
    assert!(typed > 2_000 && less > 100, "{typed} with bounds, {untyped} without, {less} became less");
}
