//! Random libraries in C, each with a client that is compiled with it.
//!
//! A library has private data, data with external linkage, handles, functions that are handed over, stored and called, constants that
//! name functions, a union of a function and a number, and structures with all of these that it gives. The client makes random
//! moves, also while the library calls it, and keeps to what agon assumes: it gives handles back while their objects live, and
//! does not look into them.

use agon_base::random::Random;

/// A library that is being written, or is written.
pub struct Text {
    random: Random,
    /// The library.
    pub library: String,
    /// A client, with a `main` that takes the number of runs.
    pub client: String,
    /// Whether it does little that may fail.
    careful: bool,
    /// What the body that is written may mention.
    scope: Scope,
    indentation: usize,
}

/// What a body may mention.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// It has a parameter `p`, a number.
    number: bool,
    /// It has a parameter or variable `b`, a handle that is not null.
    handle: bool,
    /// It may call the environment, and what may call it.
    calls: bool,
}

/// The functions that the client calls, with the statement that does it.
const MOVES: [&str; 14] = [
    "got(make(number()));",
    "{ struct box *b = any(); if (b) bury(b); drop(b); }",
    "run0(number());",
    "run1(number());",
    "use(any(), number());",
    "seen(pair(number()));",
    "put((struct pair){ number(), function(), any() });",
    "set(function());",
    "hook = rnd(3) ? function() : 0;",
    "if (hook) hook(number());",
    "shared = number();",
    "kept = written = any();",
    "got(kept);",
    "table[rnd(2)].f(number());",
];

