//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The depth of a tree. The wrong version takes the lesser one of both sides. */
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
struct tree { int key; struct tree *left, *right; };
static struct tree *root;
static void insert(int key)
{
    struct tree **at = &root;
    while (*at) {
        if ((*at)->key == key) return;
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    struct tree *t = malloc(sizeof *t);
    t->key = key;
    t->left = t->right = 0;
    *at = t;
}
static int depth(const struct tree *t)
{
    if (!t) return 0;
    int a = depth(t->left), b = depth(t->right);
#ifdef FIXED
    return 1 + (a > b ? a : b);
#else
    return 1 + (a < b ? a : b);
#endif
}
int main(void)
{
    int first = any(2), second = any(2);
    insert(first);
    insert(second);
    assert(depth(root) == (first == second ? 1 : 2));
    return 0;
}
