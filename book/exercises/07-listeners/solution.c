//! safe

/* Up to two listeners are called for each event. The last one may leave, also while listeners are called. */
#include <stddef.h>
#define MOST 2
typedef void listener(void);
static listener *all[MOST];
static int count;

void join(listener *l)
{
    if (l == NULL || count == MOST) return;
    all[count] = l;
    count++;
}

void leave(void)
{
    if (count == 0) return;
    count--;
    all[count] = NULL;
}

void event(void)
{
    for (int i = 0; i < count; i++)
        all[i]();
}
