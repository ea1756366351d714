//! unsafe: any
//! with -DFIXED: safe
//! inputs: 16..17 functions 0 nesting 1
//! skip references: there are too many stores to be tried one by one
/* A length is asked twice: once for the check, once for the copy. */
#include <assert.h>
#define N 16
extern int length(void);
extern char byte(int at);
static char buffer[N];
static int filled;
int load(void)
{
    int n = length();
    if (n < 0 || n > N) return -1;
#ifdef FIXED
    int m = n;
#else
    int m = length();
#endif
    filled = 0;
    for (int i = 0; i < m; i++) {
        char c = byte(i);
        buffer[i] = c;
    }
    filled = m;
    assert(filled <= N);
    return 0;
}
