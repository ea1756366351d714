//! The C library: which of its functions have a meaning here, and which are refused.

use crate::closed::ANY;
use crate::tree::{Argument, Binary, Expr, ExprKind, Program};
use crate::types::Type;

/// What a function of the C library does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// Fails if its argument is 0.
    Assert,
    /// Fails as an assertion does.
    AssertionFails,
    /// Nothing happens after it if its argument is 0.
    Assume,
    /// Does nothing.
    Nothing,
    /// Does nothing that is looked at; gives 0.
    Succeeds,
    /// No other thread runs from here on, or they do again.
    Atomic(bool),
    /// Begins a thread.
    BeginThread,
    /// Waits for the end of a thread.
    JoinThread,
    /// Says that nobody will wait for the end of a thread.
    DetachThread,
    /// Ends the thread that calls it.
    EndThread,
    /// The number of the thread that calls it.
    OwnThread,
    /// Whether two numbers are of one thread.
    SameThread,
    /// Frees a mutex, and takes it again after any time.
    Wait,
    /// Ends the program with a status.
    Exit,
    /// Ends the program, abnormally.
    Abort,
    /// Writes something that the module never sees again; gives any number.
    Output,
    /// Gives a number of a range, and never calls back.
    Number(i64, i64),
    /// Gives any number of its type, and never calls back.
    AnyNumber,
    /// A stream, which is a name that only output functions take.
    Stream,
    /// The magnitude.
    Absolute,
    /// Gives its first argument.
    First,
    /// Any number but 0 if a character is in one of these ranges, 0 otherwise.
    Class(&'static [(u8, u8)]),
    /// Adds a number to characters of a range.
    Shifted((u8, u8), i8),
    /// Fills an object with a byte.
    Fill,
    /// Copies an object to another.
    Copy,
    /// Allocates memory; the flag says whether it is filled with 0.
    Allocate(bool),
    /// Frees memory.
    Free,
    /// Allocates a number of elements of the type of its result.
    Elements,
    /// How many elements an allocated object has.
    Length,
    /// Whether an address is less than another one, of any objects.
    Before,
    /// Fails if two addresses are the same.
    Apart,
    /// Any value of its type, which the system chooses.
    Any,
    /// Makes a mutex, which must not be held.
    MutexInit,
    /// Takes a mutex.
    Lock,
    /// Takes a mutex if it is free.
    TryLock,
    /// Frees a mutex.
    Unlock,
}

/// What is known of a function by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It has a meaning.
    Known(Known),
    /// It is written in C.
    Written(Written),
    /// It is refused, for a reason.
    Refused(&'static str),
}

/// How a function that is written in C is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// How many arguments count.
    pub arguments: usize,
    /// Whether others may follow, which do not count.
    pub variadic: bool,
    /// The arguments that are pointers to elements.
    pub elements: &'static [usize],
    /// The argument that is a number of bytes or, with one that is the size of an element, of elements.
    pub count: Option<(usize, Option<usize>)>,
    /// Whether its elements are characters, whatever its arguments are.
    pub result_element: bool,
    /// Whether the result is a pointer to anything.
    pub gives_void: bool,
}

/// A function that is written in C.
pub fn written(name: &str) -> Option<Written> {
    let plain = |arguments| Written { arguments, ..Written::default() };
    let memory = |elements, count| Written {
        arguments: 3,
        elements,
        count: Some((count, None)),
        gives_void: true,
        ..Written::default()
    };
    Some(match name {
        "strlen" | "atoi" => plain(1),
        "strcmp" | "strcpy" | "stpcpy" | "strcat" | "strchr" | "strrchr" | "strnlen" | "strstr"
        | "strspn" | "strcspn" | "strpbrk" => plain(2),
        "strncmp" | "strncpy" | "strncat" => plain(3),
        "strdup" => Written { result_element: true, ..plain(1) },
        "memcmp" | "bcmp" => Written { gives_void: false, ..memory(&[], 2) },
        "memchr" => Written { count: None, ..memory(&[], 2) },
        "memset" => memory(&[0], 2),
        "memcpy" | "memmove" => memory(&[0, 1], 2),
        "realloc" => Written { arguments: 2, ..memory(&[0], 1) },
        "qsort" => Written { arguments: 4, count: Some((1, Some(2))), gives_void: false, ..memory(&[0], 1) },
        "bsearch" => Written { arguments: 5, count: Some((2, Some(3))), ..memory(&[1], 2) },
        "snprintf" => Written { variadic: true, ..plain(2) },
        _ => return None,
    })
}

