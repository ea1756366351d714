//! safe
//! with -DTWICE: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* The index of what is changed is computed once, though a call may come between reading and writing the element. */
#include <assert.h>
static int a[2], calls;
static int next(void) { calls++; return 0; }
static int fill(int v) { a[1] = v; return v; }
void run(int v)
{
    a[0] = 1;
    calls = 0;
    int i = 0;
    a[i++] += fill(v);
    a[next()] += fill(v);
#ifdef TWICE
    assert(i == 2 || calls == 2);
#else
    assert(i == 1 && calls == 1);
#endif
    assert(a[0] == (int)(1u + v + v));
}
