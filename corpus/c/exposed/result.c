//! refused: E0610
//! with --exposed volatile: unsafe: any
//! with -DFIXED --exposed volatile: safe
//! inputs: -1..1 functions 0 nesting 1
//! skip gcc: nobody can say when the object changes
/* A function of the environment fills an object of the module, and keeps the pointer. */
#include <assert.h>
extern void fill(int *place);
static int n;
static int kept;
void load(void)
{
    fill(&n);
#ifdef FIXED
    kept = n;
    if (kept < 0 || kept > 9)
        kept = 0;
#else
    if (n < 0 || n > 9)
        return;
    kept = n;
#endif
}
void use(void) { assert(kept >= 0 && kept <= 9); }
