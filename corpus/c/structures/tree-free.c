//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A tree is freed by a recursive visitor. The wrong version frees a node before it looks at its children. */
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
static int freed;
static void drop(struct tree *t)
{
    if (!t) return;
#ifdef FIXED
    drop(t->left);
    drop(t->right);
    free(t);
#else
    free(t);
    drop(t->left);
    drop(t->right);
#endif
    freed++;
}
int main(void)
{
    insert(1);
    insert(any(2));
    insert(any(2));
    drop(root);
    assert(freed >= 1 && freed <= 3);
    return 0;
}
