//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A recursive visitor. The callback cuts off the side that is still to be visited. */
#include <stdlib.h>
struct node { struct node *left, *right; };
extern void visit(void);
static struct node *root;
static unsigned char busy;
void grow(void)
{
    if (root || busy)
        return;
    root = calloc(1, sizeof *root);
    root->left = calloc(1, sizeof *root);
}
void cut(void)
{
#ifdef FIXED
    if (busy)
        return;
#endif
    if (root && root->left) {
        free(root->left);
        root->left = 0;
    }
}
static void walk(struct node *n)
{
    if (!n)
        return;
    struct node *left = n->left;
    visit();
    walk(left);
    walk(n->right);
}
void run(void)
{
    if (busy)
        return;
    busy = 1;
    walk(root);
    busy = 0;
}
