//! safe
//! inequivalent: data-before-a-call.c
//! inputs: -1..1 functions 0 nesting 1
/* It writes too late. */
int phase;
extern void tell(void);
void m(void) { tell(); phase = 1; phase = 2; }
