//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* Money moves between two accounts; what both hold together never changes. */
#include <assert.h>
extern int allow(int amount);
static int a = 500, b = 500;
int transfer(int amount)
{
    if (amount <= 0 || amount > a) return -1;
#ifdef FIXED
    if (!allow(amount) || amount > a) return -1;
    a -= amount;
    b += amount;
#else
    a -= amount;
    if (!allow(amount)) { a += amount; return -1; }
    b += amount;
#endif
    assert(a + b == 1000);
    return 0;
}
void back(void) { a += b; b = 0; assert(a == 1000); }
