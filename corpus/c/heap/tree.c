//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A search tree. A node without a right side is followed to the right. */
#include <assert.h>
#include <stdlib.h>
struct node { unsigned char v; struct node *left, *right; };
static struct node *root;
static unsigned char count;
void insert(unsigned char v)
{
    if (count == 2)
        return;
    v %= 3;
    struct node **at = &root;
    while (*at) {
        if ((*at)->v == v)
            return;
        at = v < (*at)->v ? &(*at)->left : &(*at)->right;
    }
#ifdef FIXED
    struct node *n = calloc(1, sizeof *n);
#else
    struct node *n = malloc(sizeof *n);
    n->left = 0;
#endif
    n->v = v;
    *at = n;
    count++;
}
static unsigned char size(const struct node *n)
{
    if (!n)
        return 0;
    unsigned char left = size(n->left);
    return left + 1 + size(n->right);
}
void check(void) { assert(size(root) == count); }
