//! unsafe: any
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..1 functions 1 nesting 3
//! with -DFIXED inputs: 0..1 functions 1 nesting 2 activations 3
//! twin: modules/p08-dispatch.ia, with -DFIXED modules/p08-dispatch-fixed.ia
/* A table of own functions and functions of the environment, called by an index that the environment picks.
 * No assert: the property is that the index is in bounds and nothing is called through a null pointer. */
typedef int (*fn)(int);
extern int pick(int n);
static int twice(int x) { return x < 1000 && x > -1000 ? 2 * x : 0; }
static fn table[3] = {twice, 0, 0};
static int n = 1;
int add(fn f) { if (!f || n == 3) return -1; table[n++] = f; return 0; }
void trim(void) { if (n > 1) table[--n] = 0; }
int run(int x)
{
    int most = n, i = pick(most);
    if (i < 0 || i >= most) return -1;
#ifdef FIXED
    if (i >= n) return -1;
#endif
    return table[i](x);
}
