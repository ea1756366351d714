//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A pointer is moved before it is asked whether it is null. */
static char text[2] = "a";
static char *at;
void open(void) { at = text; }
char next(void)
{
#ifdef FIXED
    if (!at)
        return 0;
#endif
    char c = *at++;
    at = 0;
    return c;
}
