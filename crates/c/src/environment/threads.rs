//! Environments with several threads: each has its list of steps, and they take turns as in the play.
//!
//! A thread gives its turn away where it comes to a step of the environment's or to a mutex. The file has functions of its own for
//! mutexes, which wait for the turn and then call those of the C library. What a thread does between two such places it does at once.
//! So turns are put in an order that keeps the order of accesses to each cell; for some plays there is none. If the library leaves the play, or has come to its end, all threads
//! run as they like. Threads that wait for each other's mutexes are found by the environment, which then aborts. If nothing
//! happens for a while otherwise, it ends with 0.

use std::collections::BTreeSet;
use std::fmt::Write;

use agon_base::int::Int;
use agon_core::checks::Kind;
use agon_core::module::environment::{Environment, Part};
use agon_core::module::play::Move;
use agon_core::module::threads::replay::{How, Replayed, What};
use agon_core::module::{CellId, Function, Module};

use super::Writer;
use super::steps::{Given, Script};
use crate::declare::declare;
use crate::read::Document;
use crate::types::Type;

/// Steps of one thread have numbers below this.
const MOST_STEPS: usize = 1000;

/// The steps of each thread.
type Steps = Vec<Vec<String>>;

/// An environment with several threads, as a C file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadedEnvironment {
    /// The file.
    pub text: String,
    /// Whether the turns force all accesses into the order of the play.
    pub forced: bool,
}

/// The file of an environment that plays its part of a threaded play that fails; nothing if the play needs what no turns can force:
/// data that the environment writes while the library runs.
pub(crate) fn close(document: &Document, module: &Module, played: &Replayed) -> Option<ThreadedEnvironment> {
    if document.closed || played.failure.is_none() {
        return None;
    }
    let environment = functions(module, played);
    let writer = Writer { document, module, environment: &environment };
    let (script, steps) = writer.threaded(played)?;
    let turns = Turns::new(played, script.taken > 0 || script.held > 0);
    let text = writer.threaded_file(played, &script, &steps, &turns.order);
    Some(ThreadedEnvironment { text, forced: turns.forced })
}

/// The functions of the environment's, without what they do.
fn functions(module: &Module, played: &Replayed) -> Environment {
    let part = |name: String, function| Part {
        name: name.as_str().into(),
        signature: module.type_of(function),
        parameters: vec![],
        steps: vec![],
    };
    let imports = module.imports().map(|(id, import)| part(import.name.to_string(), Function::Import(id)));
    let own = (1..=most_own(module, played)).map(|n| part(format!("agon_own{n}"), Function::Foreign(n)));
    Environment {
        counter: "".into(),
        answer: "".into(),
        open: "".into(),
        start: "".into(),
        opening: vec![],
        parts: imports.chain(own).collect(),
        writes: vec![],
        looks_for: vec![],
        moves: vec![],
    }
}

/// The largest number of a function of the environment's own in a play.
fn most_own(module: &Module, played: &Replayed) -> u64 {
    let number = |value: &Int| match module.function(value) {
        Some(Function::Foreign(n)) => n,
        _ => 0,
    };
    let most = |(_, played, nested): (usize, Move, agon_core::module::play::Nested)| {
        let named = match nested.function {
            Some(Function::Foreign(n)) => n,
            _ => 0,
        };
        let values = match &played {
            Move::Call(_, values) => values.iter().map(number).max().unwrap_or(0),
            Move::Return(value) => value.as_ref().map_or(0, number),
            Move::Fail | Move::Exit(_) => 0,
        };
        // Other numbers are no names of functions; a few functions too many do no harm.
        named.max(values.min(8))
    };
    played.moves().into_iter().map(most).max().unwrap_or(0)
}

/// The element of a cell that an access is to; none of a move.
type Used = Option<(CellId, u64)>;

/// The turns of threads.
struct Turns {
    /// Which thread comes next, at each step of the environment's and each use of a mutex.
    order: Vec<usize>,
    forced: bool,
}

