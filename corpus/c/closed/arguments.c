//! safe
//! with -DREAD: refused: E0621
//! inputs: 0..0 functions 0 nesting 1
/* The arguments of `main` may be declared, but not read. */
#include <assert.h>
int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
#ifdef READ
    assert(argc < 2);
#endif
    return 0;
}
