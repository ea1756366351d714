//! refused: E0612
/* A function that is called where a variable ends is not seen among the statements. */
#include <assert.h>
static int ended;
static void end(int *n) { ended += *n; }
void m(void)
{
    { int n __attribute__((cleanup(end))) = 1; }
    assert(ended == 0);
}
