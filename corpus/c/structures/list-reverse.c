//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A list is turned round in place. The wrong version loses the rest. */
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node cells[3];
int main(void)
{
    struct node *head = 0, *back = 0;
    for (int i = 0; i < 3; i++) {
        cells[i].value = i;
        cells[i].next = head;
        head = &cells[i];
    }
    while (head) {
#ifdef FIXED
        struct node *rest = head->next;
        head->next = back;
        back = head;
        head = rest;
#else
        struct node *rest = head;
        head = head->next;
        rest->next = back;
        back = head;
#endif
    }
    int n = 0;
    for (; back; back = back->next) assert(back->value == n++);
    assert(n == 3);
    return 0;
}
