//! safe
//! skip references: they look at so many steps
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/behind-what-never-ends.ia
/* What stands behind a call that never ends is not reached. An import in its place would return. */
#include <assert.h>
static void give_up(void) { for (;;) ; }
void m(int bad)
{
    if (bad) give_up();
    assert(!bad);
}
