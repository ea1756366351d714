//! safe
//! inputs: -1..1 functions 0 nesting 2
/* `char` is signed. */
#include <assert.h>
void m(char c)
{
    c = (char)255;
    assert(c == -1);
    assert('\377' == -1);
    assert('\xff' < 0);
}
