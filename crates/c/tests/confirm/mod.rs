//! Environments in C that play what a claim says, so that gcc confirms it.

use std::fmt::Write as _;
use std::process::Command;

use crate::claims::File;
use crate::gcc::{Folder, compile};

/// How a program ended: normally, or in a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Normally,
    Failed,
}

/// A program that holds the module and an environment with these moves.
pub fn environment(file: &File, play: &str) -> String {
    let mut text = String::from("#include <stdlib.h>\n#include <unistd.h>\n");
    let folder = file.path.parent().expect("a file is in a folder");
    let own = vec![file.path.file_name().expect("it has a name").to_string_lossy().into_owned()];
    let files = if file.claims.files.is_empty() { own } else { file.claims.files.clone() };
    // Names with `static` are apart in the files of one module.
    for (n, name) in files.iter().enumerate() {
        let path = folder.join(name).canonicalize().expect("the file is there");
        let _ = match n {
            0 => writeln!(text, "#include \"{}\"", path.display()),
            n => writeln!(text, "#define n n{n}\n#include \"{}\"\n#undef n", path.display()),
        };
    }
    text += "static long long agon_env(void);\n";
    let declared = |line: &&str| line.starts_with("extern ") || line.starts_with("_Noreturn extern ");
    for line in file.text.lines().map(str::trim).filter(declared) {
        let declaration = line.split_once(';').expect("a declaration ends in `;`").0;
        let declaration = declaration.replace("extern ", "");
        let Some((head, _)) = declaration.split_once('(') else {
            let _ = writeln!(text, "{declaration};");
            continue;
        };
        let (result, name) = head.rsplit_once(' ').expect("a type and a name");
        if files.len() > 1 && name == "allowed" {
            continue;
        }
        let _ = match result {
            "void" => writeln!(text, "{declaration} {{ agon_env(); }}"),
            "_Noreturn void" => writeln!(text, "{declaration} {{ agon_env(); exit(0); }}"),
            result => writeln!(text, "{declaration} {{ return ({result})agon_env(); }}"),
        };
    }
    text += "static int agon_step;\nstatic long long agon_env(void)\n{\n    for (;;)\n        switch (agon_step++) {\n";
    for (n, word) in play.split('·').map(str::trim).step_by(2).enumerate() {
        let _ = match word.split_once(' ').map_or((word, "0"), |(word, rest)| (word, rest)) {
            ("ret", value) => writeln!(text, "        case {n}: return {value};"),
            _ => writeln!(text, "        case {n}: {}; break;", word.replace("null", "0")),
        };
    }
    text += "        default: exit(0);\n        }\n}\nint main(void)\n{\n    alarm(2);\n    agon_env();\n    return 0;\n}\n";
    text
}

/// Compiles an environment with options and runs it.
pub fn run(text: &str, options: &[String]) -> Ended {
    let folder = Folder::new();
    folder.write("env.c", text);
    let sanitizers = "-fsanitize=bounds-strict,shift-exponent,integer-divide-by-zero,address,null";
    let mut flags = vec!["-w", "-O0", "-fwrapv", "-pthread", sanitizers, "-fno-sanitize-recover=all"];
    flags.extend(options.iter().map(String::as_str));
    compile(&folder, "env.c", "env", &flags).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let mut program = Command::new(folder.path().join("env"));
    let output = program.env("ASAN_OPTIONS", "detect_leaks=0").output().expect("the program can be run");
    if output.status.success() { Ended::Normally } else { Ended::Failed }
}
