//! unsafe: start() · arm(tick, 1) · stop() · ret · tick(0) · fail
//! moves: 3
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 3
//! twin: modules/p14-escape.ia, with -DFIXED modules/p14-escape-fixed.ia
/* A private function is handed to a timer service. From then on the environment may call it at any time, also after stop(). */
#include <assert.h>
extern void arm(void (*tick)(int), int generation);
static int running, gen;
static void tick(int g)
{
#ifdef FIXED
    if (!running || g != gen) return;
#else
    (void)g;
#endif
    assert(running);
}
void start(void) { if (!running && gen < 3) { running = 1; gen++; arm(tick, gen); } }
void stop(void) { running = 0; }
