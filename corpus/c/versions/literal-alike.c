//! safe
//! equivalent: literal.c
//! inputs: -1..1 functions 0 nesting 1
/* It is the text that counts, not its address. */
extern void say(const char *);
void m(int x) { const char *text = "maybe"; if (!x) text = "no"; else text = "yes"; say(text); }
