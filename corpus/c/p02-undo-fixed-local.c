//! safe
//! equivalent: p02-undo.c -DFIXED
//! inputs: -1..1 functions 0 nesting 3
//! twin: modules/p02-undo-fixed-local.ia
/* An edit tells its listener before it is on the undo stack; the listener undoes. */
#include <assert.h>
#define DEPTH 3
extern void on_change(int doc);
static int doc, stack[DEPTH], top;
void edit(int v)
{
    if (v < 0 || v > 2 || top == DEPTH) return;
    int before = doc;
    stack[top++] = before;
    doc = v;
    on_change(v);
}
void undo(void) { if (top > 0) doc = stack[--top]; }
