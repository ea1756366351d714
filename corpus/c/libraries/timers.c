//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* Timers fire when the clock passes them; a timer's callback sets it again. */
#include <assert.h>
#define N 3
extern void fire(int which);
static int due[N], armed[N], pending, now;
int arm(int which, int delay)
{
    if (which < 0 || which >= N || delay < 1 || delay > 1000) return -1;
    if (armed[which]) return -1;
    armed[which] = 1;
    due[which] = delay;
    pending++;
    return 0;
}
void tick(void)
{
    for (int i = 0; i < N; i++) {
        if (!armed[i]) continue;
        if (--due[i] > 0) continue;
#ifdef FIXED
        armed[i] = 0;
        pending--;
        fire(i);
#else
        fire(i);
        armed[i] = 0;
        pending--;
#endif
        assert(pending >= 0);
    }
}
