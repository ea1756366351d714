//! What C files do, by the interpreter of the core.

mod common;

use agon_base::diagnostic::Code;
use agon_base::int::Int;
use agon_c::options::{Checks, Options};
use agon_c::types::DataModel;
use agon_core::checks::Kind;
use agon_core::module::eval::{Exit, Library};

use common::{Answers, call, failure, procedure, reading, reading_with, refused, result};

#[test]
fn integers_are_converted_as_in_c() {
    for (expression, value) in [
        ("-1 < 1u", 0),
        ("(unsigned char)300", 44),
        ("(signed char)200", -56),
        ("(_Bool)256", 1),
        ("-1 / 2", 0),
        ("7 / -2", -3),
        ("7 % -2", 1),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7u / 2", 3),
        ("(short)40000", -25536),
        ("~0u == 4294967295u", 1),
        ("-1 >> 1", -1),
        ("(int)(4294967295u >> 31)", 1),
        ("sizeof(long) + sizeof(char)", 9),
        ("'a' + '\\n'", 107),
        ("2147483647 + 1 < 0", 1),
        ("(1 << 31) < 0", 1),
        ("0x80000000 > 0", 1),
        ("-2147483648 < 0", 1),
        ("3 & 5 | 8 ^ 1", 9),
        ("1 ? 2 : 3", 2),
        ("(1, 2)", 2),
        ("!5 + !0", 1),
        ("sizeof \"abc\"", 4),
    ] {
        let constant = format!("long f(void) {{ return {expression}; }}");
        assert_eq!(result(&constant, &[]), value, "{expression}");
        // The same with operands that are not known before.
        let (names, values) = (["m", "n", "u"], ["-1", "7", "1u"]);
        let known = expression.split_whitespace().collect::<Vec<_>>();
        let unknown: Vec<&str> = known
            .iter()
            .map(|word| values.iter().position(|value| value == word).map_or(*word, |at| names[at]))
            .collect();
        let text = format!(
            "static int m = -1, n = 7; static unsigned u = 1; long f(void) {{ return {}; }}",
            unknown.join(" ")
        );
        assert_eq!(result(&text, &[]), value, "{text}");
    }
}

#[test]
fn operations_wrap_and_are_done_in_the_type_of_their_operands() {
    assert_eq!(result("int f(int a) { return a + 1; }", &[i64::from(i32::MAX)]), i64::from(i32::MIN));
    assert_eq!(result("unsigned f(unsigned a) { return a - 1; }", &[0]), i64::from(u32::MAX));
    assert_eq!(result("int f(unsigned char a) { a += 200; return a; }", &[100]), 44);
    assert_eq!(result("int f(unsigned char a, unsigned char b) { return a - b; }", &[1, 2]), -1);
    assert_eq!(result("int f(int a, unsigned b) { return a < b; }", &[-1, 1]), 0);
    assert_eq!(result("long f(int a, int b) { return (long)a * b; }", &[1 << 20, 1 << 20]), 1 << 40);
    assert_eq!(result("int f(signed char a) { return a >> 1; }", &[-3]), -2);
    assert_eq!(result("int f(int a) { a <<= 3; a |= 1; a ^= 2; a %= 7; return a; }", &[5]), 43 % 7);
    let ilp = Options { data_model: DataModel::Ilp32, ..Options::default() };
    let module = reading_with("long f(long a) { return a + 1; }", &ilp).module;
    assert_eq!(call(&module, "f", &[i64::from(i32::MAX)]), Ok(Some(i64::from(i32::MIN))));
}

#[test]
fn what_is_undefined_fails() {
    assert_eq!(failure("int f(int a, int b) { return a / b; }", &[1, 0]), Some(Kind::Division));
    assert_eq!(failure("int f(int a, int b) { return a % b; }", &[1, 0]), Some(Kind::Division));
    let least = i64::from(i32::MIN);
    assert_eq!(failure("int f(int a, int b) { return a / b; }", &[least, -1]), Some(Kind::Overflow));
    assert_eq!(failure("int f(int a, int b) { return a % b; }", &[least, -1]), Some(Kind::Overflow));
    assert_eq!(failure("int f(int a, int b) { return a << b; }", &[1, 32]), Some(Kind::Shift));
    assert_eq!(failure("int f(int a, int b) { return a >> b; }", &[1, -1]), Some(Kind::Shift));
    assert_eq!(failure("static int a[4]; int f(int i) { return a[i]; }", &[4]), Some(Kind::Index));
    assert_eq!(failure("static int a[4]; int f(int i) { a[i] = 1; return 0; }", &[-1]), Some(Kind::Index));
    assert_eq!(failure("static int a[2][2]; int f(int i) { return a[0][i]; }", &[2]), Some(Kind::Index));
    assert_eq!(failure("static void (*g)(void); int f(void) { g(); return 0; }", &[]), Some(Kind::Null));
    assert_eq!(failure("int f(int a) { if (a) return 1; }", &[0]), Some(Kind::Uninitialised));
    assert_eq!(failure("static int a[4]; int f(int i) { a[i]; return 0; }", &[4]), Some(Kind::Index));
}

