//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* Writing one union of an array leaves the others alone. */
#include <assert.h>
struct cell { char kind; union { int number; int pair[2]; }; };
static struct cell cells[3];
int main(void)
{
    for (int i = 0; i < 3; i++) {
        cells[i].kind = 0;
        cells[i].number = i;
    }
    cells[1].kind = 1;
    cells[1].pair[0] = 7;
    cells[1].pair[1] = 8;
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += cells[i].kind ? cells[i].pair[0] + cells[i].pair[1] : cells[i].number;
#ifdef FIXED
    assert(sum == 17);
#else
    assert(sum == 16);
#endif
    return 0;
}
