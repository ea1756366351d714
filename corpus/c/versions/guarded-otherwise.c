//! safe
//! equivalent: guarded.c
//! twin: modules/version-guarded-otherwise.ia
//! inputs: -1..1 functions 0 nesting 1
/* The condition is a function of its own, and what is passed on is what was given. */
extern void out(int);
static int level;
static int fits(int a) { return !(a < 0 || a > 99); }
void put(int a) {
  if (!fits(a)) {
    out(-1);
    return;
  }
  level = a;
  out(a);
}
int get(void) { return level; }
