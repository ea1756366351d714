//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* Readers and a writer: a reader that asks to write must be the only one. */
#include <assert.h>
extern int wants_to_write(int who);
static int readers, writing;
int read_lock(void)
{
    if (writing || readers >= 64) return -1;
    readers++;
    return 0;
}
void read_unlock(void) { if (readers > 0) readers--; }
int upgrade(int who)
{
    if (writing || readers != 1) return -1;
#ifdef FIXED
    if (!wants_to_write(who) || writing || readers != 1) return -1;
#else
    if (!wants_to_write(who)) return -1;
#endif
    readers = 0;
    assert(!writing);
    writing = 1;

    return 0;
}
void write_unlock(void) { assert(!writing || readers == 0); writing = 0; }
