//! safe
//! with -DKEPT: unsafe: any
//! with --threads-of-environment 2: refused: E0613
//! inputs: 0..1 functions 0 nesting 1
/* A function of the environment may leave any number in `errno`. What the module writes there stays until then. */
#include <assert.h>
#include <errno.h>
extern int ask(void);
int get(void)
{
    errno = 0;
    assert(errno == 0);
    int n = ask();
#ifdef KEPT
    assert(errno != EPERM);
#endif
    int seen = errno;
    assert(seen == errno);
    return n;
}
