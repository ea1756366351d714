//! safe
//! inputs: -1..1 functions 0 nesting 1
/* The environment can read the text that it is given. */
extern void say(const char *);
void m(int x) { say(x ? "yes" : "no"); }