impl Text {
    /// The library of a seed.
    pub fn new(seed: u64) -> Text {
        let mut text = Text {
            random: Random::new(seed),
            library: String::new(),
            client: String::new(),
            careful: seed.is_multiple_of(2),
            scope: Scope::default(),
            indentation: 0,
        };
        text.write_library();
        text.write_client();
        text
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.library += &"    ".repeat(self.indentation);
        self.library += text.as_ref();
        self.library += "\n";
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.random.below(texts.len())]
    }

    fn write_library(&mut self) {
        let (constant, volatile) = (self.one_of(&["", "const "]), self.one_of(&["", "", "volatile "]));
        let first = self.one_of(&["int n; fn *f;", "fn *f; int n;"]);
        self.line("#include <assert.h>\n#include <stdlib.h>\ntypedef int fn(int);");
        self.line(format!("struct box {{ {first} {volatile}int v; struct box *next; {constant}int k; }};"));
        self.line(format!("struct pair {{ {constant}int n; fn *f; struct box *b; }};"));
        self.line("struct entry { fn *f; const int n; };");
        self.line("extern int ask(int p);\nextern void tell(void);\nextern void give(struct box *b);");
        self.line("extern fn *choose(void);");
        self.line("static int s0, s1, s2, boxes;\nstatic struct box *mine;\nstatic fn *own;");
        self.line("static union { fn *f; int n; } either;\nstatic int which;");
        let shared = self.one_of(&["", "", "volatile "]);
        self.line(format!("{shared}int shared;"));
        self.line(
            "fn *hook;\nstruct box *kept;\nextern const struct entry table[2];\nstatic fn inner0, inner1;",
        );
        for n in 0..2 {
            self.scope = Scope { number: true, calls: n == 0, ..Scope::default() };
            self.function(&format!("static int inner{n}(int p)"), "return (p + s0) & 3;");
        }
        let entry = self.one_of(&["inner1", "inner1", "inner0"]);
        self.line(format!("const struct entry table[2] = {{ {{ inner0, 1 }}, {{ {entry}, 2 }} }};"));
        self.line("struct box *make(int p)\n{");
        self.line("    if (boxes >= 2) return 0;\n    struct box *b = malloc(sizeof *b);");
        let value = self.one_of(&["p & 3", "s0", "1"]);
        let code = self.one_of(&["0", "inner1", "own"]);
        self.line(format!(
            "    struct box first = {{ .n = {value}, .f = {code}, .v = 1, .next = mine, .k = 2 }};"
        ));
        match constant {
            "" => self.line("    *b = first;"),
            _ => self.line("    b->n = first.n, b->f = first.f, b->v = first.v, b->next = first.next, *(int *)&b->k = 2;"),
        }
        self.line("    boxes++;");
        self.scope = Scope { number: true, handle: true, calls: !self.careful };
        self.indentation = 1;
        self.body(2);
        self.indentation = 0;
        self.line("    return b;\n}");
        self.scope = Scope { handle: true, calls: !self.careful, ..Scope::default() };
        let right = if self.careful { 2 } else { 4 };
        let forgets = self.one_of(&["if (mine == b) mine = 0;", "mine = 0;", "", ""][..right]);
        let unlinks = self.one_of(&["if (mine) mine->next = 0;", "mine = 0;", "", ""][..right]);
        let loses = self.one_of(&["if (kept == b) kept = 0;", "kept = 0;", "", ""][..right]);
        self.line("void drop(struct box *b)\n{\n    if (!b) return;");
        self.indentation = 1;
        self.body(1);
        self.line(format!("{forgets}\n    {unlinks}\n    {loses}"));
        self.line("free(b);\n    boxes--;");
        self.indentation = 0;
        self.line("}");
        for n in 0..2 {
            self.scope = Scope { number: true, calls: true, ..Scope::default() };
            self.function(&format!("int run{n}(int p)"), "return s1;");
        }
        self.scope = Scope { number: true, handle: true, calls: !self.careful };
        self.line("int use(struct box *b, int p)\n{");
        let guard =
            if !self.careful && self.random.one_in(12) { "    s2 = 0;" } else { "    if (!b) return 0;" };
        self.line(guard);
        self.indentation = 1;
        self.body(3);
        self.indentation = 0;
        self.line("    return b->n;\n}");
        self.scope = Scope { number: true, calls: true, ..Scope::default() };
        let code = self.one_of(&["own", "inner0", "0", "inner1"]);
        let handle = self.one_of(&["mine", "0", "mine"]);
        self.function(
            "struct pair pair(int p)",
            &format!("return (struct pair){{ p & 3, {code}, {handle} }};"),
        );
        let kept = self.one_of(&["own = x.f;", "own = x.f ? x.f : inner0;", ""]);
        let held = self.one_of(&["if (x.b) mine = x.b;", "", "kept = x.b;"]);
        self.line(format!("void put(struct pair x)\n{{\n    s2 = x.n & 3;\n    {kept}\n    {held}\n}}"));
        let set = self.one_of(&[
            "own = f;",
            "hook = f;",
            "either.f = f ? f : inner1, which = 1;",
            "if (f) own = f;",
        ]);
        self.line(format!("void set(fn *f)\n{{\n    {set}\n}}"));
    }

    fn function(&mut self, head: &str, end: &str) {
        self.line(format!("{head}\n{{"));
        self.indentation = 1;
        let count = 1 + self.random.below(3);
        self.body(count);
        self.line(end);
        self.indentation = 0;
        self.line("}");
    }

    fn body(&mut self, count: usize) {
        for _ in 0..count {
            self.statement(1);
        }
    }

    fn cell(&mut self) -> &'static str {
        match self.random.below(8) {
            0 => "shared",
            1 if self.scope.handle => "b->n",
            n => ["s0", "s1", "s2"][n % 3],
        }
    }

    /// A number without effects.
    fn number(&mut self) -> String {
        let cell = self.cell();
        match self.random.below(6) {
            0 => self.random.below(4).to_string(),
            1 | 2 if self.scope.number => "p".into(),
            3 => format!("({cell} + {})", 1 + self.random.below(2)),
            4 => format!("table[{}].n", self.random.below(2)),
            _ => cell.into(),
        }
    }

    fn condition(&mut self) -> String {
        let (cell, n) = (self.number(), self.random.below(4));
        match self.random.below(6) {
            0 => format!("{cell} == {n}"),
            1 => format!("({cell} & 3) > {n}"),
            2 => "mine".into(),
            3 => "which".into(),
            4 => "boxes > 1".into(),
            _ => format!("{cell} != {n}"),
        }
    }

    fn statement(&mut self, depth: usize) {
        let (number, n) = (self.number(), self.random.below(3));
        let text = match self.random.below(26) {
            0 | 1 => format!("s{n} = {number} & 3;"),
            2 => format!("shared = {number};"),
            3 | 4 if depth > 0 => {
                let condition = self.condition();
                self.line(format!("if ({condition}) {{"));
                self.indentation += 1;
                self.statement(depth - 1);
                self.statement(depth - 1);
                self.indentation -= 1;
                "}".into()
            }
            5 | 6 if self.scope.calls => format!("s{n} = ask({number}) & 3;"),
            7 if self.scope.calls => "tell();".into(),
            8 if self.scope.calls => match !self.careful && self.random.one_in(6) {
                true => format!("s{n} = hook({number}) & 3;"),
                false => format!("if (hook) s{n} = hook({number}) & 3;"),
            },
            9 if self.scope.calls => format!("if (own) s{n} = own({number}) & 3;"),
            10 if self.scope.calls => "own = choose();".into(),
            11 if self.scope.calls && self.scope.handle => "give(b);".into(),
            12 if self.scope.handle => {
                self.one_of(&["mine = b;", "kept = b;", "b->next = 0;", "mine = b->next;"]).into()
            }
            13 if self.scope.handle => format!("b->v = {number} & 3;"),
            14 if self.scope.handle && self.scope.calls => format!("if (b->f) s{n} = b->f({number}) & 3;"),
            15 if self.scope.handle => {
                self.one_of(&["b->f = own;", "b->f = hook;", "b->f = 0;", "own = b->f;"]).into()
            }
            16 => format!("if (mine) s{n} = mine->n & 3;"),
            17 => format!("if (mine) mine->n = {number} & 3;"),
            18 => format!("if (kept) s{n} = kept->v & 3;"),
            19 => "{ struct box *c = kept; if (c) c->v = c->k; }".into(),
            20 => format!("either.n = {number}, which = 0;"),
            21 => {
                self.one_of(&["either.f = inner0, which = 1;", "if (own) either.f = own, which = 1;"]).into()
            }
            22 if self.scope.calls => format!("if (which) s{n} = either.f({number}) & 3;"),
            23 => format!("if (!which) s{n} = either.n & 3;"),
            24 => self.one_of(&["hook = inner1;", "hook = own;", "hook = 0;", "own = table[1].f;"]).into(),
            _ => match self.random.below(6) {
                0 if !self.careful => format!("assert(s{n} != {});", self.random.below(4)),
                1 => "assert(boxes >= 0 && boxes <= 2);".into(),
                2 => "{ int old = s0; s0 = old ? 1 : 2; assert(s0 > 0); }".into(),
                3 => format!("assert(s{n} >= 0 && s{n} < 4);"),
                _ => format!("s{n} = (s{n} + 1) & 3;"),
            },
        };
        self.line(text);
    }

    fn write_client(&mut self) {
        let moves: String =
            MOVES.iter().enumerate().map(|(n, text)| format!("    case {n}: {text} break;\n")).collect();
        let declared: String =
            self.library.lines().filter(|line| line.starts_with("struct pair {")).collect();
        let shared = if self.library.contains("\nvolatile int shared;") { "volatile " } else { "" };
        self.client = CLIENT
            .replace("PAIR", &declared)
            .replace("VOLATILE", shared)
            .replace("COUNT", &MOVES.len().to_string())
            .replace("MOVES", &moves);
    }
}