const LOWER: (u8, u8) = (b'a', b'z');
const UPPER: (u8, u8) = (b'A', b'Z');
const DIGIT: (u8, u8) = (b'0', b'9');

/// What a function of the C library does, by its name.
pub fn meaning(name: &str) -> Option<Meaning> {
    use Known::*;
    let known = match name {
        "__agon_assert" | "__VERIFIER_assert" | "assert" | "__CPROVER_assert" | "__ESBMC_assert" => Assert,
        "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" => Assume,
        "__VERIFIER_atomic_begin" => Atomic(true),
        "__VERIFIER_atomic_end" => Atomic(false),
        "pthread_create" => BeginThread,
        "pthread_join" => JoinThread,
        "pthread_detach" => DetachThread,
        "pthread_exit" => EndThread,
        "pthread_self" => OwnThread,
        "pthread_equal" => SameThread,
        "pthread_cond_wait" => Wait,
        "pthread_cond_init"
        | "pthread_cond_destroy"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "sched_yield"
        | "pthread_yield" => Succeeds,
        _ if name.starts_with(ANY) => AnyNumber,
        "__assert_fail" | "__assert_rtn" | "__assert" | "__builtin_unreachable" => AssertionFails,
        "exit" | "_Exit" | "quick_exit" | "_exit" => Exit,
        "abort" | "__builtin_trap" | "__builtin_abort" => Abort,
        "printf" | "puts" | "putchar" | "fprintf" | "fputs" | "fputc" | "putc" | "fflush" | "perror" => {
            Output
        }
        "__agon_stream" => Stream,
        "rand" => Number(0, 0x7fff_ffff),
        "getchar" | "fgetc" | "getc" => Number(-1, 255),
        "time" | "clock" => AnyNumber,
        "srand" => Output,
        "sleep" => Number(0, 0x7fff_ffff),
        "usleep" => Number(-1, 0),
        "abs" | "labs" | "llabs" => Absolute,
        "__builtin_expect" => First,
        "isdigit" => Class(&[DIGIT]),
        "isalpha" => Class(&[LOWER, UPPER]),
        "isalnum" => Class(&[LOWER, UPPER, DIGIT]),
        "islower" => Class(&[LOWER]),
        "isupper" => Class(&[UPPER]),
        "isspace" => Class(&[(9, 13), (b' ', b' ')]),
        "isblank" => Class(&[(9, 9), (b' ', b' ')]),
        "iscntrl" => Class(&[(0, 31), (127, 127)]),
        "isprint" => Class(&[(32, 126)]),
        "isgraph" => Class(&[(33, 126)]),
        "ispunct" => Class(&[(33, 47), (58, 64), (91, 96), (123, 126)]),
        "isxdigit" => Class(&[DIGIT, (b'a', b'f'), (b'A', b'F')]),
        "toupper" => Shifted(LOWER, -32),
        "tolower" => Shifted(UPPER, 32),
        // They fill with 0.
        "memset" | "bzero" | "explicit_bzero" => Fill,
        "memcpy" | "memmove" | "agon_copy" => Copy,
        "malloc" => Allocate(false),
        "calloc" => Allocate(true),
        "free" => Free,
        "agon_allocate" => Elements,
        "agon_length" => Length,
        "agon_before" => Before,
        "agon_apart" => Apart,
        "agon_number" | "agon_character" => Any,
        "pthread_mutex_init" | "pthread_mutex_destroy" => MutexInit,
        "pthread_mutex_lock" => Lock,
        "pthread_mutex_trylock" => TryLock,
        "pthread_mutex_unlock" => Unlock,
        _ => return written(name).map(Meaning::Written).or_else(|| refused(name).map(Meaning::Refused)),
    };
    Some(Meaning::Known(known))
}

/// How many elements of a type a call asks for.
pub enum Request<'e> {
    /// This many.
    Known(u64),
    /// As many as an expression says.
    Elements(&'e Expr),
}

