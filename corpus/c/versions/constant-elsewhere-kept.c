//! safe
//! equivalent: constant-elsewhere.c
//! inputs: -1..1 functions 0 nesting 1
/* Only the first call may find something else than the constant. */
extern const int step;
static int known, zero;
extern void tell(int);
void m(void) { if (!known) { zero = step == 0; known = 1; tell(zero); } else tell(1); }