/// A client. Each run is a process of its own; the number of the first run that fails is printed.
const CLIENT: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
typedef int fn(int);
struct box;
PAIR
struct entry { fn *f; const int n; };
extern VOLATILEint shared;
extern fn *hook;
extern struct box *kept;
extern const struct entry table[2];
extern struct box *make(int p);
extern void drop(struct box *b);
extern int run0(int p), run1(int p), use(struct box *b, int p);
extern struct pair pair(int p);
extern void put(struct pair x);
extern void set(fn *f);
static unsigned state;
static int depth, budget;
static struct box *alive[32], *dead[32], *written;
static int lives, deaths;
static fn *known[32];
static int functions;
static unsigned rnd(unsigned n)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % n;
}
static int number(void) { return rnd(8) ? (int)rnd(4) : (int)rnd(3) * 1000 - 1000; }
static int is_in(struct box **list, int count, struct box *b)
{
    for (int n = 0; n < count; n++)
        if (list[n] == b) return n + 1;
    return 0;
}
static void got(struct box *b)
{
    if (b && !is_in(dead, deaths, b) && !is_in(alive, lives, b) && lives < 32) alive[lives++] = b;
}
static void bury(struct box *b)
{
    int n = is_in(alive, lives, b);
    if (n) alive[n - 1] = alive[--lives];
    if (deaths < 32) dead[deaths++] = b;
    if (kept == b && written == b) kept = 0;
}
static struct box *any(void) { return lives && rnd(6) ? alive[rnd(lives)] : 0; }
static void learn(fn *f)
{
    if (f && functions < 32) known[functions++] = f;
}
static void seen(struct pair x)
{
    got(x.b);
    learn(x.f);
}
static void act(void);
static int client0(int p) { act(); return p; }
static int client1(int p) { return p - 1; }
static fn *function(void) { return rnd(8) ? known[rnd(functions)] : 0; }
static void move(void)
{
    if (deaths == 32) exit(0);
    learn(hook);
    switch (rnd(COUNT)) {
MOVES    }
}
static void act(void)
{
    if (depth >= 4) return;
    depth++;
    while (budget > 0 && rnd(3)) {
        budget--;
        move();
    }
    depth--;
}
int ask(int p) { learn(hook); act(); return rnd(2) ? p : number(); }
void tell(void) { act(); }
void give(struct box *b) { got(b); act(); }
fn *choose(void) { act(); return function(); }
int main(int count, char **words)
{
    int runs = count > 1 ? atoi(words[1]) : 1;
    for (int run = 0; run < runs; run++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(5);
            state = (unsigned)run * 7919u + 1u;
            budget = 12;
            known[functions++] = client0, known[functions++] = client1, known[functions++] = run0;
            known[functions++] = table[0].f, known[functions++] = table[1].f;
            while (budget > 0) { budget--; move(); }
            exit(0);
        }
        if (waitpid(child, &status, 0) != child) return 3;
        if (status != 0) {
            printf("run %d\n", run);
            return 1;
        }
    }
    return 0;
}
"#;
