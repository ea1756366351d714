//! A C file of five thousand lines is read as a whole.

use std::fmt::Write as _;

use agon_c::options::Options;
use agon_c::read::{Unit, read};

/// A file with so many functions of two dozen lines, arrays and imports.
fn large(functions: usize, arrays: usize, imports: usize) -> String {
    let mut text = String::new();
    for n in 0..imports {
        let _ = writeln!(text, "extern int ask{n}(int a, unsigned char b);");
    }
    for n in 0..arrays {
        let _ = writeln!(text, "static int data{n}[{}];", 4 + n % 13);
    }
    for n in 0..functions {
        let storage = if n % 4 == 0 { "" } else { "static " };
        let (array, import) = (n % arrays, n % imports);
        let length = 4 + array % 13;
        let before = n.saturating_sub(1);
        let nested = if n == 0 { "0".into() } else { format!("work{before}(n / 2, c + 1)") };
        let _ = write!(
            text,
            "{storage}int work{n}(int n, unsigned char c)
{{
    static int calls;
    int sum = 0;
    if (n < 0 || n > 1000)
        return -1;
    for (int i = 0; i < {length}; i++) {{
        if (data{array}[i] == c)
            continue;
        data{array}[i] += n * i + c;
        sum ^= data{array}[i] >> (i & 7);
    }}
    switch (n % 5) {{
    case 0:
        sum += ask{import}(n, c);
        break;
    case 1:
        sum -= 3;
    case 2:
        data{array}[(unsigned)n % {length}] = sum;
        break;
    default:
        sum = sum ? {nested} : c;
    }}
    calls = calls < 100 ? calls + 1 : 0;
    return sum;
}}
"
        );
    }
    text
}

#[test]
fn five_thousand_lines_are_read() {
    let text = large(200, 50, 20);
    assert!(text.lines().count() > 5_000, "{}", text.lines().count());
    let unit = Unit { name: "large.c".into(), text };
    let reading = read(&[unit], &|_| None, &Options::default()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(reading.module.validate(), Ok(()));
    let procedures = reading.module.procedures();
    assert_eq!(procedures.filter(|(_, procedure)| procedure.exported).count(), 50);
    assert_eq!(reading.module.imports().count(), 20);
    // Arrays, and a counter in each function.
    assert_eq!(reading.module.cells().count(), 50 + 200);
}
