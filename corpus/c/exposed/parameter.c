//! refused: E0611
//! with --exposed volatile: unsafe: any
//! with -DFIXED --exposed volatile: safe
//! with -DNULLS --exposed volatile: unsafe: any
//! inputs: 0..2 functions 0 nesting 1
//! skip gcc: nobody can say when the object changes
/* An object of the environment is read twice, and may have changed in between. */
#include <assert.h>
void m(const int *p)
{
#ifndef NULLS
    if (!p)
        return;
#endif
#ifdef FIXED
    int n = *p;
    if (n > 0)
        assert(n > 0);
#elif defined NULLS
    int n = *p;
    (void)n;
#else
    if (*p > 0)
        assert(*p > 0);
#endif
}
