//! unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* A call of `reach_error` is the failure, also where the file defines it. */
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { assert(0); }
int main(void)
{
    if (__VERIFIER_nondet_bool()) reach_error();
    return 0;
}
