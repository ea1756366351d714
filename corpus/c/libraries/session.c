//! unsafe: any
//! with -DFIXED: safe
//! inputs: 4096..4096 functions 0 nesting 2
/* A session is closed by its own handler; bytes that are received later belong to nobody. */
#include <assert.h>
extern int on_data(int n);
static int open, received, limit = 4096;
void start(void) { if (!open) { open = 1; received = 0; } }
void finish(void) { open = 0; received = 0; }
int receive(int n)
{
    if (!open || n <= 0 || n > limit - received) return -1;
#ifdef FIXED
    received += n;
    on_data(n);
    assert(received <= limit);
#else
    on_data(n);
    received += n;
    assert(received <= limit);
#endif
    return 0;
}
