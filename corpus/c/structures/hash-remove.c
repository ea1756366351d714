//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* An entry is removed from a hash table. The wrong version always takes the first one of the chain away. */
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
#define BUCKETS 2
struct entry { int key; struct entry *next; };
static struct entry *table[BUCKETS];
static void put(int key)
{
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->next = table[key % BUCKETS];
    table[key % BUCKETS] = e;
}
static int has(int key)
{
    for (struct entry *e = table[key % BUCKETS]; e; e = e->next)
        if (e->key == key) return 1;
    return 0;
}
static void drop(int key)
{
    struct entry **at = &table[key % BUCKETS];
#ifdef FIXED
    while (*at && (*at)->key != key) at = &(*at)->next;
#endif
    struct entry *e = *at;
    if (!e) return;
    *at = e->next;
    free(e);
}
int main(void)
{
    put(0);
    put(2);
    int key = any(2);
    drop(key);
    assert(has(0) == (key != 0));
    assert(has(2) == (key != 2));
    return 0;
}
