//! safe
//! inequivalent: text-in-data-other.c
//! inputs: 0..1 functions 0 nesting 1
/* Data with external linkage leads to a text at first. */
const char *name = "a";
int m(void) { return 0; }
