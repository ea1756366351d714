//! safe
//! inequivalent: import-asked.c
//! twin: modules/version-import-cached.ia
//! inputs: -1..1 functions 0 nesting 1
/* It is asked for once, which the function notices. */
extern int rate(void);
static int c, valid;
int get(void) {
  if (!valid) {
    c = rate();
    valid = 1;
  }
  return c;
}
