//! safe
//! inequivalent: hook-in-data.c
//! inputs: 0..1 functions 1 nesting 1
/* Whoever calls it sees that it is another function. */
extern void tell(int);
void (*hook)(void);
static void one(void) { tell(2); }
void arm(void) { hook = one; }
