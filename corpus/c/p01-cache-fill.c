//! unsafe: get(0) · load(0) · get(0) · load(0) · ret -1 · ret -1 · ret -1 · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: -1..1 functions 0 nesting 3
//! twin: modules/p01-cache-fill.ia, with -DFIXED modules/p01-cache-fill-fixed.ia
/* A miss asks the loader; the loader may use the cache and fill the same key. Each key is cached once. */
#include <assert.h>
#define N 3
extern int load(int key);
static int keys[N], vals[N], n;
static int find(int k) { for (int i = 0; i < n; i++) if (keys[i] == k) return i; return -1; }
int get(int k)
{
    if (k < 0 || k > 3) return -1;
    int i = find(k);
    if (i >= 0) return vals[i];
    if (n == N) return -1;
    int v = load(k);
#ifdef FIXED
    i = find(k);
    if (i >= 0) return vals[i];
    if (n == N) return v;
#endif
    assert(n < N);
    assert(find(k) < 0);
    keys[n] = k; vals[n] = v; n++;
    return v;
}
void drop_all(void) { n = 0; }
