//! safe
//! inequivalent: literal.c
//! inputs: -1..1 functions 0 nesting 1
/* Once it is another text. */
extern void say(const char *);
void m(int x) { say(x ? "yes" : "No"); }
