//! safe
//! twin: modules/version-notified.ia
//! inputs: -1..1 functions 0 nesting 1
/* The number is there before the client hears of it. */
extern void changed(int);
static int x;
void set(int a) { x = a; changed(a); }
int get(void) { return x; }
