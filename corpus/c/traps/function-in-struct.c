//! unsafe: run() · fail
//! moves: 1
//! inputs: -1..1 functions 0 nesting 2
/* A null pointer in a struct is called. */
struct ops { int (*open)(int); int (*shut)(int); };
static int one(int x) { return x + 1; }
static const struct ops ops = { .open = one };
int run(void) { return ops.open(1) + ops.shut(2); }
