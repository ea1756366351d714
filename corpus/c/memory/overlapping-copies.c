//! unsafe: any
//! with -DMOVED: safe
//! with -DTEXT: unsafe: any
//! with -DTEXT -DMOVED: safe
//! with -DAPART: safe
//! inputs: 0..1 functions 0 nesting 1
/* What is copied by `memcpy` or `strcpy` must not overlap the place that it is copied to. */
#include <string.h>
static int queue[4];
static char name[8] = "agon";
void shift(void)
{
#ifdef TEXT
#ifdef MOVED
    if (name[0]) memmove(name, name + 1, strlen(name + 1) + 1);
#else
    if (name[0]) strcpy(name, name + 1);
#endif
#elif defined MOVED
    memmove(queue, queue + 1, 3 * sizeof(int));
#elif defined APART
    memcpy(queue, queue + 2, 2 * sizeof(int));
#else
    memcpy(queue, queue + 1, 3 * sizeof(int));
#endif
}
