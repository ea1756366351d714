//! unsafe: spend(200) · receipt(200) · audit() · fail
//! moves: 2
//! with -DFIXED: safe
//! inputs: 200..201 functions 0 nesting 3
//! twin: modules/p10-budget.ia, with -DFIXED modules/p10-budget-fixed.ia
/* Two numbers that always agree when somebody looks, however large: needs a relation, not a range.
 * spent + left == 1000 at every call of audit(), which reads only. */
#include <assert.h>
extern void receipt(int amount);
static int left = 1000, spent;
void spend(int a)
{
    if (a < 1 || a > left) return;
    left -= a;
#ifdef FIXED
    spent += a;
    receipt(a);
#else
    receipt(a);
    spent += a;
#endif
}
int audit(void) { assert(left + spent == 1000); return left; }
