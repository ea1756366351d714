//! safe
//! inputs: 0..1 functions 0 nesting 2 activations 6
//! twin: modules/recursion-around-a-call.ia
/* A private function calls itself around imports, as often as the environment likes. A second run is refused meanwhile. */
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