#[test]
fn overflow_is_checked_on_demand() {
    let checks = Checks { overflow: true, ..Checks::default() };
    let options = Options { checks, ..Options::default() };
    let module = reading_with(
        "int f(int a, int b) { return a * b - 1; } unsigned g(unsigned a) { return a - 1; }",
        &options,
    )
    .module;
    assert_eq!(call(&module, "f", &[3, 4]), Ok(Some(11)));
    let wrong = call(&module, "f", &[1 << 20, 1 << 20]);
    assert!(matches!(&wrong, Err(Exit::Fails(failure)) if failure.check.kind == Kind::Overflow), "{wrong:?}");
    assert_eq!(call(&module, "g", &[0]), Ok(Some(i64::from(u32::MAX))));
    let checks = Checks { unsigned_overflow: true, ..Checks::default() };
    let module =
        reading_with("unsigned f(unsigned a) { return a - 1; }", &Options { checks, ..Options::default() })
            .module;
    assert!(matches!(call(&module, "f", &[0]), Err(Exit::Fails(_))));
}

#[test]
fn statements_go_where_they_go_in_c() {
    let loops = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 2) continue; if (i == 5) break; s += i; } return s; }";
    assert_eq!(result(loops, &[10]), 1 + 3 + 4);
    assert_eq!(result("int f(int n) { int s = 0; do s += n; while (--n > 0); return s; }", &[3]), 6);
    assert_eq!(
        result("int f(int n) { int s = 0; while (n) { s = s * 10 + n % 10; n /= 10; } return s; }", &[123]),
        321
    );
    let switch = "int f(int n) { int s = 0; switch (n) { case 1: s += 1; case 2: s += 2; break; default: s = 9; break; case 4 ... 6: s = 4; } return s; }";
    for (n, value) in [(1, 3), (2, 2), (3, 9), (5, 4), (7, 9)] {
        assert_eq!(result(switch, &[n]), value, "{n}");
    }
    let inside = "int f(int n) { int s = 0; switch (n) while (n > 0) { case 3: s += n; n--; } return s; }";
    assert_eq!(result(inside, &[3]), 6);
    assert_eq!(
        result("int f(int n) { again: if (n > 10) goto done; n += 3; goto again; done: return n; }", &[0]),
        12
    );
    assert_eq!(result("int f(int n) { int i = 0, j = 5; for (; i < n; i++, j--) ; return j; }", &[2]), 3);
    assert_eq!(result("int f(int n) { int x = 1; { int x = 2; n += x; } return n + x; }", &[0]), 3);
    let recursive = "static int odd(int n); static int even(int n) { return n == 0 ? 1 : odd(n - 1); } static int odd(int n) { return n == 0 ? 0 : even(n - 1); } int f(int n) { return even(n); }";
    assert_eq!(result(recursive, &[7]), 0);
}

#[test]
fn expressions_stop_where_they_stop_in_c() {
    let guarded = "static int a[4]; int f(int i) { return i >= 0 && i < 4 && !a[i]; }";
    assert_eq!(result(guarded, &[9]), 0);
    assert_eq!(result(guarded, &[3]), 1);
    assert_eq!(
        result(
            "static int n; static int g(void) { n++; return 0; } int f(int i) { i || g(); i && g(); return n; }",
            &[0]
        ),
        1
    );
    assert_eq!(
        result("int f(int i) { int a = i++; int b = ++i; int c = i--; return a * 100 + b * 10 + c; }", &[1]),
        133
    );
    assert_eq!(result("int f(int i) { int a, b; a = b = i + 1; return a + b; }", &[1]), 4);
    assert_eq!(
        result(
            "static int n, q[3]; int f(void) { q[n++] = 7; q[n++] = 8; return q[0] * 10 + q[1] + n * 100; }",
            &[]
        ),
        278
    );
}

