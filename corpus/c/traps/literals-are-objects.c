//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A compound literal is an object: it has an address, and is made anew where it is reached again. */
#include <assert.h>
struct pair { int a, b; };
static int *numbers = (int[]){ 4, 5, 6 };
static int sum(const struct pair *p) { return p->a + p->b; }
void m(void)
{
    int total = 0;
    for (int i = 0; i < 2; i++) {
        int *p = (int[2]){ i };
        p[1] += 1;
        total += p[0] + p[1];
    }
    assert(total == 3 && numbers[1] == 5);
    struct pair *q = &(struct pair){ .b = 2 };
    q->a = 3;
#ifdef FIXED
    assert((sum(q) == 5 && sum(&(struct pair){ 1, 2 }) == 3 && (int[]){ 7, 8 }[1] == 8));
#else
    assert(sum(q) == 2);
#endif
}
