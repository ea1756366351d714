//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A number is deleted from a list. The wrong version goes on with the node that it has freed. */
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
struct node { int value; struct node *next; };
static struct node *head;
static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    head = n;
}
static void delete(int value)
{
    struct node **at = &head;
    while (*at) {
        struct node *n = *at;
        if (n->value == value) {
#ifdef FIXED
            *at = n->next;
            free(n);
#else
            free(n);
            *at = n->next;
#endif
        } else {
            at = &n->next;
        }
    }
}
int main(void)
{
    push(any(1));
    push(any(1));
    delete(1);
    for (struct node *n = head; n; n = n->next) assert(n->value == 0);
    while (head) {
        struct node *n = head;
        head = n->next;
        free(n);
    }
    return 0;
}
