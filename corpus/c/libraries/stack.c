//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* A stack is popped while the destructor pops as well. */
#include <assert.h>
#define N 16
extern void destroy(int item);
static int items[N];
static unsigned top;
int push(int item)
{
    if (top >= N) return -1;
    items[top++] = item;
    return 0;
}
void pop(void)
{
    if (top == 0) return;
#ifdef FIXED
    top--;
    destroy(items[top]);
#else
    destroy(items[top - 1]);
    top--;
#endif
    assert(top <= N);
}
