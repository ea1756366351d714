//! unsafe: any
//! with --private-data count: safe
//! inputs: -1..1 functions 0 nesting 2
/* The environment may change data with external linkage while it has the control. */
#include <assert.h>
int count;
extern void cb(void);
void m(void)
{
    count = 0;
    cb();
    assert(count == 0);
}
