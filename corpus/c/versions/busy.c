//! safe
//! inputs: -1..1 functions 0 nesting 2
/* A flag keeps callers out while the callback runs, so the cell still holds what was given. */
extern unsigned callback(unsigned);
static int busy;
static unsigned last;
unsigned run(unsigned x) {
  if (busy) return 0;
  busy = 1;
  last = x;
  unsigned r = callback(x);
  busy = 0;
  return r + last;
}
