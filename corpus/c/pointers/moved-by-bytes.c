//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A pointer to characters is moved by bytes. */
#include <assert.h>
static int cells[4] = { 1, 2, 3, 4 };
void m(void)
{
    char *bytes = (char *)cells;
    bytes += 2 * sizeof(int);
    bytes = bytes - 4;
    int *p = (int *)bytes;
#ifdef FIXED
    assert(*p == 2 && p == cells + 1);
#else
    assert(*p == 3);
#endif
}
