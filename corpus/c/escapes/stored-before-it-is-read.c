//! safe
//! with -DTWICE: unsafe: any
//! with -DTOLD: unsafe: any
//! skip gcc: an environment in C does not keep handles that it finds in shared data
//! inputs: 0..1 functions 0 nesting 1
/* The environment gets a handle that is stored in shared data when it moves next, so other shared data does not hold it before. */
#include <assert.h>
struct part { int size; };
static struct part parts[2];
struct part *first, *second;
static _Bool once;
void told(void);
void store(void)
{
#ifndef TWICE
    if (once) return;
    once = 1;
#endif
    first = &parts[0];
#ifdef TOLD
    told();
#endif
    assert(second != &parts[0]);
}
