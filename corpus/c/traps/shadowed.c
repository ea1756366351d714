//! safe
//! inputs: -1..1 functions 0 nesting 2
/* An inner declaration hides an outer one, also one of the file. */
#include <assert.h>
static int x = 1;
void m(int y)
{
    int x = 2;
    {
        int x = 3, y = x;
        assert(x == 3 && y == 3);
    }
    for (int x = 4; x < 5; x++) assert(x == 4);
    assert(x == 2);
    { extern int outer(void); (void)y; }
}
int get(void) { return x; }
