//! unsafe: run() · ask() · stop() · ret · ret 0 · fail
//! moves: 3
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/recursion-around-a-call-wrong.ia
/* The same with a way to stop, which the environment may use while the walk goes on. */
#include <assert.h>
extern int ask(void);
extern void say(void);
static int inside;
static void walk(void) { if (ask()) { walk(); say(); } }
void run(void)
{
    if (inside) return;
    inside = 1;
    walk();
    assert(inside);
    inside = 0;
}
void stop(void) { inside = 0; }