impl Turns {
    /// Turns that keep the order of any two accesses to one cell of which one writes; if there are none, those of the play. The
    /// order of moves counts if the environment keeps what it is handed.
    fn new(played: &Replayed, keeps: bool) -> Turns {
        // The thread of each turn, and the turns that must come before it.
        let mut turns: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        let mut last: Vec<Option<usize>> = Vec::new();
        let mut accesses: Vec<(usize, Used, bool)> = Vec::new();
        let mut moves = played.moves().into_iter();
        // A thread does not stop where the play ends, but where it gives its turn away.
        for event in played.events.iter().chain(&played.ahead) {
            last.resize(last.len().max(event.thread + 1), None);
            let (gives_way, access) = match &event.what {
                What::Move(_) => {
                    let by_environment = moves.next().is_some_and(|(_, _, nested)| nested.by_environment);
                    (by_environment, keeps.then_some((None, true)))
                }
                What::Access(how, cell, element) => {
                    let locks = matches!(how, How::Locks | How::Tries | How::Unlocks);
                    (locks, Some((Some((*cell, *element)), *how != How::Reads)))
                }
                What::Begins(..) | What::Joins(_) | What::Ends => (false, None),
            };
            if gives_way {
                turns.push((event.thread, last[event.thread].into_iter().collect()));
                last[event.thread] = Some(turns.len() - 1);
            }
            let (Some(turn), Some((used, writes))) = (last[event.thread], access) else { continue };
            let conflicts = accesses
                .iter()
                .filter(|(other, known, wrote)| *other != turn && *known == used && (*wrote || writes));
            let before: Vec<usize> = conflicts.map(|(other, ..)| *other).collect();
            turns[turn].1.extend(before);
            accesses.push((turn, used, writes));
        }
        let mut order = Vec::new();
        let mut done = BTreeSet::new();
        while let Some(next) = (0..turns.len()).find(|n| !done.contains(n) && turns[*n].1.is_subset(&done)) {
            done.insert(next);
            order.push(turns[next].0);
        }
        match order.len() == turns.len() {
            true => Turns { order, forced: true },
            false => Turns { order: turns.into_iter().map(|(thread, _)| thread).collect(), forced: false },
        }
    }
}

