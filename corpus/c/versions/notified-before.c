//! safe
//! inequivalent: notified.c
//! twin: modules/version-notified-before.ia
//! inputs: -1..1 functions 0 nesting 1
/* The client hears of the number first: only a call from inside of changed sees that. */
extern void changed(int);
static int x;
void set(int a) { changed(a); x = a; }
int get(void) { return x; }
