//! safe
//! with --threads-of-environment 2: safe

/* Numbers are handed out, each once. */
#include <assert.h>
static unsigned char next;
static unsigned char given[4];

void ticket(void)
{
    if (next == 4) return;
    given[next]++;
    assert(given[next] == 1);
    next++;
}
