//! What is said about modules that are none: one mistake, one message; and what bodies do.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_core::module::eval::{Outcome, Played, play};
use agon_core::module::play::Play;

use crate::parse::parse;
use crate::read::{read, read_module};

/// Everything that is said about a text.
fn told(text: &str) -> Vec<Diagnostic> {
    match read_module(text, &[]).expect("it is a module") {
        Ok(reading) => reading.warnings,
        Err(diagnostics) => diagnostics,
    }
}

/// The module has one mistake, of this kind, with this in its message or its advice.
#[track_caller]
fn one(items: &str, code: Code, part: &str) {
    let diagnostics = told(&format!("module {items}"));
    assert_eq!(diagnostics.len(), 1, "{items}: {diagnostics:#?}");
    let Diagnostic { message, help, .. } = &diagnostics[0];
    assert_eq!(diagnostics[0].code, code, "{items}: {message}");
    let said = format!("{message}; {}", help.as_deref().unwrap_or(""));
    assert!(said.contains(part), "{items}: {said}");
}

/// The play that the environment's moves lead to; they are the first, the third and so on of the play.
#[track_caller]
fn plays(items: &str, expected: &str) {
    let text = format!("module {items}");
    let module = match read_module(&text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("{text}: {other:#?}"),
    };
    let expected = Play::parse(&module, expected).expect("it is a play");
    let Played { play, outcome, .. } = play(&module, expected.of_environment().cloned(), 100_000);
    assert_eq!(play.show(&module), expected.show(&module), "{items}");
    assert!(!matches!(outcome, Outcome::Illegal(_)), "{outcome:?}");
}

#[test]
fn names_that_are_unknown_or_declared_twice() {
    one("export f() = g();", Code::UnknownName, "nothing here is called `g`");
    one("int total; export f() = totl := 1;", Code::UnknownName, "there is `total`");
    one("int x; import x() : com; export f() = skip;", Code::DuplicateName, "two items that are called `x`");
    one("export f(a : int, a : bool) = skip;", Code::DuplicateName, "two parameters");
    one("export f() = goto out;", Code::UnknownLabel, "`break out . …`");
    one("let f() = skip;", Code::NotAProgram, "exports nothing");
}

#[test]
fn calls() {
    one("import f(int) : com; export g() = f();", Code::ArgumentCount, "takes one argument, but is given 0");
    one("export g(a : int) = if a > 0 then g(a, 1);", Code::ArgumentCount, "is given 2");
    one("fn() : com k; export g() = k(1);", Code::ArgumentCount, "takes no arguments");
    one("import f() : com; export g() = f;", Code::Mismatch, "a call has parentheses: `f(…)`");
    one("int x; export g() = x(1);", Code::NotAFunction, "takes no arguments");
    one("import f() : int; export g() = f();", Code::Mismatch, "a value alone is not a command");
    one("import f() : com; int x; export g() = x := f();", Code::Mismatch, "a command gives no value");
    one("export g() = let d(c : com) = c in d;", Code::ArgumentCount, "`d` takes one argument");
    one("mutex m; export g() = lock(m, m);", Code::ArgumentCount, "`lock` takes one argument");
}

#[test]
fn types() {
    one("export f() : bool = skip;", Code::Mismatch, "a command gives no value");
    one("export f() = 1;", Code::Mismatch, "a value alone");
    one("int a[3]; export f() : int = a;", Code::Mismatch, "say which element");
    one("int x; export f() : int = x[0];", Code::NotAnArray, "only arrays");
    one("mutex m; export f() : int = m;", Code::Mismatch, "`lock(m)`");
    one("int x; export f() = lock(x);", Code::Mismatch, "the name of a mutex");
    one("int x; export f() = grab(x);", Code::Mismatch, "the name of a semaphore");
    one("export f() = 1 := 2;", Code::NotAVariable, "only variables");
    one("fn() : com k; export f(n : int) = k := f;", Code::Mismatch, "of type `fn() : com`");
    one("fn() : com k; export f() : bool = k;", Code::Mismatch, "`bool`");
    one("fn() : com k; export f() = if k then skip;", Code::Mismatch, "compare the name of a function");
    one("fn() : com k; export f() : bool = k = 1;", Code::Branches, "do not go together");
    one("int x; export f() = x := null;", Code::Mismatch, "of type `null`");
    one("int x; export f() = let set(v : var int) = v := 1 in set(x + 1);", Code::Mismatch, "a variable");
    one("int a[3] := [1, 2]; export f() = skip;", Code::Mismatch, "3 elements, but 2 values");
    one("import f() : int; int x := f(); export g() = skip;", Code::NotConstant, "constant");
    one("int y; int x := y; export g() = skip;", Code::NotConstant, "constant");
}

