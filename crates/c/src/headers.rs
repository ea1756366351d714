//! Headers: what C files include instead of the headers of the system.

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// The names and texts of the headers.
        pub const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("headers/", $name)))),*];
    };
}

headers! {
    "assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "pthread.h", "smack.h", "stdbool.h", "stddef.h", "stdint.h",
    "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h",
}
