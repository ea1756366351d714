//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The least key of a tree is taken out. The wrong version forgets what is to the right of it. */
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
static int take(void)
{
    struct tree **at = &root;
    while ((*at)->left) at = &(*at)->left;
    struct tree *t = *at;
    int key = t->key;
#ifdef FIXED
    *at = t->right;
#else
    *at = 0;
#endif
    free(t);
    return key;
}
static int find(int key)
{
    struct tree *t = root;
    while (t && t->key != key) t = key < t->key ? t->left : t->right;
    return t != 0;
}
int main(void)
{
    int a = any(2), b = any(2);
    __VERIFIER_assume(a != b);
    insert(a);
    insert(b);
    int least = a < b ? a : b;
    assert(take() == least);
    assert(find(a + b - least));
    return 0;
}
