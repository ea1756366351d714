//! unsafe: any
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Data with external linkage holds a handle from the start. */
#include <assert.h>
struct thing { int used; };
static struct thing first, other;
struct thing *out = &first;
#ifdef FIXED
void use(struct thing *thing) { assert(thing != &other); }
#else
void use(struct thing *thing) { assert(thing != &first && thing != &other); }
#endif
