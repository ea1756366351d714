//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 2
/* Observers are notified in a list. One of them unregisters itself. */
#include <stdlib.h>
struct observer { unsigned char id, dead; struct observer *next; };
extern void notify(unsigned char id);
static struct observer *first;
static unsigned char count, busy;
void attach(unsigned char id)
{
    if (count == 2 || busy)
        return;
    count++;
    struct observer *o = malloc(sizeof *o);
    o->id = id & 1;
    o->dead = 0;
    o->next = first;
    first = o;
}
static void sweep(void)
{
    struct observer **at = &first;
    while (*at)
        if ((*at)->dead) {
            struct observer *o = *at;
            *at = o->next;
            free(o);
            count--;
        } else
            at = &(*at)->next;
}
void detach(unsigned char id)
{
    for (struct observer *o = first; o; o = o->next)
        if (o->id == (id & 1))
            o->dead = 1;
#ifdef FIXED
    if (!busy)
#endif
        sweep();
}
void changed(void)
{
    if (busy)
        return;
    busy = 1;
    for (struct observer *o = first; o; o = o->next)
        if (!o->dead)
            notify(o->id);
    busy = 0;
    sweep();
}
