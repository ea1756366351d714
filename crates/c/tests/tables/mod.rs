//! Every operator with every pair of integer types at their limits: small functions, and what gcc's give.

use std::fmt::Write as _;
use std::process::Command;

use crate::gcc::{Folder, compile};
use crate::random::types::{TYPES, Type, literal};

/// The bodies of functions of two parameters `a` and `b`; the result is 64 bits wide.
pub const BODIES: [(&str, &str); 39] = [
    ("add", "return a + b;"),
    ("subtract", "return a - b;"),
    ("multiply", "return a * b;"),
    ("divide", "return a / b;"),
    ("remainder", "return a % b;"),
    ("shift-left", "return a << b;"),
    ("shift-right", "return a >> b;"),
    ("and", "return a & b;"),
    ("or", "return a | b;"),
    ("exclusive-or", "return a ^ b;"),
    ("equal", "return a == b;"),
    ("unequal", "return a != b;"),
    ("less", "return a < b;"),
    ("greater", "return a > b;"),
    ("at-most", "return a <= b;"),
    ("at-least", "return a >= b;"),
    ("both", "return a && b;"),
    ("either", "return a || b;"),
    ("choice", "return a ? a : b;"),
    ("comma", "return (a, b);"),
    ("assign", "a = b; return a;"),
    ("assign-value", "return a = b;"),
    ("assign-add", "a += b; return a;"),
    ("assign-subtract", "a -= b; return a;"),
    ("assign-multiply", "a *= b; return a;"),
    ("assign-divide", "a /= b; return a;"),
    ("assign-remainder", "a %= b; return a;"),
    ("assign-shift-left", "a <<= b; return a;"),
    ("assign-shift-right", "return a >>= b;"),
    ("assign-and", "return a &= b;"),
    ("assign-or", "a |= b; return a;"),
    ("assign-exclusive-or", "return a ^= b;"),
    ("minus", "a = -b; return a + 0 * -b;"),
    ("plus", "return +a - +b;"),
    ("complement", "return ~a ^ ~b;"),
    ("not", "return !a + !b;"),
    ("count-up", "a++; return ++b + a;"),
    ("count-down", "--a; return b-- + a;"),
    (
        "switch",
        "switch (a) { case 0: return 1; case -1: return 2; case 255: return 3; case 127: return b; } return a;",
    ),
];

/// The bodies whose result gcc computes in a narrower type, where it misses overflow, and the operations that overflow there.
pub const NARROWED: [(&str, &str); 4] = [
    ("assign-add", "return a + b;"),
    ("assign-subtract", "return a - b;"),
    ("assign-multiply", "return a * b;"),
    ("minus", "return -b;"),
];

/// How the functions are compiled: whether overflow fails, and the flags. The last one has values only where C gives some.
pub const BUILDS: [(bool, &[&str]); 3] = [
    (false, &["-O0", "-fwrapv", "-fsanitize=shift-exponent,integer-divide-by-zero", TRAP]),
    (false, &["-O2", "-fwrapv", "-fsanitize=shift-exponent,integer-divide-by-zero", TRAP]),
    (true, &["-O0", "-fsanitize=shift-exponent,integer-divide-by-zero,signed-integer-overflow", TRAP]),
];

/// A failure is a signal, after which the next value is computed.
const TRAP: &str = "-fsanitize-undefined-trap-on-error";

/// All pairs of types.
pub fn pairs() -> Vec<(Type, Type)> {
    TYPES.into_iter().flat_map(|a| TYPES.into_iter().map(move |b| (a, b))).collect()
}

/// A file with a function for every pair of types: `f0`, `f1`, ….
pub fn functions(body: &str) -> String {
    let mut text = String::new();
    for (n, (a, b)) in pairs().into_iter().enumerate() {
        let _ = writeln!(text, "unsigned long long f{n}({} a, {} b) {{ {body} }}", a.name, b.name);
    }
    text
}

/// The same of constants, as far as they have values: `c0`, `c1`, … give them one by one. Nothing if the body is no constant
/// expression.
pub fn constants(name: &str, body: &str, values: &[Vec<Option<u64>>]) -> Option<String> {
    let changes = ["assign", "comma", "minus", "count", "switch"].iter().any(|start| name.starts_with(start));
    let expression = body.strip_prefix("return ")?.strip_suffix(';').filter(|_| !changes)?;
    let mut text = String::new();
    for (n, ((a, b), row)) in pairs().into_iter().zip(values).enumerate() {
        let all = a.limits().into_iter().flat_map(|x| b.limits().into_iter().map(move |y| (x, y)));
        let constant = |((x, y), value): ((i128, i128), &Option<u64>)| {
            value.map(|_| {
                let operand = |ty: Type, value| format!("(({}){})", ty.name, literal(value));
                // Marks first: the names of types have letters, too.
                let marked = expression.replace('a', "\u{1}").replace('b', "\u{2}");
                marked.replace('\u{1}', &operand(a, x)).replace('\u{2}', &operand(b, y))
            })
        };
        let row: Vec<String> = all.zip(row).filter_map(constant).collect();
        let _ = writeln!(text, "static unsigned long long v{n}[] = {{ {} }};", row.join(", "));
        let _ = writeln!(text, "unsigned long long c{n}(int i) {{ return v{n}[i]; }}");
    }
    Some(text)
}

/// What gcc's functions give for all pairs of limits; nothing where they fail.
pub fn run(text: &str, flags: &[&str]) -> Vec<Vec<Option<u64>>> {
    let folder = Folder::new();
    folder.write("functions.c", text);
    let mut driver = String::from(
        "#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include \"functions.c\"\n\
         static sigjmp_buf back;\nstatic void on(int s) { (void)s; siglongjmp(back, 1); }\n",
    );
    for (n, ty) in TYPES.into_iter().enumerate() {
        let values: Vec<String> = ty.limits().into_iter().map(literal).collect();
        let _ = writeln!(driver, "static const {} l{n}[] = {{ {} }};", ty.name, values.join(", "));
    }
    driver += "#define TABLE(n, x, y) for (volatile unsigned i = 0; i < sizeof x / sizeof *x; i++) for (volatile unsigned j = 0; j < sizeof y / sizeof *y; j++) { \
               if (sigsetjmp(back, 1)) printf(\"! \"); else printf(\"%llu \", n(x[i], y[j])); } puts(\"\");\n\
               int main(void) {\n signal(SIGILL, on); signal(SIGFPE, on);\n";
    for n in 0..pairs().len() {
        let _ = writeln!(driver, " TABLE(f{n}, l{}, l{})", n / TYPES.len(), n % TYPES.len());
    }
    driver += " return 0;\n}\n";
    folder.write("driver.c", &driver);
    let flags = [&["-w"], flags].concat();
    compile(&folder, "driver.c", "driver", &flags).unwrap_or_else(|why| panic!("{why}"));
    let output = Command::new(folder.path().join("driver")).output().expect("the program can be run");
    assert!(output.status.success(), "{output:?}");
    let line = |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect();
    String::from_utf8_lossy(&output.stdout).lines().map(line).collect()
}