/// What a call that allocates asks for; nothing if that is no number of elements.
pub fn request<'e>(program: &Program, call: &'e Expr, ty: &Type) -> Option<Request<'e>> {
    let ExprKind::Library(known, _, arguments) = &call.kind else { return None };
    if let (Known::Elements, [Argument::Value(count)]) = (known, &arguments[..]) {
        return Some(match &count.kind {
            ExprKind::Number(n) => Request::Known(n.to_u64()?),
            _ => Request::Elements(count),
        });
    }
    let size = program.size(ty)?.0.max(1);
    let known = |e: &Expr| match &e.kind {
        ExprKind::Number(n) => n.to_u64(),
        _ => None,
    };
    let whole = |bytes: u64| bytes.is_multiple_of(size).then_some(Request::Known(bytes / size));
    match &arguments[..] {
        [Argument::Value(bytes)] => match (known(bytes), &bytes.kind) {
            (Some(bytes), _) => whole(bytes),
            (None, ExprKind::Binary(Binary::Multiply, a, b)) => {
                let elements = if known(a) == Some(size) { b } else { a };
                (known(a) == Some(size) || known(b) == Some(size)).then_some(Request::Elements(elements))
            }
            (None, _) => (size == 1).then_some(Request::Elements(bytes)),
        },
        [Argument::Value(count), Argument::Value(each)] => match (known(count), known(each)) {
            (Some(count), Some(each)) => whole(count.checked_mul(each)?),
            (None, Some(each)) if each == size => Some(Request::Elements(count)),
            _ => None,
        },
        _ => None,
    }
}

/// How many elements of a type a call allocates, if that is known.
pub fn allocated(program: &Program, call: &Expr, ty: &Type) -> Option<u64> {
    match request(program, call, ty) {
        Some(Request::Known(count)) => Some(count),
        _ => None,
    }
}

/// Why a function of the C library is refused.
fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "aligned_alloc" | "posix_memalign" | "memalign" | "valloc" | "reallocarray" | "alloca"
        | "__builtin_alloca" | "strndup" | "asprintf" | "vasprintf" => {
            "of allocation, only `malloc`, `calloc`, `realloc`, `strdup` and `free` are supported"
        }
        "signal" | "sigaction" | "atexit" | "at_quick_exit" | "raise" => {
            "a function that is called at any moment, or at the end, is not supported"
        }
        "setjmp" | "_setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp" => {
            "jumps out of functions are not supported"
        }
        "sprintf" | "vsprintf" | "vsnprintf" | "scanf" | "sscanf" | "fscanf" | "fgets" | "gets" | "fread"
        | "vsscanf" | "vfscanf" | "getline" | "getdelim" | "strtok" | "strtok_r" | "strsep" | "stpncpy"
        | "strlcpy" | "strlcat" | "strxfrm" | "bcopy" | "memccpy" | "mempcpy" | "swab" | "read" | "pread"
        | "recv" | "recvfrom" | "getcwd" | "gethostname" | "gettimeofday" | "clock_gettime"
        | "localtime_r" | "gmtime_r" | "ctime_r" | "asctime_r" | "strerror_r" | "strtol" | "strtoul"
        | "strtoll" | "strtoull" | "strtod" | "strtof" | "frexp" | "modf" | "mbstowcs" | "wcstombs"
        | "mbtowc" | "wcscpy" | "wmemset" | "wmemcpy" | "getrandom" => {
            "it writes to what a pointer points to"
        }
        "strcoll" | "strcasecmp" | "strncasecmp" | "memrchr" | "memmem" | "atol" | "atoll" | "atof"
        | "fwrite" | "write" => "it reads what a pointer points to",
        "pthread_cancel" | "pthread_setspecific" | "pthread_getspecific" | "pthread_key_create" => {
            "of the functions for threads, it is not supported"
        }
        "pthread_cond_timedwait"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_unlock"
        | "pthread_rwlock_init"
        | "pthread_rwlock_destroy"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_trywrlock"
        | "pthread_spin_init"
        | "pthread_spin_lock"
        | "pthread_spin_trylock"
        | "pthread_spin_unlock"
        | "pthread_barrier_init"
        | "pthread_barrier_wait"
        | "pthread_mutex_timedlock"
        | "sem_init"
        | "sem_wait"
        | "sem_post" => "of the locks, only mutexes are supported",
        _ => return None,
    })
}
