//! unknown
//! inputs: 0..0 functions 0 nesting 1
/* A pointer to the characters of a structure leads to all of them, not only to a first member that is a character. */
#include <assert.h>
static struct pair { char a, b; } pair = { 1, 2 };
void m(void)
{
    char *bytes = (char *)&pair;
    assert(bytes[1] == 2);
}
