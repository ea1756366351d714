/* The level is an object with external linkage: others may write to it. */
#include <assert.h>
int level;
void raise_it(void)
{
    if (level < 10) level++;
    assert(level <= 10);
}