#[test]
fn structures_and_arrays_are_values() {
    let text = "struct point { int x; struct { int a[2]; short z; } in; };
        static struct point p[2] = {{1, {{2, 3}, 4}}, [1].in.z = 9, [1].x = 8};
        static int sum(struct point q) { q.x += 100; return q.x + q.in.a[0] + q.in.a[1] + q.in.z; }
        int f(int i) { struct point local = p[i]; p[1 - i] = local; local.in.a[1] = 50; return sum(local) * 1000 + p[1 - i].in.a[1]; }";
    assert_eq!(result(text, &[0]), (101 + 2 + 50 + 4) * 1000 + 3);
    assert_eq!(result(text, &[1]), (108 + 9 + 50) * 1000);
    let rows = "static int m[2][3] = {{1, 2, 3}, {4}}; int f(int i, int j) { return m[i][j]; }";
    assert_eq!(result(rows, &[0, 2]), 3);
    assert_eq!(result(rows, &[1, 0]), 4);
    assert_eq!(result(rows, &[1, 2]), 0);
    assert_eq!(
        result(
            "static int m[] = {1, [4] = 5, 6}; int f(void) { return sizeof m / sizeof m[0] * 10 + m[5]; }",
            &[]
        ),
        66
    );
    assert_eq!(result("static char s[] = \"ab\"; int f(int i) { return s[i] + sizeof s; }", &[1]), 98 + 3);
    assert_eq!(result("int f(int i) { int a[3] = {1, 2}; return a[i]; }", &[2]), 0);
    let chosen = "struct s { int a, b; }; int f(int i) { struct s x = {1, 2}, y = {3, 4}, z; z = i ? x : y; return z.a * 10 + z.b; }";
    assert_eq!(result(chosen, &[0]), 34);
}

#[test]
fn names_enumerations_and_static_locals() {
    assert_eq!(result("enum e { A, B = 5, C }; int f(enum e x) { return x == C; }", &[6]), 1);
    assert_eq!(result("enum e { A, B }; int f(void) { return (enum e)-1 < 0; }", &[]), 0);
    assert_eq!(result("typedef unsigned char byte; int f(void) { byte b = 255; b++; return b; }", &[]), 0);
    let module = reading("int f(void) { static unsigned char n = 254; return ++n; }").module;
    let mut library = Library::new(&module, 1_000);
    let id = procedure(&module, "f");
    for wanted in [255i64, 0, 1] {
        let value = library.call(&mut Answers(vec![]), id, &[]);
        assert_eq!(value, Ok(Some(Int::from(wanted))));
    }
    assert_eq!(&*module.cells().next().expect("it has a cell").1.name, "f.n");
}

#[test]
fn functions_are_values() {
    let text = "typedef int (*fn)(int); static int twice(int x) { return 2 * x; } static int same(int x) { return x; }
        static fn table[2] = {twice, &same}; int f(int i, int x) { fn g = table[i]; int a = g(x), b = (*table[i])(x); return a + b + (g == same); }";
    assert_eq!(result(text, &[0, 5]), 20);
    assert_eq!(result(text, &[1, 5]), 11);
}

#[test]
fn the_library_is_known() {
    let exit = |text: &str, arguments: &[i64]| call(&reading(text).module, "f", arguments);
    let text = "void abort(void); int f(int bad) { if (bad) abort(); return 1; }";
    assert_eq!(exit(text, &[1]), Err(Exit::Exits(Int::from(134i64))));
    let fails = Options { fails: vec!["abort".into()], ..Options::default() };
    let failing = call(&reading_with(text, &fails).module, "f", &[1]);
    assert!(matches!(failing, Err(Exit::Fails(_))), "{failing:?}");
    assert_eq!(
        exit("void exit(int); int f(int n) { exit(n); return 1; }", &[3]),
        Err(Exit::Exits(Int::from(3i64)))
    );
    let said = "int printf(const char *, ...); int f(int n) { printf(\"%d\\n\", n); return n; }";
    assert_eq!(result(said, &[3]), 3);
    assert_eq!(reading(said).module.imports().count(), 0);
    let memory = "void *memset(void *, int, unsigned long); static int a[2]; static struct { short x; _Bool b; } s; int f(int n) { a[0] = n; memset(a, 0, sizeof a); memset(&s, 1, sizeof s); return a[0] * 1000 + s.x + s.b; }";
    assert_eq!(result(memory, &[5]), 258);
    assert_eq!(
        result(
            "int toupper(int); int isdigit(int); int abs(int); int f(int c) { return toupper(c) * 100 + isdigit(c) * 10 + abs(-c); }",
            &[97]
        ),
        6597
    );
    assert_eq!(refused("void *malloc(unsigned long); void f(void) { malloc(4); }"), [Code::LibraryFunction]);
    let asserted = "void __agon_assert(int); int f(int n) { __agon_assert(!!(n > 2 && n < 5)); return n; }";
    assert_eq!(failure(asserted, &[5]), Some(Kind::Assertion));
    assert_eq!(result(asserted, &[4]), 4);
}

