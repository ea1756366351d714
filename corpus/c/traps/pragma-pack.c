//! refused: E0612
/* What changes how structures lie in memory is refused where it is not followed. */
#include <assert.h>
#pragma pack(1)
struct tight { char c; int i; };
void m(void) { assert(sizeof(struct tight) == 8); }
