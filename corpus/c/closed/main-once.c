//! safe
//! with --library: unsafe: any
//! inputs: 0..0 functions 0 nesting 2
/* `main` is called once, and nobody else calls what has external linkage. */
#include <assert.h>
static int runs;
void again(void) { runs++; }
int main(void)
{
    runs++;
    assert(runs == 1);
    return 0;
}
