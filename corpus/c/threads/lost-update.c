//! safe
//! with --threads-of-environment 2: safe
//! with --threads-of-environment 2: unsafe lost(): any
//! inputs: 0..0 functions 0 nesting 2
//! twin: threads/lost-update.ia
/* A counter is read and written in two steps: with two threads an update can be lost, and the module says so. */
extern void lost(void);
static unsigned char x;
void add(void)
{
    unsigned char now = (x + 1) % 4;
    x = now;
    if (x != now) lost();
}