impl Writer<'_> {
    /// The steps of each thread.
    fn threaded(&self, played: &Replayed) -> Option<(Script, Steps)> {
        let (script, steps, needed) = self.threaded_with(played, true)?;
        if needed {
            return Some((script, steps));
        }
        self.threaded_with(played, false).map(|(script, steps, _)| (script, steps))
    }

    fn threaded_with(&self, played: &Replayed, kept: bool) -> Option<(Script, Steps, bool)> {
        let mut script = Script::default();
        let mut given = Given { kept, ..Given::default() };
        self.take_initial(&mut script, &mut given);
        let mut steps = Steps::new();
        // What is read where functions were stored: data that is shared is not looked at.
        let mut read = Vec::new();
        for (thread, played, nested) in played.moves() {
            steps.resize(steps.len().max(thread + 1), vec![]);
            match (&played, nested.by_environment) {
                (Move::Call(Function::Procedure(id), values), true) => {
                    let call = self.call(*id, values, &mut script, &mut given);
                    steps[thread].push(format!("{call} break;"));
                }
                (Move::Return(value), true) => {
                    let function = nested.function?;
                    if self.is_choice(function) {
                        continue;
                    }
                    steps[thread].push(self.answer(function, value.as_ref(), &mut script, &mut given));
                }
                (Move::Call(function, arguments), false) => {
                    if let Function::Import(id) = function
                        && (self.shared(*id).is_some() || self.module.share_of(*id).is_some())
                    {
                        return None;
                    }
                    self.hand_over(*function, arguments, &mut given, &mut read, &mut script);
                }
                (Move::Return(Some(value)), false) => {
                    let ty = nested.function.and_then(|function| self.type_of(function)).map(|ty| ty.result);
                    match ty {
                        Some(ty) if ty.pointed_function().is_some() => given.list.push(value.clone()),
                        Some(ty) if ty.pointed_data().is_some() => given.objects.push(value.clone()),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if steps.iter().any(|steps| steps.len() >= MOST_STEPS) {
            return None;
        }
        script.taken = if kept { given.list.len() } else { 0 };
        script.held = if kept { given.objects.len() } else { 0 };
        script.count_mentioned();
        Some((script, steps, given.needed))
    }

    fn is_choice(&self, function: Function) -> bool {
        matches!(function, Function::Import(id) if self.module.import(id).choice)
    }

    fn threaded_file(
        &self,
        played: &Replayed,
        script: &Script,
        steps: &[Vec<String>],
        turns: &[usize],
    ) -> String {
        let mut text = String::from(
            "/* An environment with threads that plays its part of the play. The threads take turns, at each step of the\n   \
             environment's and at each use of a mutex. */\n\
             #define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <pthread.h>\n#include <time.h>\n\
             extern _Noreturn void exit(int);\nextern _Noreturn void abort(void);\n",
        );
        text += &self.structures(script);
        for id in &script.functions {
            let function = self.document.program.function(*id);
            let ty = Type::Function(function.ty.clone().into());
            let _ = writeln!(text, "extern {};", declare(&self.document.program, &ty, &function.name));
        }
        script.objects.iter().for_each(|id| text += &self.object(*id, script));
        text += "static long long agon_env(void);\n";
        text += &self.keepers(script);
        for (at, part) in self.environment.parts.iter().enumerate() {
            text += &self.part(at, &part.name, script);
        }
        let order: Vec<String> = turns.iter().map(ToString::to_string).collect();
        let _ = write!(
            text,
            "\nenum {{ AGON_THREADS = {}, AGON_TURNS = {} }};\n\
             static const int agon_turns[] = {{ {} }}; /* which thread comes next */\n",
            steps.len(),
            turns.len(),
            if order.is_empty() { "0".into() } else { order.join(", ") }
        );
        text += TURNS;
        let stranger = played.failure.as_ref().is_some_and(|failure| failure.check.kind == Kind::Unlock);
        text += &MUTEXES.replace("AGON_STRANGER", if stranger { "abort()" } else { "(void)0" });
        let mut structs = self.document.program.structs.iter().flat_map(|found| &found.members).flatten();
        if structs.any(|member| member.name.as_deref() == Some("agon_running")) {
            text += ONCE;
        }
        text += "static long long agon_env(void)\n{\n    for (;;) {\n        agon_turn();\n";
        let _ = writeln!(text, "        switch ({MOST_STEPS} * agon_self + agon_step++) {{");
        for (thread, steps) in steps.iter().enumerate() {
            for (n, step) in steps.iter().enumerate() {
                let _ = writeln!(text, "        case {}: {step}", MOST_STEPS * thread + n);
            }
        }
        text += "        default: agon_end();\n        }\n    }\n}\n";
        let first: String = script.first.iter().map(|line| format!("    {line}\n")).collect();
        text + &MAIN.replace("    AGON_FIRST\n", &first)
    }
}

/// Turns. A thread that has none waits, until threads may run as they like.
const TURNS: &str = "\
static int agon_at, agon_free, agon_passed, agon_ended, agon_over[AGON_THREADS];
static __thread int agon_self, agon_has, agon_step;
static int agon_get(int *agon_from) { return __atomic_load_n(agon_from, __ATOMIC_SEQ_CST); }
static void agon_set(int *agon_to, int agon_n) { __atomic_store_n(agon_to, agon_n, __ATOMIC_SEQ_CST); }
static void agon_add(int *agon_to) { (void)__atomic_add_fetch(agon_to, 1, __ATOMIC_SEQ_CST); }
static void agon_wait(void)
{
    struct timespec agon_time = { 0, 200000 };
    nanosleep(&agon_time, 0);
}
static void agon_turn(void)
{
    agon_add(&agon_passed);
    if (agon_has) {
        agon_has = 0;
        agon_add(&agon_at);
    }
    for (; !agon_get(&agon_free); agon_wait()) {
        int agon_next = agon_get(&agon_at);
        if (agon_next >= AGON_TURNS || agon_get(&agon_over[agon_turns[agon_next]]))
            agon_set(&agon_free, 1);
        else if (agon_turns[agon_next] == agon_self) {
            agon_has = 1;
            return;
        }
    }
}
static _Noreturn void agon_end(void)
{
    agon_set(&agon_over[agon_self], 1);
    agon_add(&agon_ended);
    if (agon_has)
        agon_add(&agon_at);
    for (;;)
        agon_wait();
}
";

/// Mutexes. What a thread holds already gives no turn away.
const MUTEXES: &str = "
enum { AGON_HELD = 64 };
static pthread_mutex_t *agon_holds[AGON_THREADS][AGON_HELD], *agon_waits[AGON_THREADS];
static int (*agon_lock)(pthread_mutex_t *), (*agon_trylock)(pthread_mutex_t *), (*agon_unlock)(pthread_mutex_t *);
static int agon_count_of(int agon_thread, pthread_mutex_t *agon_m)
{
    int agon_n, agon_sum = 0;
    for (agon_n = 0; agon_n < AGON_HELD; agon_n++)
        agon_sum += agon_holds[agon_thread][agon_n] == agon_m;
    return agon_sum;
}
static void agon_replace(pthread_mutex_t *agon_old, pthread_mutex_t *agon_new)
{
    int agon_n;
    for (agon_n = 0; agon_n < AGON_HELD; agon_n++)
        if (agon_holds[agon_self][agon_n] == agon_old) {
            agon_holds[agon_self][agon_n] = agon_new;
            return;
        }
}
int pthread_mutex_lock(pthread_mutex_t *agon_m)
{
    int agon_r = EBUSY;
    if (!agon_count_of(agon_self, agon_m)) {
        agon_turn();
        if (!agon_get(&agon_free)) {
            agon_r = agon_trylock(agon_m);
            if (agon_r == EBUSY)
                agon_set(&agon_free, 1);
        }
    }
    if (agon_r == EBUSY) {
        agon_waits[agon_self] = agon_m;
        agon_r = agon_lock(agon_m);
        agon_waits[agon_self] = 0;
    }
    if (agon_r == 0)
        agon_replace(0, agon_m);
    return agon_r;
}
int pthread_mutex_trylock(pthread_mutex_t *agon_m)
{
    int agon_r;
    if (!agon_count_of(agon_self, agon_m))
        agon_turn();
    agon_r = agon_trylock(agon_m);
    if (agon_r == 0)
        agon_replace(0, agon_m);
    else if (agon_count_of(agon_self, agon_m))
        agon_turn();
    return agon_r;
}
int pthread_mutex_unlock(pthread_mutex_t *agon_m)
{
    if (agon_count_of(agon_self, agon_m) == 0)
        AGON_STRANGER;
    if (agon_count_of(agon_self, agon_m) == 1)
        agon_turn();
    agon_replace(agon_m, 0);
    return agon_unlock(agon_m);
}
/* Whether a thread waits for a mutex whose owner waits, and so on, back to the thread. */
static int agon_circle(int agon_thread)
{
    int agon_n, agon_other, agon_at_last = agon_thread;
    for (agon_n = 0; agon_n < AGON_THREADS; agon_n++) {
        pthread_mutex_t *agon_m = agon_waits[agon_at_last];
        for (agon_other = 0; agon_m && agon_other < AGON_THREADS; agon_other++)
            if (agon_count_of(agon_other, agon_m))
                break;
        if (!agon_m || agon_other == AGON_THREADS)
            return 0;
        if (agon_other == agon_thread)
            return 1;
        agon_at_last = agon_other;
    }
    return 0;
}

";

/// What is done once: a mutex is held meanwhile, and gives turns away as other mutexes do.
const ONCE: &str = "
enum { AGON_ONCES = 64 };
static struct { pthread_once_t *agon_of; pthread_mutex_t agon_running; int agon_done; } agon_onces[AGON_ONCES];
static pthread_mutex_t agon_finding = PTHREAD_MUTEX_INITIALIZER;
int pthread_once(pthread_once_t *agon_of, void (*agon_routine)(void))
{
    int agon_n = 0;
    agon_lock(&agon_finding);
    while (agon_n < AGON_ONCES - 1 && agon_onces[agon_n].agon_of && agon_onces[agon_n].agon_of != agon_of)
        agon_n++;
    agon_onces[agon_n].agon_of = agon_of;
    agon_unlock(&agon_finding);
    pthread_mutex_lock(&agon_onces[agon_n].agon_running);
    if (!agon_onces[agon_n].agon_done) {
        agon_routine();
        agon_onces[agon_n].agon_done = 1;
    }
    pthread_mutex_unlock(&agon_onces[agon_n].agon_running);
    return 0;
}
";

/// The threads are begun, and watched until nothing happens any more.
const MAIN: &str = "
static void *agon_thread(void *agon_number)
{
    agon_self = *(int *)agon_number;
    agon_env();
    return 0;
}
int main(void)
{
    static int agon_numbers[AGON_THREADS];
    int agon_n, agon_quiet = 0, agon_seen = -1;
    agon_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, \"pthread_mutex_lock\");
    agon_trylock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, \"pthread_mutex_trylock\");
    agon_unlock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, \"pthread_mutex_unlock\");
    if (!agon_lock || !agon_trylock || !agon_unlock)
        return 0;
    AGON_FIRST
    for (agon_n = 0; agon_n < AGON_THREADS; agon_n++) {
        pthread_t agon_t;
        agon_numbers[agon_n] = agon_n;
        if (pthread_create(&agon_t, 0, agon_thread, &agon_numbers[agon_n]))
            return 0;
    }
    while (agon_get(&agon_ended) < AGON_THREADS) {
        agon_wait();
        if (agon_get(&agon_passed) != agon_seen) {
            agon_seen = agon_get(&agon_passed);
            agon_quiet = 0;
        } else if (++agon_quiet > 5000) {
            if (agon_get(&agon_free))
                break;
            agon_set(&agon_free, 1);
            agon_quiet = 0;
        }
    }
    for (agon_n = 0; agon_n < AGON_THREADS; agon_n++)
        if (agon_circle(agon_n))
            abort();
    exit(0);
}
";
