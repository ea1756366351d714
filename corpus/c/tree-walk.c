//! safe
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/tree-walk.ia
/* A recursive walk of a tree in arrays; each node is counted once, whatever the visitor asks for meanwhile. */
#include <assert.h>
#define N 7
extern void visit(unsigned char i);
static unsigned char walked;
static unsigned char size(unsigned char i) { return i >= N ? 0 : 1 + size(2 * i + 1) + size(2 * i + 2); }
static unsigned char walk(unsigned char i)
{
    if (i >= N) return 0;
    visit(i);
    unsigned char below = walk(2 * i + 1);
    return 1 + below + walk(2 * i + 2);
}
unsigned char count(void) { assert(size(0) == N); return size(0); }
void go(void)
{
    walked = walk(0);
    assert(walked == N);
}
