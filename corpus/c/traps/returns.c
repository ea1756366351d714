//! unsafe: m() · ask() · ret 2 · fail
//! moves: 2
//! with --returns ask=0..1: safe
//! inputs: 0..2 functions 0 nesting 1
/* The range of what an import gives. */
extern int ask(void);
static int a[2];
void m(void)
{
    int i = ask();
    if (i >= 0) a[i] = 1;
}
