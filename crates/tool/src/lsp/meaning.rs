//! What the keywords of the language mean, for hovering.

use agon_ia::token::Token;

/// The meaning of a keyword, in a sentence or two of Markdown; nothing for separators.
pub fn meaning(token: Token) -> Option<&'static str> {
    Some(match token {
        Token::Const => "`const NAME = value;` — a constant; `-D NAME=VALUE` gives it another value.",
        Token::Sequential => "The environment has one thread of control, which is passed to and fro.",
        Token::Concurrent => {
            "The environment, too, may run the arguments that it is given in several threads at once, within the bounds."
        }
        Token::Turnstile => {
            "What stands before are the free identifiers: the environment, of which nothing is known but these types."
        }
        Token::Com => "Commands. Their moves are `run` and `done`.",
        Token::Exp => "Expressions that give a value. Their moves are `q` and the values.",
        Token::Var => {
            "Variables, to be read and written. Their moves are `read`, the values, `write(v)` and `ok`."
        }
        Token::Sem => {
            "A semaphore, with one place if no number is given. Its moves are `grab`, `release` and `ok`."
        }
        Token::Bool => "Truth values: 0, which is `false`, and 1, which is `true`.",
        Token::Int => "The integers, all of them; `int%k` are the values 0 … k-1.",
        Token::Nat => "`nat%k` are the values 0 … k-1.",
        Token::Machine => {
            "Machine integers in two's complement; values are brought into range where they are kept."
        }
        Token::Arrow => {
            "A procedure: what it takes, and what it gives. Arguments are evaluated each time they are used."
        }
        Token::If => {
            "The first branch if the condition is not 0, the other one otherwise; a missing `else` is `skip`."
        }
        Token::Then | Token::Else => "A branch of a conditional.",
        Token::While => "The body again and again, while the condition is not 0.",
        Token::Do => "The body.",
        Token::New => {
            "A new cell, or an array of them. Nobody outside can see it but through what the program does."
        }
        Token::Let => "A definition, evaluated each time it is used. There is no recursion.",
        Token::In => "Where the declaration is in force: up to the end of the block.",
        Token::Fun => "A procedure without a name.",
        Token::Par => "`par i := a..b do M` — one copy of the command for each number, all at once.",
        Token::Parallel => "Both at once: their steps are interleaved in every way.",
        Token::Break => "`break l . M` — a `goto l` in M ends it.",
        Token::Cont => "`cont l . M` — a `goto l` in M starts it again.",
        Token::Goto => "Jumps to the label, which an enclosing `break` or `cont` declares.",
        Token::Letp => {
            "A predicate for the approximation of the data, from here to the end of the block. It changes no verdict."
        }
        Token::Newp => "From here on the predicate is part of the approximation. It changes no verdict.",
        Token::Endp => {
            "From here on the predicate is no longer part of the approximation. It changes no verdict."
        }
        Token::Skip => "Does nothing.",
        Token::Abort => {
            "Ends everything, abnormally. The program is unsafe if some environment brings it here."
        }
        Token::Diverge => "Never ends, and makes no move.",
        Token::True => "The number 1.",
        Token::False => "The number 0.",
        Token::Assert => "Aborts if the condition is 0.",
        Token::Grab => "Takes a place of a semaphore, and waits for one.",
        Token::Release => "Gives a place of a semaphore back, and waits until one is taken.",
        Token::Assign => "Evaluates the right side, then writes it to the left one, brought into range.",
        Token::Not | Token::Bang => "`not` gives 1 for 0 and 0 for anything else; `!x` reads the variable x.",
        Token::And => "Both; the right side is evaluated only if the left one is not 0.",
        Token::Or => "Either; the right side is evaluated only if the left one is 0.",
        Token::Ampersand => "Both; both sides are evaluated, left first.",
        Token::Bar => "Either; both sides are evaluated, left first.",
        Token::Mod | Token::Percent => "The remainder of Euclidean division, never negative; by 0 it aborts.",
        Token::Slash => "Euclidean division; by 0 it aborts.",
        _ => return None,
    })
}

/// The meaning of a word that is one in modules only.
pub fn item_meaning(word: &str) -> Option<&'static str> {
    Some(match word {
        "module" => {
            "A library: private cells, procedures that the environment may call, and imports that it supplies. While an import is \
             called, the environment may call exports again, to any depth."
        }
        "import" => "A function that the environment supplies. It may call exports before it returns.",
        "export" => "A procedure that the environment may call whenever it has control.",
        "mutex" => "A lock with an owner.",
        "fn" => "The type of the name of a function, or `null`.",
        "null" => "The name of no function. A call of it aborts.",
        "lock" => "Takes a mutex; aborts if the same thread holds it.",
        "unlock" => "Frees a mutex; aborts if it is not held.",
        "trylock" => "`true` if it took the mutex, `false` if it was held.",
        _ => return None,
    })
}
