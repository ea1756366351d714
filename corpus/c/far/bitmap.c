//! unsafe: any
//! skip references: there are too many stores to be tried one by one
/* Sixteen descriptors in a mask. The loop over a copy of it calls handlers of descriptors that were closed meanwhile. */
#include <assert.h>
extern void ready(int fd);
static unsigned short open_, watched;
void watch(int fd) { if (fd >= 0 && fd < 16) { open_ |= 1u << fd; watched |= 1u << fd; } }
void close_(int fd) { if (fd >= 0 && fd < 16) { open_ &= ~(1u << fd); watched &= ~(1u << fd); } }
void poll_(unsigned short got)
{
    unsigned short m = got & watched;
    for (int fd = 0; fd < 16; fd++)
        if (m & (1u << fd)) {
#ifdef FIXED
            if (!(watched & (1u << fd))) continue;
#endif
            assert(open_ & (1u << fd));
            ready(fd);
        }
}
