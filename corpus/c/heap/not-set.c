//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Allocated memory holds nothing yet. */
#include <assert.h>
#include <stdlib.h>
struct s { int a, b; };
void run(void)
{
#ifdef FIXED
    struct s *p = calloc(1, sizeof(struct s));
#else
    struct s *p = malloc(sizeof(struct s));
#endif
    p->a = 1;
    assert(p->b == 0);
    free(p);
}
