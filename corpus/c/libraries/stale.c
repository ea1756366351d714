//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* The index of a free slot is kept across a callback. */
#include <assert.h>
#define N 4
extern int confirm(int key);
static int used[N], keys[N];
int insert(int key)
{
    int at = -1;
    for (int i = 0; i < N; i++)
        if (!used[i]) { at = i; break; }
    if (at < 0) return -1;
#ifdef FIXED
    used[at] = 1;
    if (!confirm(key)) { used[at] = 0; return -1; }
#else
    if (!confirm(key)) return -1;
    assert(!used[at]);
    used[at] = 1;
#endif
    keys[at] = key;
    return at;
}
void erase(int at) { (void)at; }
