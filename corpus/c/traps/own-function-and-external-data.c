//! safe
//! with -DEXPORTED: safe
//! with -DFOREIGN: unsafe: any
//! inputs: 0..2 functions 1 nesting 1
/* A function of the module that is called through a pointer is no move: data with external linkage stays as it is. */
#include <assert.h>
int count;
static void keep(void) { assert(count == 5); }
#ifdef EXPORTED
void last(void) { }
#else
static void last(void) { }
#endif
static void (*steps[2])(void) = { keep, last };
#ifdef FOREIGN
void set(void (*step)(void)) { if (step) steps[1] = step; }
#endif
void go(int i)
{
    count = 5;
    if (i >= 0 && i < 2) steps[i]();
    assert(count == 5);
}
