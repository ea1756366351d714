//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A counter that goes round through five values never has a sixth. */
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
int main(void)
{
    int at = 0;
    while (__VERIFIER_nondet_bool()) {
        at++;
#ifdef FIXED
        if (at == 5) at = 0;
#else
        if (at == 6) at = 0;
#endif
    }
    assert(at < 5);
    return 0;
}
