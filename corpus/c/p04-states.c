//! unsafe: open_it() · entered(1) · close_it() · entered(3) · ret · ret · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 4
//! twin: modules/p04-states.ia, with -DFIXED modules/p04-states-fixed.ia
/* A connection tells its user each state it enters; the user closes it from there. Closed is final. */
#include <assert.h>
enum state { IDLE, CONNECTING, OPEN, CLOSED };
extern void entered(int s);
static enum state st = IDLE;
static int closed_told;
static void enter(enum state s) { st = s; if (s == CLOSED) closed_told = 1; entered(s); }
void close_it(void)
{
    switch (st) {
    case CONNECTING: case OPEN: enter(CLOSED); break;
    default: break;
    }
}
void open_it(void)
{
    switch (st) {
    case IDLE:
        enter(CONNECTING);
#ifdef FIXED
        if (st != CONNECTING) return;
#endif
        assert(!closed_told);
        enter(OPEN);
        break;
    case CONNECTING: case OPEN: case CLOSED: return;
    }
}