#[test]
fn mutexes_are_locked_and_unlocked() {
    let text = "typedef struct { int kind; } pthread_mutex_t; int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
        int pthread_mutex_trylock(pthread_mutex_t *); static pthread_mutex_t m = {0}, many[2];
        int f(int n) { pthread_mutex_lock(&m); if (n == 1) pthread_mutex_lock(&m); int busy = pthread_mutex_trylock(&m); if (n == 2) pthread_mutex_unlock(&many[1]); pthread_mutex_unlock(&m); return busy; }";
    assert_eq!(result(text, &[0]), 16);
    assert_eq!(failure(text, &[1]), Some(Kind::Lock));
    assert_eq!(failure(text, &[2]), Some(Kind::Unlock));
}

#[test]
fn several_files_are_linked() {
    use agon_c::read::{Unit, read};
    let unit = |name: &str, text: &str| Unit { name: name.into(), text: text.into() };
    let a = unit("a.c", "int twice(int); static int n = 1; int f(int x) { return twice(x) + n; }");
    let b = unit("b.c", "static int n = 2; int twice(int x) { return n * x; }");
    let reading = read(&[a, b], &|_| None, &Options::default()).expect("it is a module");
    assert_eq!(call(&reading.module, "f", &[5]), Ok(Some(11)));
    assert_eq!(reading.module.imports().count(), 0);
    assert_eq!(
        reading
            .document
            .source
            .place(reading.module.procedure(procedure(&reading.module, "twice")).span.start)
            .0,
        "b.c"
    );
    let c = unit("c.c", "long twice(int x) { return x; }");
    let a = unit("a.c", "int twice(int); int f(int x) { return twice(x); }");
    let wrong = read(&[a, c], &|_| None, &Options::default()).expect_err("the types differ").1;
    assert_eq!(wrong[0].code, Code::CLinkage);
}

#[test]
fn undefined_and_open_orders_are_noticed() {
    for (body, wanted) in [
        ("i = i++;", vec![Code::Unsequenced]),
        ("a[i] = i++;", vec![Code::Unsequenced]),
        ("i = i + 1; a[i] = i; i++; a[i++] = 3; j = i++ + j; a[0] = a[1] + a[i]; i += i;", vec![]),
        ("i = (i++, 3);", vec![]),
        ("j = (i = 1, i + 1); i = 1, j = i;", vec![]),
        ("j = i++ && i;", vec![]),
        ("f(i++, i);", vec![Code::Unsequenced]),
        ("i = ask();", vec![]),
        ("int l = 1; i = l + ask();", vec![]),
        ("a[0] = ask();", vec![]),
    ] {
        let text = format!(
            "extern int ask(void); static int i, j, a[4]; static void f(int x, int y) {{ i = x + y; }} void g(void) {{ f(0, 0); {body} }}"
        );
        assert_eq!(refused(&text), wanted, "{body}");
    }
}

