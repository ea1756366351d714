//! safe
//! equivalent: cached-anew.c
//! twin: modules/version-cached.ia
//! inputs: -1..1 functions 0 nesting 1
/* It is done once, until the number changes. */
static int x, c, valid;
void set(int a) { x = a; valid = 0; }
int get(void) {
  if (!valid) {
    c = (x & 0xffff) * 3 + 7;
    valid = 1;
  }
  return c;
}
