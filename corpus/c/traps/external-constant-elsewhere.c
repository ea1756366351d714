//! safe
//! skip auto: cells are related
//! inputs: 0..1 functions 0 nesting 2
/* Constant data that is defined elsewhere has any value, but one. */
#include <assert.h>
extern const int limit;
extern void cb(void);
void m(void)
{
    int before = limit;
    cb();
    assert(limit == before);
}
