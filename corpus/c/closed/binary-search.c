//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..8 functions 0 nesting 1
//! skip auto: ranges of 32 bits do not end with an array
/* A binary search in an array in order finds every number that is there. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static const int a[8] = {1, 3, 4, 7, 9, 10, 12, 15};
int main(void)
{
    int wanted = __VERIFIER_nondet_int(), low = 0, high = 8, at = -1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] == wanted) {
            at = middle;
            break;
        }
        if (a[middle] < wanted) low = middle + 1;
#ifdef FIXED
        else high = middle;
#else
        else high = middle - 1;
#endif
    }
    for (int i = 0; i < 8; i++) assert(a[i] != wanted || at == i);
    return 0;
}
