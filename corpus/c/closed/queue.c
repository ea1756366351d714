//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A queue in a ring of three places: what comes out first came in first, and it never holds more than three. */
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
static int ring[3];
static unsigned first, count;
static int put(int n)
{
#ifdef FIXED
    if (count == 3) return 0;
#else
    if (count > 3) return 0;
#endif
    ring[(first + count) % 3] = n;
    count++;
    return 1;
}
static int get(void)
{
    int n = ring[first];
    first = (first + 1) % 3;
    count--;
    return n;
}
int main(void)
{
    int next = 0, wanted = 0;
    for (int i = 0; i < 6; i++) {
        if (__VERIFIER_nondet_bool()) {
            if (put(next)) next++;
        } else if (count > 0)
            {
            int got = get();
            assert(got == wanted);
            wanted++;
        }
    }
    return 0;
}