/// All results of `f` in a file, one for each list of choices, in order.
fn results(text: &str, options: &Options) -> Vec<i64> {
    let module = reading_with(text, options).module;
    let mut found: Vec<i64> = (0..64i64)
        .map(|n| {
            let answers = [n % 24, n / 2 % 2].to_vec();
            let mut library = Library::new(&module, 100_000);
            match library.call(&mut Chooses(answers), procedure(&module, "f"), &[]) {
                Ok(Some(value)) => value.to_i64().expect("it is small"),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// An environment that calls `set(5)` whenever it is asked, and chooses by a list.
struct Chooses(Vec<i64>);

impl agon_core::module::eval::Client for Chooses {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: agon_core::module::Function,
        _: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let module = library.module();
        if let agon_core::module::Function::Import(id) = function
            && let Some((_, most)) = &module.import(id).returns
        {
            let chosen = if self.0.is_empty() { 0 } else { self.0.remove(0) };
            return Ok(Some(Int::from(chosen).min(most.clone())));
        }
        let set = procedure(module, "set");
        library.call(self, set, &[Int::from(5i64)])?;
        Ok(Some(Int::from(100i64)))
    }
}

#[test]
fn every_order_that_c_allows_is_tried() {
    use agon_c::options::Evaluation;
    let file = |body: &str| {
        format!(
            "extern int ask(void); static int x = 1, a[8]; void set(int n) {{ x = n; }} static int tell(int n) {{ x = x * 10 + n; return n; }} int f(void) {{ {body} }}"
        )
    };
    for (body, wanted) in [
        ("return x + ask();", &[101, 105][..]),
        ("return ask() + x;", &[101, 105]),
        ("x += ask(); return x;", &[101, 105]),
        ("a[x] = ask(); return a[1] + a[5] * 2;", &[100, 200]),
        ("int y = x; y += ask(); return y;", &[101]),
        ("tell(1) + tell(2); return x;", &[112, 121]),
        ("return tell(1) + x + tell(2) * 0;", &[2, 12, 13, 113, 122]),
        ("return ask() && x;", &[1]),
        ("return (ask(), x);", &[5]),
        ("return x++ + ask() + 0 * x;", &[0][..0]),
        ("int y = x++ + ask(); return y * 10 + x;", &[1015, 1056]),
        ("int l[2] = {x, ask()}; return l[0] + l[1];", &[101, 105]),
        ("struct { int a, b; } s = {tell(1), tell(2)}; return x * 100 + s.a * 10 + s.b;", &[11212, 12112]),
        ("x += (ask(), 0); return x;", &[1, 5]),
        ("return x + (tell(2), tell(3));", &[4, 15, 126]),
        ("int y; y = x + (y = 3, tell(y)); return y * 1000 + x;", &[4013, 16013]),
        ("int n = 1; return x + (n ? ask() : 0);", &[101, 105]),
        ("int n = 1; return x + (n && ask());", &[2, 6]),
        ("return tell(1) + (x = 3, 0) + x * 0;", &[0][..0]),
        ("int y = tell(1) + (x = 3, 0); return x * 10 + y;", &[31, 311]),
        ("return tell(tell(3)) * 1000 + x;", &[3001, 3013, 3133]),
    ] {
        let text = file(body);
        if wanted.is_empty() {
            assert_eq!(refused(&text), [Code::Unsequenced], "{body}");
            continue;
        }
        assert_eq!(results(&text, &Options::default()), wanted, "{body}");
    }
    let left = Options { evaluation: Evaluation::Left, ..Options::default() };
    assert_eq!(results(&file("return x + ask();"), &left), [101]);
    let calls = Options { evaluation: Evaluation::CallsFirst, ..Options::default() };
    assert_eq!(results(&file("return x + ask();"), &calls), [105]);
    assert_eq!(results(&file("return tell(1) + x + tell(2) * 0;"), &calls), [113]);
}

#[test]
fn what_was_never_written_is_not_read() {
    let fails = |text: &str, n: i64| failure(text, &[n]) == Some(Kind::Uninitialised);
    let text = "int f(int n) { int x; if (n) x = 1; return x; }";
    assert!(fails(text, 0));
    assert_eq!(result(text, &[1]), 1);
    assert!(fails("int f(int n) { int a[3]; a[n] = 1; return a[1]; }", 0));
    assert_eq!(result("int f(int n) { int a[3]; a[n] = 1; return a[1]; }", &[1]), 1);
    let again = "int f(int n) { int s = 0; for (int i = 0; i < 2; i++) { int x; if (i == n) x = 5; if (i >= n) s += x; } return s; }";
    assert!(fails(again, 0), "a variable is new in each turn");
    assert_eq!(result(again, &[1]), 5);
    let past = "int f(int n) { if (n) goto in; int x = 3; in: return x; }";
    assert!(fails(past, 1));
    assert_eq!(result(past, &[0]), 3);
    let copied =
        "struct s { int a, b; }; int f(int n) { struct s x, y; x.a = 1; y = x; return n ? y.b : y.a; }";
    assert!(fails(copied, 1));
    assert_eq!(result(copied, &[0]), 1);
    assert!(fails("int f(int n) { int x; return n && x; }", 1));
    assert_eq!(result("int f(int n) { int x; return n && x; }", &[0]), 0);
    // A bit is there only where it is needed.
    let sure =
        reading("int f(int n) { int x; switch (n) { case 1: x = 1; break; default: x = 2; } return x; }")
            .module;
    let bits = sure.procedures().next().expect("it is there").1.locals.iter();
    let is_bit = |local: &&agon_core::module::Local| {
        local.sort == agon_core::module::Sort::Data(agon_core::types::Data::Bool)
    };
    assert_eq!(bits.filter(is_bit).count(), 0);
}

/// An environment that answers by a list, and has no calls to make.
fn played(
    module: &agon_core::module::Module,
    calls: &[(&str, &[i64])],
    answers: &[i64],
) -> Vec<Result<Option<i64>, Exit>> {
    let mut library = Library::new(module, 100_000);
    let mut client = Answers(answers.to_vec());
    let mut results = Vec::new();
    for (name, arguments) in calls {
        let arguments: Vec<Int> = arguments.iter().map(|n| Int::from(*n)).collect();
        let value = library.call(&mut client, procedure(module, name), &arguments);
        results.push(value.map(|value| value.and_then(|value| value.to_i64())));
    }
    results
}

#[test]
fn the_environment_may_change_what_it_can_name() {
    let text = "int count = 3; static int mine; extern void tick(void); int get(void) { return count + count; }
        void put(int n) { count = n; mine = count; }
        int both(int n) { put(n); int a = count; tick(); return a * 10 + count; } int own(void) { return mine; }";
    let module = reading(text).module;
    let outcomes = played(
        &module,
        &[("get", &[]), ("get", &[]), ("both", &[4]), ("own", &[]), ("get", &[])],
        &[7, 9, 8, 6],
    );
    let values: Vec<i64> =
        outcomes.into_iter().map(|value| value.expect("it returns").expect("a value")).collect();
    assert_eq!(values, [14, 18, 48, 4, 12]);
    let all = Options { private_data: agon_c::options::PrivateData::All, ..Options::default() };
    let module = reading_with(text, &all).module;
    let outcomes = played(&module, &[("get", &[]), ("both", &[4]), ("get", &[])], &[]);
    let values: Vec<i64> =
        outcomes.into_iter().map(|value| value.expect("it returns").expect("a value")).collect();
    assert_eq!(values, [6, 44, 8]);
    let array = "int a[3]; int f(int i) { a[1] = 5; return a[i] * 10 + a[i]; }";
    let module = reading(array).module;
    let outcomes = played(&module, &[("f", &[1]), ("f", &[2]), ("f", &[3])], &[7]);
    assert_eq!(outcomes[..2], [Ok(Some(55)), Ok(Some(77))]);
    assert!(matches!(&outcomes[2], Err(Exit::Fails(failure)) if failure.check.kind == Kind::Index));
    let constant =
        reading("const int limit = 3; extern const int most; int f(void) { return limit * 100 + most; }")
            .module;
    let outcomes = played(&constant, &[("f", &[]), ("f", &[])], &[7, 8]);
    assert_eq!(outcomes, [Ok(Some(307)), Ok(Some(307))]);
}

/// An import that calls nothing has control all the same, and may change what it can name.
#[test]
fn a_leaf_may_change_what_it_can_name() {
    let text = "int count; extern int leaf(void); int f(void) { return count + leaf(); }
        int g(void) { int a = count; int b = leaf(); return a * 10 + b + count * 100; }";
    for evaluation in [agon_c::options::Evaluation::Left, agon_c::options::Evaluation::CallsFirst] {
        let options = Options { evaluation, leaf: vec!["leaf".into()], ..Options::default() };
        let module = reading_with(text, &options).module;
        // What it reads and what it calls are answered in the order in which it does so.
        let outcomes = played(&module, &[("f", &[]), ("g", &[])], &[3, 4, 5, 6, 7]);
        assert_eq!(outcomes, [Ok(Some(7)), Ok(Some(5 * 10 + 6 + 7 * 100))], "{evaluation:?}");
    }
}

#[test]
fn versions_tell_what_the_environment_sees() {
    let compared = Options { compared: true, ..Options::default() };
    let reading = |text: &str| reading_with(text, &compared);
    let data = |text: &str| -> Vec<String> {
        reading(text).module.all_data().map(|(_, data)| data.name.to_string()).collect()
    };
    assert_eq!(data("int count; void f(void) { count = 1; }"), ["count"]);
    let gives = "struct p { int x; }; struct p f(int n) { struct p q = {n}; return q; }";
    assert_eq!(data(gives), ["f gives.x"]);
    assert!(data("static int count; int f(void) { return ++count; }").is_empty());
    let text = "int puts(const char *); void f(void) { puts(\"a\"); }";
    let module = reading(text).module;
    assert!(module.imports().any(|(_, import)| *import.name == *"puts(\"a\")"));
    let memory = "int puts(const char *); static char line[2]; void f(void) { puts(line); }";
    assert_eq!(reading(memory).document.unseen, ["what `puts` writes from memory"]);
    assert!(reading(text).document.unseen.is_empty());
}

#[test]
fn functions_in_shared_data_have_escaped() {
    let text = "static int n; static void bump(void) { n++; } void (*hook)(void) = bump;";
    let module = reading(text).module;
    assert!(module.procedure(procedure(&module, "bump")).exported);
    let later = "static void bump(void) { } void (*hook)(void); void arm(void) { hook = bump; }";
    let module = reading(later).module;
    assert!(!module.procedure(procedure(&module, "bump")).exported);
    let mut library = Library::new(&module, 1_000);
    library.call(&mut Answers(vec![]), procedure(&module, "arm"), &[]).expect("it returns");
    assert_eq!(library.escaped().len(), 1);
}

#[test]
fn what_imports_may_do_is_said() {
    use agon_core::module::Calls;
    let options = Options {
        leaf: vec!["quiet".into()],
        returns: vec![("ask".into(), Int::ZERO, Int::ONE)],
        may_call: vec![("ask".into(), vec!["f".into()])],
        ..Options::default()
    };
    let text = "extern void quiet(void); extern int ask(void); extern _Noreturn void stop(int); extern int rand(void);
        int f(void) { quiet(); return ask(); } int g(void) { int r = rand(); if (r) stop(r); return r; }";
    let reading = reading_with(text, &options);
    let import = |name: &str| {
        reading.module.imports().find(|(_, import)| *import.name == *name).expect("it is there").1.clone()
    };
    assert_eq!(import("quiet").calls, Calls::Nothing);
    assert_eq!(import("ask").calls, Calls::Only(vec![procedure(&reading.module, "f")]));
    assert_eq!(import("ask").returns, Some((Int::ZERO, Int::ONE)));
    assert!(import("stop").ends);
    assert_eq!(import("rand").returns, Some((Int::ZERO, Int::from(0x7fff_ffffi64))));
    let wrong = Options { leaf: vec!["f".into()], entry: vec!["h".into()], ..Options::default() };
    assert_eq!(common::refused_with(text, &wrong), [Code::NoSuchFunction, Code::NoSuchFunction]);
}

#[test]
fn compound_literals_are_values() {
    let text = "struct p { int x, y[2]; }; static struct p kept; static int sum(struct p q) { return q.x * 100 + q.y[0] * 10 + q.y[1]; }
        int f(int n) { kept = (struct p){.y = {n, n + 1}}; int s = 0; for (int i = 0; i < 2; i++) s += sum((struct p){i}); return s + sum(kept) + (int){n}; }";
    assert_eq!(result(text, &[3]), 100 + 34 + 3);
    assert_eq!(
        result(
            "int f(int n) { int *p = (int[]){1, n}; p[0] += 4; return p[0] * 10 + (int[]){7, n}[1]; }",
            &[3]
        ),
        53
    );
    assert_eq!(
        refused(
            "struct p { int a[2]; }; static struct p g(void) { struct p q = {{0}}; return q; } int f(void) { int *p = g().a; return *p; }"
        ),
        [Code::NotInC]
    );
}

#[test]
fn functions_give_structures() {
    let text = "struct p { int x; short y[2]; }; extern void tick(void);
        static struct p make(int n) { struct p q = {n, {n + 1, n + 2}}; tick(); return q; }
        static struct p swap(struct p q) { short t = q.y[0]; q.y[0] = q.y[1]; q.y[1] = t; return q; }
        struct p twice(int n) { return make(2 * n); }
        int f(int n) { struct p a = swap(make(n)), b; b = n ? twice(n) : a; make(7); return a.y[0] * 100 + b.x; }";
    assert_eq!(result(text, &[3]), 506);
    assert_eq!(result(text, &[0]), 200);
    let module = reading(text).module;
    let given = module.cells().filter(|(_, cell)| cell.name.contains("gives")).count();
    assert_eq!(given, 9, "three functions give three numbers each");
    assert_eq!(
        refused(
            "struct p { int x; }; extern struct p ask(void); int f(void) { struct p q = ask(); return q.x; }"
        ),
        [Code::NotInC]
    );
    use agon_c::read::{Unit, read};
    let unit = |name: &str, text: &str| Unit { name: name.into(), text: text.into() };
    let a = unit(
        "a.c",
        "struct p { int x, y; }; struct p make(int); int f(int n) { struct p q = make(n); return q.x * 10 + q.y; }",
    );
    let b = unit("b.c", "struct p { int x, y; }; struct p make(int n) { struct p q = {n, 2}; return q; }");
    let linked = read(&[a, b], &|_| None, &Options::default()).expect("it is a module").module;
    assert_eq!(call(&linked, "f", &[4]), Ok(Some(42)));
}

#[test]
fn a_value_that_is_not_given_is_missed_where_it_is_used() {
    let silent = "static int g(int a) { if (a) return 1; }";
    assert_eq!(result(&format!("{silent} int f(int a) {{ g(a); return 7; }}"), &[0]), 7);
    assert_eq!(result(&format!("{silent} int f(int a) {{ return g(a); }}"), &[1]), 1);
    assert_eq!(
        failure(&format!("{silent} int f(int a) {{ return g(a); }}"), &[0]),
        Some(Kind::Uninitialised)
    );
    assert_eq!(
        failure(&format!("{silent} int f(int a) {{ int b = g(a); return 7; }}"), &[0]),
        Some(Kind::Uninitialised)
    );
    // What was not used is forgotten: the next call gives a value of its own.
    let nested = format!(
        "{silent} static int h(int a) {{ g(a); return 5; }} int f(int a) {{ g(a); return h(a) + g(1); }}"
    );
    assert_eq!(result(&nested, &[0]), 6);
    let recursive = "static int g(int a) { if (a > 2) return a; if (a > 0) return g(a + 1); g(1); } int f(int a) { return g(a); }";
    assert_eq!(result(recursive, &[1]), 3);
    assert_eq!(failure(recursive, &[0]), Some(Kind::Uninitialised));
}

#[test]
fn mutexes_are_of_three_kinds() {
    let text = "typedef struct { int kind; } pthread_mutex_t; int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
        int pthread_mutex_trylock(pthread_mutex_t *); static pthread_mutex_t again = {1}, checked = {2};
        int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += pthread_mutex_lock(&again); for (int i = 0; i < n; i++) pthread_mutex_unlock(&again);
            if (n == 4) pthread_mutex_unlock(&again);
            s = s * 100 + pthread_mutex_unlock(&checked); pthread_mutex_lock(&checked); s = s * 100 + pthread_mutex_lock(&checked); return s * 100 + pthread_mutex_unlock(&checked); }";
    assert_eq!(result(text, &[3]), 13500);
    assert_eq!(failure(text, &[4]), Some(Kind::Unlock));
    let module = reading(text).module;
    assert_eq!(call(&module, "f", &[9]), Err(Exit::Diverges));
    let threads = Options { threads: 2, ..Options::default() };
    assert_eq!(common::refused_with(text, &threads), [], "threads share all three kinds");
    let module = reading(text).module;
    assert_eq!(
        module.bounds().map(|(_, words)| words).collect::<Vec<_>>(),
        ["8 locks of a recursive mutex at once"]
    );
}

#[test]
fn pointers_to_characters_count_bytes() {
    let text = "static int a[9]; static struct s { char c; char d; } s = {1, 2};
        int f(int n) { char *p = (char *)(a + n), *q = (char *)a; int *back = (int *)(q + 4 * n); return (p - q) * 100 + (back - a) * 10 + (q < p); }
        int g(int n) { char *p = (char *)&a[0]; p = p + n; return p != 0; }";
    assert_eq!(result(text, &[3]), 1231);
    let module = reading(text).module;
    assert!(matches!(call(&module, "g", &[8]), Ok(Some(1))));
    // A pointer between two elements has no number.
    assert!(!matches!(call(&module, "g", &[5]), Ok(Some(_))));
    let text =
        "static struct s { char c, d; } s = {5, 6}; int f(int n) { char *p = (char *)&s; return p[n]; }";
    assert_eq!(result(text, &[0]), 5);
    // The bytes behind the first member are a bound of the model.
    assert!(!matches!(call(&reading(text).module, "f", &[1]), Ok(Some(_))));
}

#[test]
fn what_is_constant_is_not_written() {
    for text in [
        "static char *p = \"ab\"; int f(int n) { p[n] = 1; return 0; }",
        "static const int k = 1; int f(int n) { int *p = (int *)&k; *p = n; return k; }",
        "typedef const int fixed; static fixed k[2]; int f(int n) { int *p = (int *)k; p[1] = n; return 0; }",
    ] {
        assert_eq!(failure(text, &[0]), Some(Kind::Constant), "{text}");
    }
    assert_eq!(
        result("static char p[] = \"ab\"; int f(int n) { p[1] = (char)n; return p[1] + p[0]; }", &[3]),
        100
    );
}

#[test]
fn attributes_that_change_types_are_followed_or_refused() {
    let size = |declaration: &str, ty: &str| {
        result(&format!("{declaration} int f(int n) {{ return sizeof({ty}); }}"), &[0])
    };
    assert_eq!(size("struct s { char c; int i; } __attribute__((packed));", "struct s"), 5);
    assert_eq!(size("struct s { char c; } __attribute__((aligned(8)));", "struct s"), 8);
    assert_eq!(size("typedef unsigned word __attribute__((__mode__(__HI__)));", "word"), 2);
    assert_eq!(size("typedef int same __attribute__((aligned(4)));", "same"), 4);
    for declaration in [
        "typedef int t __attribute__((vector_size(16)));",
        "typedef char t __attribute__((aligned(8)));",
        "typedef struct { char c; int i __attribute__((packed)); } t;",
    ] {
        let text = format!("{declaration} int f(void) {{ return sizeof(t); }}");
        assert_eq!(refused(&text), [Code::NotInC], "{declaration}");
    }
    assert_eq!(
        refused("int f(void) { return 1; } int g(void) __attribute__((alias(\"f\")));"),
        [Code::NotInC]
    );
    assert_eq!(
        refused("int f(void) { return 1; } int g(void) __asm__(\"f\"); int h(void) { return g(); }"),
        [Code::NotInC]
    );
}
