//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A tree is freed from the root downwards. */
#include <stdlib.h>
struct node { struct node *left, *right; };
static struct node *root;
void grow(void)
{
    if (root)
        return;
    root = calloc(1, sizeof *root);
    root->right = calloc(1, sizeof *root);
}
static void drop(struct node *n)
{
    if (!n)
        return;
#ifdef FIXED
    drop(n->left);
    drop(n->right);
    free(n);
#else
    free(n);
    drop(n->left);
    drop(n->right);
#endif
}
void clear(void)
{
    drop(root);
    root = 0;
}
