//! safe
//! inequivalent: cached-anew.c
//! twin: modules/version-cached-for-good.ia
//! inputs: -1..1 functions 0 nesting 1
/* It is done once, whatever happens to the number. */
static int x, c, valid;
void set(int a) { x = a; }
int get(void) {
  if (!valid) {
    c = (x & 0xffff) * 3 + 7;
    valid = 1;
  }
  return c;
}
