//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A `void *` variable is used as a pointer to one type. */
#include <assert.h>
#include <stdlib.h>
struct pair { int a, b; };
int main(void)
{
    void *raw = malloc(sizeof(struct pair));
    struct pair *p = raw;
    p->a = 1;
#ifdef FIXED
    p->b = 2;
#endif
    assert(p->a + p->b == 3);
    free(raw);
    return 0;
}
