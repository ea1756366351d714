//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* Nothing ever sets the hook. */
struct hook { int n; struct hook *next; };
static struct hook *first;
int run(int v)
{
#ifdef FIXED
    if (first)
#endif
        first->n = v;
    return first ? first->next->n : 0;
}
