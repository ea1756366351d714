//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The greatest of some records, by a pointer to it. The wrong version keeps a pointer behind the last one. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
struct record { int key; int value; };
int main(void)
{
    struct record all[3], *best;
    for (int i = 0; i < 3; i++) {
        all[i].key = any(1);
        all[i].value = i;
    }
#ifdef FIXED
    best = all;
#else
    best = all + 3;
#endif
    for (struct record *r = all; r < all + 3; r++)
        if (r->key > best->key) best = r;
    for (int i = 0; i < 3; i++) assert(all[i].key <= best->key);
    return 0;
}
