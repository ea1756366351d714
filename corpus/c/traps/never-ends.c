//! safe
//! inequivalent: ends.c
//! skip references: they look at so many steps
//! skip equiv: a loop that does nothing is not known to run for ever
//! inputs: -1..1 functions 0 nesting 2
/* Ending the program is not the same as running for ever. */
void m(void) { for (;;) ; }