#[test]
fn what_modules_do_not_have() {
    one("int x; export f() = { x := 1 || x := 2 };", Code::NotInModules, "`module{2}`");
    one("export f() = par i := 1..2 do skip;", Code::NotInModules, "threads of its own");
    one("export f() = (fun x : int . skip)(1);", Code::NotInModules, "procedures without a name");
    one("export f() = { sem s; grab(s) };", Code::NotInModules, "an item of the module");
    one("export f() = let d(g : com -> com) = g(skip) in skip;", Code::NotInModules, "by name");
    let concurrent = told("concurrent module export f() = skip;");
    assert_eq!(concurrent[0].code, Code::NotInModules);
    let sequential = told("sequential module{2} export f() = skip;");
    assert_eq!(sequential[0].code, Code::SequentialConflict);
}

#[test]
fn recursion_is_for_procedures() {
    one("export f() = let d = d in d;", Code::Recursion, "`let d(…) = …;` as an item");
    assert_eq!(told("module let d(n : int) : int = d(n); export f() : int = d(1);"), []);
    let term = read("let d = d in d", &[]).expect_err("a definition is not recursive");
    assert!(term[0].notes[0].contains("`module`"), "{term:?}");
    // A definition that nobody uses has its mistakes, too.
    one("export f() = let d(n : int) = n + m in skip;", Code::UnknownName, "`m`");
}

#[test]
fn definitions_that_multiply_are_told_once() {
    let chain = |first: &str, twice: &str| {
        let mut lets = format!("let d0 = {first} in ");
        for n in 1..40 {
            lets += &format!("let d{n} = {} in ", twice.replace('?', &format!("d{}", n - 1)));
        }
        lets
    };
    let large = |body: String| {
        one(&format!("int x; int a[2]; export f() = {body};"), Code::BodyTooLarge, "262144 statements");
    };
    large(chain("x := 1", "{ ?; ? }") + "d39");
    large(chain("skip", "{ ?; ? }") + "d39");
    large(chain("x", "? + ?") + "x := d39");
    large(chain("x", "if x > 0 then ? else ?") + "d39 := 1");
    large(chain("x", "a[? + ?]") + "d39 := 1");
    // What nobody uses is unfolded once.
    large(chain("x", "? + ?") + "skip");
    let set = "let set(v : var int) = v := 1 in ";
    large(chain("x", "if x > 0 then ? else ?") + set + "set(d39)");
}

#[test]
fn words_of_modules_are_names_elsewhere() {
    for text in [
        "module : com |- module",
        "module(com) : com |- module(skip)",
        "const module = 3; new int x := module in x := module + 1",
        "import : com, export : com, mutex : com, fn : com -> com, null : int |- import; fn(export); mutex",
        "lock : com -> com |- lock(skip)",
    ] {
        assert!(read(text, &[]).is_ok(), "{text}");
    }
    plays("export export() : int = 1; export import() : int = export() + 1;", "import() · ret 2");
    plays("let fn(n : int) : int = n + 1; export mutex(null : int) : int = fn(null);", "mutex(3) · ret 4");
    plays("let lock(n : int) : int = n; export f() : int = lock(7);", "f() · ret 7");
}

#[test]
fn operands_are_evaluated_from_the_left() {
    let items = "import f() : int; int x; export set(n : int) = x := n; int a[2];";
    plays(&format!("{items} export g() : int = x + f();"), "g() · f() · set(5) · ret · ret 1 · ret 1");
    plays(&format!("{items} export g() : int = f() + x;"), "g() · f() · set(5) · ret · ret 1 · ret 6");
    plays(
        &format!("{items} export g() : int = x * 2 + x * f() + x;"),
        "g() · f() · set(5) · ret · ret 1 · ret 5",
    );
    plays(
        &format!("{items} import h(int, int, int) : com; export g() = h(x, f(), x);"),
        "g() · f() · set(5) · ret · ret 1 · h(0, 1, 5) · ret · ret",
    );
    // The value comes before the index.
    plays(
        &format!("{items} export g() : int = {{ a[f()] := x; a[1] }};"),
        "g() · f() · set(5) · ret · ret 1 · ret 0",
    );
    plays(
        &format!("{items} export g() : int = {{ a[x] := f(); a[1] }};"),
        "g() · f() · set(1) · ret · ret 7 · ret 7",
    );
    // What fails first fails before the call.
    plays(&format!("{items} export g() : int = 1 / x + f();"), "g() · fail");
    plays(&format!("{items} export g() : int = f() + 1 / x;"), "g() · f() · ret 1 · fail");
    plays(&format!("{items} export g() : int = a[2] + f();"), "g() · fail");
}

#[test]
fn logic_stops_early() {
    let items = "import f() : bool; int x;";
    plays(&format!("{items} export g() : bool = x = 1 and f();"), "g() · ret false");
    plays(&format!("{items} export g() : bool = x = 0 and f();"), "g() · f() · ret true · ret true");
    plays(&format!("{items} export g() : bool = x = 1 and 1 / x = 1;"), "g() · ret false");
    plays(&format!("{items} export g() : bool = x = 1 & 1 / x = 1;"), "g() · fail");
    plays(
        &format!("{items} export g() : int = if not (f() or f()) then 1 else 2;"),
        "g() · f() · ret false · f() · ret false · ret 1",
    );
}

