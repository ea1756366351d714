#include <stdlib.h>
struct listener { void (*notify)(void); struct listener *next; };
static struct listener *first;
struct listener *subscribe(void (*notify)(void))
{
    if (!notify) return 0;
    struct listener *new = malloc(sizeof *new);
    new->notify = notify;
    new->next = first;
    return first = new;
}
void unsubscribe(struct listener *old)
{
    struct listener **at = &first;
    while (*at && *at != old) at = &(*at)->next;
    if (*at) { *at = old->next; free(old); }
}
void publish(void)
{
    for (struct listener *l = first; l; l = l->next) l->notify();
}
