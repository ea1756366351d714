//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A ring buffer. The wrong version takes a full one for an empty one. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
#define SIZE 3
static int items[SIZE], first, count;
static int put(int value)
{
#ifdef FIXED
    if (count == SIZE) return 0;
#else
    if (count > SIZE) return 0;
#endif
    items[(first + count) % SIZE] = value;
    count++;
    return 1;
}
static int get(int *value)
{
    if (count == 0) return 0;
    *value = items[first];
    first = (first + 1) % SIZE;
    count--;
    return 1;
}
int main(void)
{
    int in = 0, out = 0, value;
    for (int step = 0; step < 6; step++) {
        if (any(1)) {
            if (put(in)) in++;
        } else if (get(&value)) {
            assert(value == out);
            out++;
        }
    }
    return 0;
}
