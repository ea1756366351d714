//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* Requests in flight: each completion takes one away. */
#include <assert.h>
extern int send(int request);
static int flying, window = 16;
int submit(int request)
{
    if (flying >= window) return -1;
#ifdef FIXED
    flying++;
    if (send(request) < 0) { if (flying > 0) flying--; return -1; }
#else
    if (send(request) < 0) return -1;
    flying++;
#endif
    assert(flying <= window);
    return 0;
}
void complete(void) { if (flying > 0) flying--; }
