//! safe
//! twin: modules/version-cached-anew.ia
//! inputs: -1..1 functions 0 nesting 1
/* A computation is done anew at every call. */
static int x;
void set(int a) { x = a; }
int get(void) { return (x & 0xffff) * 3 + 7; }
