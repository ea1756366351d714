//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* Memory is allocated by functions that give a `void *`; callers say what it is for. */
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) abort();
    return p;
}
static void *many(size_t count, size_t each) { return allocate(count * each); }
int main(void)
{
    struct node *n = allocate(sizeof *n);
    int *numbers = many(3, sizeof *numbers);
    n->value = 1;
    n->next = 0;
    for (int i = 0; i < 3; i++) numbers[i] = i;
#ifdef FIXED
    assert(n->value + numbers[2] == 3);
#else
    assert(n->value + numbers[3] == 3);
#endif
    free(numbers);
    free(n);
    return 0;
}
