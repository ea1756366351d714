//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* A list in an array is walked while callbacks delete from it. */
#include <assert.h>
#define N 4
extern void visit(int item);
static int items[N], count, walking;
void add(int item) { if (count < N) items[count++] = item; }
void remove_last(void)
{
#ifdef FIXED
    if (walking) return;
#endif
    if (count > 0) count--;
}
void each(void)
{
    int was = walking;
    walking = 1;
    int n = count;
    for (int i = 0; i < n; i++) {
        assert(i < count);
        visit(items[i]);
    }
    walking = was;
}
