//! unsafe: run() · ask() · ret 1 · ask() · ret 0 · fail
//! moves: 3
//! inputs: 0..1 functions 0 nesting 1
//! twin: modules/recursion-by-name.ia
/* A function that calls itself through a pointer to it. */
#include <assert.h>
extern int ask(void);
static unsigned depth;
static void (*again)(void);
static void step(void)
{
    depth = (depth + 1) % 3;
    if (ask() && again) again();
    assert(depth != 2);
}
void run(void)
{
    again = step;
    depth = 0;
    step();
}
