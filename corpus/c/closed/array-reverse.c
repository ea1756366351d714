//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* To reverse an array twice changes nothing. */
#include <assert.h>
static int a[5], b[5];
static void reverse(void)
{
#ifdef FIXED
    for (int i = 0; i < 2; i++) {
#else
    for (int i = 0; i < 2; i += 2) {
#endif
        int kept = a[i];
        a[i] = a[4 - i];
        a[4 - i] = kept;
    }
}
int main(void)
{
    for (int i = 0; i < 5; i++) a[i] = b[i] = i;
    reverse();
    assert(a[1] == b[3]);
    reverse();
    for (int i = 0; i < 5; i++) assert(a[i] == b[i]);
    return 0;
}
