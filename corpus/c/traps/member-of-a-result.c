//! refused: E0612
/* A member of a structure that a call gives is refused, not misread. */
struct p { int x; };
static struct p make(int x) { struct p p = { x }; return p; }
int m(int x) { return make(x).x; }
