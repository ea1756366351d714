//! safe
//! equivalent: busy.c
//! inputs: -1..1 functions 0 nesting 2
/* What was given is kept in the parameter. */
extern unsigned callback(unsigned);
static int busy;
static unsigned last;
unsigned run(unsigned x) {
  unsigned r = 0;
  if (!busy) {
    busy = 1;
    last = x;
    r = callback(last);
    r += x;
    busy = 0;
  }
  return r;
}
