//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* Two structures own one buffer. */
#include <stdlib.h>
struct text { char *data; unsigned char size; };
static struct text a, b;
static void clear(struct text *t)
{
    free(t->data);
    t->data = 0;
    t->size = 0;
}
void set(unsigned char c)
{
    clear(&a);
    a.data = malloc(2);
    a.data[0] = c & 1;
    a.data[1] = 0;
    a.size = 1;
}
void copy(void)
{
    clear(&b);
#ifdef FIXED
    if (a.data) {
        b.data = malloc(2);
        b.data[0] = a.data[0];
        b.data[1] = a.data[1];
        b.size = a.size;
    }
#else
    b = a;
#endif
}