#[test]
fn values_wrap_where_they_are_passed_and_stored() {
    plays("u8 x; export f(n : int) : int = { x := n; x + 1 };", "f(300) · ret 45");
    plays("import f(u8) : u8; export g() : int = f(300) + 1;", "g() · f(44) · ret 255 · ret 256");
    plays("let p(n : u8) : int = n; export g() : int%4 = p(259);", "g() · ret 3");
    plays(
        "int x := 7; export g() : int = let low(v : var int%4) = v := v + 6 in { low(x); x };",
        "g() · ret 1",
    );
}

#[test]
fn definitions_are_by_name_and_procedures_by_value() {
    let items = "import f() : int;";
    plays(
        &format!("{items} export g() : int = let twice(e : int) = e + e in twice(f());"),
        "g() · f() · ret 1 · f() · ret 2 · ret 3",
    );
    plays(
        &format!("{items} let twice(e : int) : int = e + e; export g() : int = twice(f());"),
        "g() · f() · ret 1 · ret 2",
    );
    plays(
        "int x; export g() : int = { let times(c : com) = { c; c } in times(times(x := x + 1)); x };",
        "g() · ret 4",
    );
    plays(
        "int x, y; export g(b : bool) : int = { (if b then x else y) := 5; 10 * x + y };",
        "g(true) · ret 50 · g(false) · ret 55",
    );
    plays(
        "int x; export g() : int = { break out . { let jump(c : com) = c in while true do { x := x + 1; jump(goto out) } }; x };",
        "g() · ret 1",
    );
    plays(
        "export g() : int = { int s, i; while i < 3 do { int a[2] := i; s := s + a[1]; a[1] := 9; i := i + 1 }; s };",
        "g() · ret 3",
    );
}

#[test]
fn functions_have_names() {
    let items = "import take(fn(int) : int) : com; let one(n : int) : int = n + 1; fn(int) : int k;";
    plays(&format!("{items} export g() : int = k(1);"), "g() · fail");
    plays(
        &format!("{items} export set(f : fn(int) : int) = k := f; export g() : int = k(1);"),
        "set(@1) · ret · g() · @1(1) · ret 5 · ret 5 · set(null) · ret · g() · fail",
    );
    plays(
        &format!("{items} export g() : bool = {{ take(one); one = k }};"),
        "g() · take(one) · one(4) · ret 5 · ret · ret false · one(0) · ret 1",
    );
    plays(
        &format!(
            "{items} export get() : fn(int) : int = one; export same(f : fn(int) : int) : bool = f = one;"
        ),
        "get() · ret one · same(one) · ret true · one(1) · ret 2",
    );
}

#[test]
fn locks_of_one_thread() {
    plays("mutex m; import f() : com; export g() = { lock(m); f(); unlock(m) };", "g() · f() · g() · fail");
    plays("mutex m; export g() = unlock(m);", "g() · fail");
    plays("mutex m; export g() : bool = { lock(m); trylock(m) };", "g() · ret false");
    plays(
        "mutex m; export g() : bool = trylock(m); export h() = unlock(m);",
        "g() · ret true · h() · ret · h() · fail",
    );
    plays("sem s; export g() = grab(s); export h() = release(s);", "g() · ret · h() · ret · g() · ret");
}

#[test]
fn long_and_deep_modules_do_not_overflow_the_stack() {
    let sum = " + 1".repeat(30_000);
    plays(&format!("export f() : int = 0{sum};"), "f() · ret 30000");
    let all = " and x = 0".repeat(30_000);
    plays(&format!("int x; export f() : bool = x = 0{all};"), "f() · ret true");
    let steps = "x := x + 1; ".repeat(10_000);
    plays(&format!("int x; export f() : int = {{ {steps} x }};"), "f() · ret 10000");
    let (open, close) = ("{ if x = 0 then ".repeat(5_000), " else skip }".repeat(5_000));
    plays(&format!("int x; export f() = {open}x := 1{close};"), "f() · ret");
    plays(
        "int x; let down(n : int) : int = if n = 0 then 0 else 1 + down(n - 1); export f() : int = down(600);",
        "f() · ret 600",
    );
    let (open, close) = ("fn(".repeat(900), ") : com".repeat(900));
    plays(&format!("{open}{close} k; export f() : bool = k = null;"), "f() · ret true");
    let (open, close) = ("fn(".repeat(5_000), ") : com".repeat(5_000));
    let told = told(&format!("module {open}{close} k; export f() = skip;"));
    assert!(told.iter().any(|told| told.code == Code::TooDeep), "{told:?}");
}

#[test]
fn no_prefix_of_a_module_makes_the_reader_panic() {
    for seed in 0..6 {
        let text = crate::sample::module(seed, 8);
        for end in 0..=text.len() {
            let (program, _) = parse(&text[..end]);
            crate::print::print(&program);
            _ = read(&text[..end], &[]);
        }
    }
}
