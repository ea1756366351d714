//! safe
//! inequivalent: told-otherwise.c
//! inequivalent: told-otherwise.c --complete
//! inequivalent: told-twice.c --complete
//! inputs: 0..1 functions 0 nesting 2
/* What is told, and what can be seen meanwhile, is part of a complete play, as everything returns in the end. */
extern void tell(int);
static int x;
void run(int k) {
  x = k;
  tell(k);
  x = 0;
}
int get(void) { return x; }
