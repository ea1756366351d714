//! safe
//! inputs: -1..1 functions 0 nesting 2
/* The constants of `case` are converted to the promoted type of the value. */
#include <assert.h>
int m(unsigned char c)
{
    c = 255;
    switch (c) {
    case (unsigned char)-1: return 1;
    case -1: assert(0);
    }
    switch ((unsigned)-1) {
    case -1: return 2;
    default: assert(0);
    }
}
