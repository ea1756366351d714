//! unsafe: m(1) · give_up() · ret · fail
//! moves: 2
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/behind-what-may-end.ia
/* An import returns, whatever its name is. */
#include <assert.h>
extern void give_up(void);
void m(int bad)
{
    if (bad) give_up();
    assert(!bad);
}
