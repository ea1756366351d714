//! unsafe: any
//! moves: 2
//! inputs: 0..1 functions 0 nesting 1
/* A text is handed out, and comes back. */
#include <assert.h>
static const char *name = "x";
const char *get(void) { return name; }
void use(const char *p) { assert(p != name); }
