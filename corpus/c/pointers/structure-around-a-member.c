//! safe
//! with -DWRONG: unsafe: get(1) · fail
//! with -DEMPTY: unsafe: any
//! inputs: 0..2 functions 0 nesting 1
/* A list goes through members, and the structures around them are found by where the members lie. */
#include <assert.h>
#include <stddef.h>
#define AROUND(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
struct link { struct link *next; };
struct item { char tag; int key; struct link by_age, by_key; };
static struct item items[3] = { { 'a', 1 }, { 'b', 2 }, { 'c', 3 } };
static struct item single = { 's', 9 };
static struct link *ages = &items[2].by_age, *keys = &single.by_key;
int get(int n)
{
    items[2].by_age.next = &items[0].by_age;
    items[0].by_age.next = &single.by_age;
    single.by_key.next = &items[1].by_key;
    struct item *oldest = AROUND(ages, struct item, by_age);
    assert(oldest == &items[2] && oldest->key == 3);
    struct item *second = AROUND(ages->next, struct item, by_age);
    assert(second == items && second->tag == 'a');
    struct item *third = AROUND(second->by_age.next, struct item, by_age);
    assert(third == &single && third->key == 9);
    struct item *key = AROUND(keys->next, struct item, by_key);
    assert(key - items == 1);
    key->key = n;
#ifdef WRONG
    assert(items[1].key != 1);
#else
    assert(items[1].key == n);
#endif
#ifdef EMPTY
    return AROUND(third->by_age.next, struct item, by_age)->key;
#else
    return AROUND(&oldest->by_key, const struct item, by_key)->key;
#endif
}
