//! safe
//! twin: modules/never-returns.ia
//! inequivalent: ends.c
//! skip references: they look at so many steps
//! inputs: -1..1 functions 0 nesting 2
/* Ending the program is not the same as running for ever. */
void m(void) { for (;;) ; }
