//! safe
//! inputs: 0..0 functions 0 nesting 1
/* `main` may call itself; only its first return ends the program. */
#include <assert.h>
static int depth;
int main(void)
{
    if (depth++ < 3) main();
    assert(depth == 4);
}
