//! unsafe: any
//! with -DFIXED: safe
//! skip references: there are too many stores to be tried one by one
/* A hash table with open addressing. The client gives the hash of a key, and inserts others meanwhile. */
#include <assert.h>
#define N 8
extern int hash(int key);
static int slot[N], count;                       /* 0: free */
int insert(int key)
{
    if (key == 0 || count >= N - 1) return -1;
    int h = hash(key) & (N - 1);
#ifdef FIXED
    if (count >= N - 1) return -1;
#endif
    while (slot[h] && slot[h] != key) h = (h + 1) & (N - 1);
    if (!slot[h]) { slot[h] = key; count++; }
    assert(count < N);
    return h;
}
void clear(void) { for (int i = 0; i < N; i++) slot[i] = 0; count = 0; }
