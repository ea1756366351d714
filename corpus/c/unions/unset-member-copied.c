//! safe-up-to: structures all of whose members are set where they are copied
//! inputs: 0..0 functions 0 nesting 1
/* A structure may be copied though a member was never set; reading that member is a failure. */
#include <assert.h>
struct pair { int a, b; };
static struct pair kept;
static struct pair give(void) { struct pair p; p.a = 1; return p; }
int main(void)
{
    struct pair p;
    p.a = 1;
    kept = p;
    assert(kept.a == 1);
    p = give();
    assert(p.a == 1);
    return 0;
}
