//! unsafe: make() · ret · unref() · finalise() · ref() · ret · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 4
//! twin: modules/p05-refcount.ia, with -DFIXED modules/p05-refcount-fixed.ia
/* The last reference goes, the finaliser runs and may take a new one; the slot is freed all the same. */
#include <assert.h>
extern void finalise(void);
static int refs, live, dying;
void make(void) { if (!live) { live = 1; refs = 1; } }
void ref(void) { if (live && !dying && refs < 3) refs++; }
void unref(void)
{
    if (!live || dying || refs == 0) return;
    if (--refs > 0) return;
#ifdef FIXED
    dying = 1;                         /* nobody revives it now */
    finalise();
    dying = 0;
#else
    finalise();
#endif
    assert(refs == 0);
    live = 0;
}
