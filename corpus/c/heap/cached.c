//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The last element that was found is remembered, also when it is gone. */
#include <stdlib.h>
struct entry { unsigned char key, value; };
static struct entry *entry, *last;
void put(unsigned char v)
{
    if (!entry)
        entry = calloc(1, sizeof *entry);
    entry->value = v & 1;
}
void drop(void)
{
    free(entry);
#ifdef FIXED
    if (last == entry)
        last = 0;
#endif
    entry = 0;
}
int get(void)
{
    if (!last)
        last = entry;
    return last ? last->value : -1;
}
