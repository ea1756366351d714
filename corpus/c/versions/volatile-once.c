//! safe
//! inequivalent: volatile.c
//! skip gcc: an environment in C sees only what is left there
//! inputs: -1..1 functions 0 nesting 1
/* The first write is missing. */
volatile unsigned char port;
void m(void) { port = 0; }
