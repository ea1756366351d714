//! unsafe: take() · now() · refill(0) · ret · ret -1 · fail
//! moves: 3
//! with -DFIXED: safe
//! inputs: -1..3 functions 0 nesting 3
//! twin: modules/p03-bucket.ia, with -DFIXED modules/p03-bucket-fixed.ia
/* A rate limiter asks the clock between looking and taking. Tokens never go below zero. */
#include <assert.h>
extern int now(void);
static int tokens = 2, last;
int take(void)
{
    if (tokens == 0) return 0;
#ifdef FIXED
    tokens--;
    last = now();
#else
    last = now();
    tokens--;
#endif
    assert(tokens >= 0);
    return 1;
}
void refill(int k) { if (k >= 0 && k <= 2) tokens = k; }
