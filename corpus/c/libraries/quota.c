//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
//! skip references: there are too many stores to be tried one by one
/* What is used and what is free always sum up to the quota when somebody asks. */
#include <assert.h>
#define QUOTA 100000
extern int approve(int amount);
static int used, spare = QUOTA;
int reserve(int amount)
{
    if (amount <= 0 || amount > spare) return -1;
#ifdef FIXED
    used += amount;
    spare -= amount;
    if (!approve(amount)) { return -1; }
#else
    used += amount;
    if (!approve(amount)) { used -= amount; return -1; }
    spare -= amount;
#endif
    return 0;
}
void give_back(int amount)
{
    if (amount <= 0 || amount > used) return;
    used -= amount;
    spare += amount;
}
void audit(void) { assert(used + spare == QUOTA); }
