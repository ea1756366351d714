//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A hash table with chains. What is removed from the middle of a chain takes the rest with it. */
#include <assert.h>
#include <stdlib.h>
struct entry { unsigned char key; struct entry *next; };
static struct entry *table[2];
static unsigned char count;
static struct entry **find(unsigned char key)
{
    struct entry **at = &table[key & 1];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}
void put(_Bool a, _Bool b)
{
    unsigned char key = 2 * a + b;
    struct entry **at = find(key);
    if (*at || count == 2)
        return;
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->next = 0;
    *at = e;
    count++;
}
void remove_key(_Bool a, _Bool b)
{
    unsigned char key = 2 * a + b;
    struct entry **at = find(key);
    struct entry *e = *at;
    if (!e)
        return;
#ifdef FIXED
    *at = e->next;
#else
    *at = 0;
#endif
    free(e);
    count--;
    unsigned char n = 0;
    for (int i = 0; i < 2; i++)
        for (struct entry *p = table[i]; p; p = p->next)
            n++;
    assert(n == count);
}
