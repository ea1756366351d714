//! safe
//! equivalent: hook-in-data.c
//! inputs: 0..1 functions 1 nesting 1
/* Nobody sees the names of private functions. */
extern void tell(int);
void (*hook)(void);
static void unused(void) { tell(3); }
static void first(void) { tell(1); }
void arm(void) { hook = unused; hook = first; }
