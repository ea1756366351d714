//! Headers: what C files include instead of the headers of the system.

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// The names and texts of the headers.
        pub const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("headers/", $name)))),*];
    };
}

headers! {
    "assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "iso646.h", "limits.h", "malloc.h", "math.h", "memory.h", "pthread.h",
    "sched.h", "setjmp.h", "signal.h", "smack.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "stdnoreturn.h", "string.h", "strings.h", "time.h", "unistd.h",
}
