//! safe
//! with -DEAGER: unsafe

/* A bucket of tokens. The environment has `now`, and may call `take` again before `now` returns. */

#include <assert.h>

extern int now(void);

static int tokens = 2;
static int last;

int take(void) {
    if (tokens == 0)
        return 0;
#ifdef EAGER
    last = now();
    tokens = tokens - 1;
#else
    tokens = tokens - 1;
    last = now();
#endif
    assert(tokens >= 0);
    return last >= 0;
}
