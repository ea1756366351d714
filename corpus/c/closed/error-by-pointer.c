//! unsafe: any
//! with -DDECLARED: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* The error function fails also where it is called through a pointer. */
#include <assert.h>
#ifdef DECLARED
extern void reach_error(void);
#else
void reach_error(void) { assert(0); }
#endif
extern _Bool __VERIFIER_nondet_bool(void);
static void fine(void) {}
int main(void)
{
    void (*f)(void) = __VERIFIER_nondet_bool() ? reach_error : fine;
    f();
    return 0;
}
