//! unknown
//! skip gcc: it fails where the bytes are read
//! inputs: 0..0 functions 0 nesting 1
/* The bytes of one member are read as another one: the model does not follow that. */
#include <assert.h>
union word { unsigned whole; unsigned char bytes[4]; };
int main(void)
{
    union word w;
    w.whole = 1;
    assert(w.bytes[0] == 2);
    return 0;
}
