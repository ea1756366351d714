//! unsafe: any
//! with -DFIXED: safe
//! inputs: 8..8 functions 0 nesting 1
/* A table of slots by the hash of a key. */
#include <assert.h>
#define N 8
extern unsigned hash(int key);
static int used[N];
int claim(int key)
{
    unsigned h = hash(key);
#ifdef FIXED
    unsigned at = h % N;
#else
    unsigned at = h % (N + 1);
#endif
    if (used[at]) return 0;
    used[at] = 1;
    return 1;
}
void unclaim(unsigned h) { used[h & (N - 1)] = 0; }
