//! unsafe: keep(run) · ret · run() · fail
//! moves: 2
//! inputs: 0..0 functions 1 nesting 2
/* A callback that was kept may be the export itself. */
#include <assert.h>
static void (*kept)(void);
static int depth;
void keep(void (*f)(void)) { kept = f; }
void run(void)
{
    if (depth == 3) return;
    assert(depth == 0);
    depth++;
    if (kept) kept();
    depth--;
}
