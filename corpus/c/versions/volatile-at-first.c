//! safe
//! inequivalent: volatile-once.c
//! skip references: every access is an answer
//! inputs: -1..1 functions 0 nesting 1
/* What it holds at first can be seen before any call. */
volatile unsigned char port = 1;
void m(void) { port = 0; }
