//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A visitor sees the keys of a search tree in order. The wrong version visits the right side first. */
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
static int last = -1;
static void visit(struct tree *t)
{
    if (!t) return;
#ifdef FIXED
    visit(t->left);
#else
    visit(t->right);
#endif
    assert(t->key > last);
    last = t->key;
#ifdef FIXED
    visit(t->right);
#else
    visit(t->left);
#endif
}
int main(void)
{
    insert(any(2));
    insert(any(2));
    insert(any(2));
    visit(root);
    return 0;
}
