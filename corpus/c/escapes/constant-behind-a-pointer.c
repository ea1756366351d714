//! refused: E0610
/* The environment may look into a constant that it has a pointer to, and call what it finds there. */
#include <assert.h>
#include "ops.h"
static int n;
static void f(void) { assert(++n < 3); }
static const struct ops ops = { f };
const struct ops *get(void) { return &ops; }
