//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
//! skip gcc: its sanitizer does not see that a null pointer is moved and not followed
/* A null pointer points into no array, so nothing may be added to it (C11 6.5.6p8); nothing is followed here. */
static int cells[3], *at;
void begin(void) { at = cells; }
int left(void)
{
#ifdef FIXED
    if (!at) return 0;
#endif
    const char *end = (const char *)(at + 2);
    return end != 0;
}
