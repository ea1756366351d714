//! unsafe: any
//! with -DCLEARED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A handle is stored where the client can write. The client need not: the pointer stays there when the object has died. */
#include <stdlib.h>
struct box {
    int v;
};
struct box *kept;
static int made;
struct box *make(void)
{
    if (made) return 0;
    struct box *b = malloc(sizeof *b);
    b->v = 1;
    made = 1;
    kept = b;
    return b;
}
void drop(struct box *b)
{
    if (!b) return;
    free(b);
    made = 0;
#ifdef CLEARED
    kept = 0;
#endif
}
int look(void)
{
    if (!made && kept) return kept->v;
    return 0;
}
