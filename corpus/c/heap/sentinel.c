//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A ring of elements around a static one, which is freed with the others. */
#include <stdlib.h>
struct link { struct link *next; };
static struct link ring = { &ring };
static unsigned char count;
void add(void)
{
    if (count == 2)
        return;
    struct link *n = malloc(sizeof *n);
    n->next = ring.next;
    ring.next = n;
    count++;
}
void clear(void)
{
    struct link *p = ring.next;
#ifdef FIXED
    while (p != &ring) {
        struct link *next = p->next;
        free(p);
        p = next;
    }
#else
    do {
        struct link *next = p->next;
        free(p);
        p = next;
    } while (p != ring.next);
#endif
    ring.next = &ring;
    count = 0;
}
