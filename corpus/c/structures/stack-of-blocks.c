//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A stack in blocks that are allocated when they are needed. The wrong version never takes an empty block away. */
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
#define SIZE 2
struct block { int items[SIZE]; int used; struct block *below; };
static struct block *top;
static void push(int value)
{
    if (!top || top->used == SIZE) {
        struct block *b = malloc(sizeof *b);
        b->used = 0;
        b->below = top;
        top = b;
    }
    top->items[top->used++] = value;
}
static int pop(void)
{
    int value = top->items[--top->used];
#ifdef FIXED
    if (top->used == 0) {
        struct block *b = top;
        top = b->below;
        free(b);
    }
#endif
    return value;
}
int main(void)
{
    int n = any(2) + 1;
    for (int i = 0; i < n; i++) push(i);
    for (int i = n; i-- > 0;) assert(pop() == i);
    assert(!top);
    return 0;
}
