//! unsafe: any
//! skip references: there are too many stores to be tried one by one
/* A grid with the sums of its rows. The hook sets cells between the cell and the sum. */
#include <assert.h>
#define W 4
extern void changed(int x, int y);
static int cell[W][W], full[W];
int set(int x, int y)
{
    if (x < 0 || x >= W || y < 0 || y >= W || cell[x][y]) return -1;
#ifdef FIXED
    cell[x][y] = 1;
    full[x]++;
    changed(x, y);
#else
    changed(x, y);
    cell[x][y] = 1;
    full[x]++;
#endif
    assert(full[x] <= W);
    return full[x];
}
int unset(int x, int y)
{
    if (x < 0 || x >= W || y < 0 || y >= W || !cell[x][y]) return -1;
    cell[x][y] = 0;
    full[x]--;
    assert(full[x] >= 0);
    return full[x];
}
