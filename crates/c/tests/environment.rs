//! Environments in C, as they are written.

mod common;

use agon_core::language::ModuleLanguage;
use agon_core::module::play::Play;
use agon_witness::library::environment;

use common::reading;

/// The environment of a play, without the first line.
fn written(text: &str, play: &str) -> String {
    let reading = reading(text);
    let play = Play::parse(&reading.module, play).expect("it is a play");
    let environment = environment(&reading.module, &reading.document, &play);
    let text = reading.document.close_module(&reading.module, &environment).text;
    text.split_once('\n').expect("it has lines").1.to_string()
}

#[test]
fn an_environment_counts_its_steps() {
    let text = "extern int now(void); static int tokens = 2; int take(void) { now(); return --tokens; } void refill(long k) { tokens = k; }";
    let wanted = "extern _Noreturn void exit(int);
extern int take(void);
extern void refill(long agon_0);
static long long agon_env(void);
int now(void) { return (int)agon_env(); }

static int agon_step;
static long long agon_env(void)
{
    for (;;)
        switch (agon_step++) {
        case 0: take(); break;
        case 1: refill((-9223372036854775807LL - 1)); break;
        case 2: return -1;
        default: exit(0);
        }
}

int main(void)
{
    agon_env();
    return 0;
}
";
    assert_eq!(written(text, "take() · now() · refill(-9223372036854775808) · ret · ret -1 · fail"), wanted);
}

#[test]
fn shared_data_is_written_before_the_control_is_given_away() {
    let text = "int count, a[3]; extern int limit; extern const int most; extern void tick(int n);
        int get(int i) { tick(count); return count + a[i] + limit + most; }";
    let play = "get(2) · count() · ret 5 · tick(5) · ret · count() · ret 6 · a(2) · ret 7 · limit() · ret 8 · most() · ret 9 · ret 30";
    let environment = written(text, play);
    for line in [
        "const int most = 9;",
        "int limit;",
        "extern int count;",
        "extern int a[3];",
        "        case 0: count = 5; get(2); break;",
        "        case 1: limit = 8; a[2] = 7; count = 6; return 0;",
    ] {
        assert!(environment.lines().any(|found| found == line), "{line}\n{environment}");
    }
}

#[test]
fn private_functions_are_called_by_the_pointers_that_were_handed_over() {
    let text = "extern void arm(void (*tick)(int), int n); static int on; static void tick(int g) { on = g; } void start(void) { arm(tick, 1); }";
    let environment = written(text, "start() · arm(tick, 1) · ret · ret · tick(3)");
    let line = "        case 2: ((void (*)(int agon_0))(agon_count > 0 ? agon_got[0] : (exit(0), agon_got[0])))(3); break;";
    assert!(environment.lines().any(|found| found == line), "{environment}");
    let handed = "void arm(void (*agon_0)(int agon_0), int agon_1) { agon_take((void (*)(void))agon_0); (void)agon_1; agon_env(); }";
    assert!(environment.lines().any(|found| found == handed), "{environment}");
    assert!(!written(text, "start() · arm(tick, 1) · ret").contains("agon_take"), "nobody needs it");
}

#[test]
fn structures_and_functions_are_values() {
    let text = "struct p { int x; unsigned char y[2]; }; typedef int (*fn)(struct p); static fn kept;
        extern fn choose(void); int set(fn f, struct p q) { kept = f; fn g = choose(); if (g) return g(q); return q.x; } int other(struct p q) { return q.x; }";
    let environment = written(text, "set(@1, 1, 2, 3) · choose() · ret other · ret 1");
    for line in [
        "struct p { int x; unsigned char y[2]; };",
        "extern int set(int (*agon_0)(struct p agon_0), struct p agon_1);",
        "        case 0: set(own1, (struct p){1, {2, 3}}); break;",
        "        case 1: agon_function = (void (*)(void))other; return 0;",
        "int (*choose(void))(struct p agon_0) { agon_env(); return (int (*)(struct p agon_0))agon_function; }",
    ] {
        assert!(environment.lines().any(|found| found == line), "{line}\n{environment}");
    }
}
