//! safe
//! equivalent: p04-states.c -DFIXED
//! inputs: 0..0 functions 0 nesting 4
//! twin: modules/p04-states-fixed-local.ia
/* A connection tells its user each state it enters; the user closes it from there. Closed is final. */
#include <assert.h>
enum state { IDLE, CONNECTING, OPEN, CLOSED };
extern void entered(int s);
static enum state st = IDLE;
static int closed_told;
static void enter(enum state s) { enum state now = s; st = now; if (s == CLOSED) closed_told = 1; entered(s); }
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
        if (st != CONNECTING) return;
        assert(!closed_told);
        enter(OPEN);
        break;
    case CONNECTING: case OPEN: case CLOSED: return;
    }
}
