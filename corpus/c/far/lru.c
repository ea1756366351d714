//! unsafe: any
//! skip references: there are too many stores to be tried one by one
/* A list of least recent use, doubly linked in arrays. The hook of an eviction uses the cache. */
#include <assert.h>
#define N 4
extern void evicted(int key);
static int key[N], prev[N], next[N], head = -1, tail = -1, n;
static void unlink_(int i)
{
    if (prev[i] >= 0) next[prev[i]] = next[i]; else head = next[i];
    if (next[i] >= 0) prev[next[i]] = prev[i]; else tail = prev[i];
}
static void front(int i) { prev[i] = -1; next[i] = head; if (head >= 0) prev[head] = i; else tail = i; head = i; }
void put(int k)
{
    int i;
    for (i = head; i >= 0; i = next[i]) if (key[i] == k) { unlink_(i); front(i); return; }
    if (n < N) i = n++;
    else {
        i = tail;
        assert(i >= 0);
#ifdef FIXED
        int old = key[i];
        unlink_(i); key[i] = k; front(i);
        evicted(old);
        return;
#else
        unlink_(i);
        evicted(key[i]);
#endif
    }
    key[i] = k;
    front(i);
}
