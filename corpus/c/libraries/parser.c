//! unsafe: any
//! with -DFIXED: safe
//! inputs: 32..32 functions 0 nesting 2
/* A parser remembers where it is; a callback for each token may seek. */
#include <assert.h>
#define N 32
extern char read_at(int at);
extern void token(int from, int to);
static int position, length = N;
void seek(int at) { if (at >= 0 && at <= length) position = at; }
void next(void)
{
    int from = position;
    while (position < length) {
        char c = read_at(position);
#ifdef FIXED
        if (position >= length) break;
#endif
        position++;
        assert(position <= length);
        if (c == ' ') break;
    }
    token(from, position);
}
