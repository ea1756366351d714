//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 2
/* A table of transitions. The state is announced before it is changed, and whoever hears it makes another transition. */
#include <assert.h>
enum state { IDLE, OPENING, OPEN, CLOSING, NSTATES };
enum event { EV_OPEN, EV_OPENED, EV_CLOSE, EV_CLOSED, NEVENTS };
static enum state st;
static int handles;
extern void notify(enum state s);
static const signed char next[NSTATES][NEVENTS] = {
    { OPENING, -1, -1, -1 }, { -1, OPEN, CLOSING, -1 }, { -1, -1, CLOSING, -1 }, { -1, -1, -1, IDLE } };
int event(enum event e)
{
    if (e >= NEVENTS) return -1;
    int to = next[st][e];
    if (to < 0) return -1;
#ifdef FIXED
    st = (enum state)to;
    if (to == OPEN) handles++;
    if (to == IDLE && handles) handles--;
    notify(st);
#else
    notify((enum state)to);
    st = (enum state)to;
    if (to == OPEN) handles++;
    if (to == IDLE && handles) handles--;
#endif
    assert(handles <= 1);
    assert(st != OPEN || handles == 1);
    return st;
}
