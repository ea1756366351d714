//! unsafe: any
//! with -DFIXED: safe
//! inputs: 1..1 functions 0 nesting 2 activations 10
//! skip references: there are too many stores to be tried one by one
/* A wheel of timers: the slot is the time modulo its size. */
#include <assert.h>
#define N 8u
extern void expired(unsigned slot);
static unsigned now;
static int pending[N], total;
int add(unsigned delay)
{
    unsigned slot = (now + delay) % N;
    if (pending[slot]) return -1;
    pending[slot] = 1;
    return 0;
}
void advance(void)
{
    now++;
    unsigned slot = now % N;
    if (!pending[slot]) return;
#ifdef FIXED
    pending[slot] = 0;
    expired(slot);
#else
    expired(slot);
    assert(pending[slot]);
    pending[slot] = 0;
#endif
}
