//! safe
//! with --library: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* Data with external linkage belongs to the program, whatever functions it calls. */
#include <assert.h>
extern int ask(void);
int count;
volatile int seen;
int main(void)
{
    count = 3;
    seen = ask();
    int first = seen;
    ask();
    assert(count == 3 && first == seen);
    return 0;
}
