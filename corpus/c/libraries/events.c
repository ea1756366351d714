//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* A queue of events: a handler posts more while events are delivered. */
#include <assert.h>
#define N 4
extern void handle(int event);
static int queue[N], length;
int post(int event)
{
    if (length == N) return -1;
    queue[length++] = event;
    return 0;
}
void deliver(void)
{
#ifdef FIXED
    while (length > 0) {
        int event = queue[--length];
        handle(event);
    }
#else
    int n = length;
    for (int i = 0; i < n; i++) handle(queue[i]);
    length -= n;
#endif
    assert(length >= 0);
}
