//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Between two moves of the environment data with external linkage is the module's. */
#include <assert.h>
int count;
void m(void)
{
    count = 1;
    count++;
    assert(count == 2);
}
