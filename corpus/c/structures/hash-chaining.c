//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A hash table with chains. The wrong version looks at the first entry of a chain only. */
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
struct entry { int key, value; struct entry *next; };
static struct entry *table[BUCKETS];
static struct entry *find(int key)
{
    struct entry *e = table[key % BUCKETS];
#ifdef FIXED
    while (e && e->key != key) e = e->next;
#else
    if (e && e->key != key) e = 0;
#endif
    return e;
}
static void put(int key, int value)
{
    struct entry *e = find(key);
    if (!e) {
        e = malloc(sizeof *e);
        e->key = key;
        e->next = table[key % BUCKETS];
        table[key % BUCKETS] = e;
    }
    e->value = value;
}
int main(void)
{
    int a = any(3), b = any(3);
    put(a, 1);
    put(b, 2);
    assert(find(a) && find(a)->value == (a == b ? 2 : 1));
    assert(find(b)->value == 2);
    return 0;
}
