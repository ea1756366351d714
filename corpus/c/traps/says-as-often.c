//! safe
//! twin: modules/says-as-often.ia
//! inputs: 0..1 functions 0 nesting 1 activations 5
/* A walk that says something on its way back, and one that says it once more below depth 2. */
extern int ask(void);
extern void say(void);
static void r(void) { if (ask()) { r(); say(); } }
void m(void) { r(); }
