//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A timer fires, and its callback starts it anew or stops it. */
#include <assert.h>
#include <stdlib.h>
struct timer { unsigned char left; };
extern void fired(void);
static struct timer *timer;
static unsigned char busy;
void start(unsigned char n)
{
    if (!timer)
        timer = malloc(sizeof *timer);
    timer->left = (n & 1) + 1;
}
void stop(void)
{
    free(timer);
    timer = 0;
}
void tick(void)
{
    if (!timer || busy)
        return;
    if (--timer->left)
        return;
    struct timer *t = timer;
    busy = 1;
    fired();
    busy = 0;
#ifdef FIXED
    t = timer;
#endif
    if (t && t->left == 0)
        stop();
}
