//! safe
//! inequivalent: busy.c
//! inputs: -1..1 functions 0 nesting 2
/* The flag is taken back before the callback runs, which may call again. */
extern unsigned callback(unsigned);
static int busy;
static unsigned last;
unsigned run(unsigned x) {
  if (busy) return 0;
  busy = 1;
  last = x;
  busy = 0;
  unsigned r = callback(x);
  return r + last;
}
