/* Objects are allocated and never freed. */
#include <stdlib.h>
struct item { int number; struct item *next; };
static struct item *all;
void add(void)
{
    struct item *i = malloc(sizeof *i);
    i->number = 1;
    i->next = all;
    all = i;
}
