//! safe
//! twin: modules/says-once-more.ia
//! inequivalent: says-as-often.c
//! inputs: 0..1 functions 0 nesting 1 activations 5
/* A walk that says something on its way back, and one that says it once more below depth 2. */
extern int ask(void);
extern void say(void);
static void r(int d) { if (ask()) { r(d + 1); say(); if (d == 2) say(); } }
void m(void) { r(0); }
