//! unsafe: any
//! moves: 8
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/tree-walk-wrong.ia
/* A recursive walk that counts in data of the file, which a nested walk counts in as well. */
#include <assert.h>
#define N 3
extern void visit(unsigned char i);
static unsigned char walked;
static void walk(unsigned char i)
{
    if (i >= N) return;
    visit(i);
    walked = (walked + 1) % 8;
    walk(2 * i + 1);
    walk(2 * i + 2);
}
void go(void)
{
    walked = 0;
    walk(0);
    assert(walked == N);
}
