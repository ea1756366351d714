//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
//! skip references: there are too many stores to be tried one by one
/* Observers leave while they are notified. */
#include <assert.h>
#define N 3
extern void notify(int who);
static int present[N], count, notifying;
int join(int who)
{
    if (who < 0 || who >= N || present[who]) return -1;
    present[who] = 1;
    count++;
    return 0;
}
int leave(int who)
{
    if (who < 0 || who >= N || !present[who]) return -1;
#ifdef FIXED
    if (notifying) return -1;
#endif
    present[who] = 0;
    count--;
    return 0;
}
void all(void)
{
    if (notifying == 1000) return;
    notifying++;
    for (int i = 0; i < N; i++) {
        if (!present[i]) continue;
        notify(i);
        assert(present[i]);
    }
    notifying--;
}
