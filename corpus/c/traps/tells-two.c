//! safe
//! inequivalent: tells-one.c
//! twin: modules/tells-two.ia
//! inputs: 0..0 functions 0 nesting 1
/* The same call with another number is another move. */
extern void tell(int);
void run(void) { tell(2); }
