//! safe
//! inequivalent: shared-afterwards.c
//! inequivalent: shared-afterwards.c --complete
//! inequivalent: shared-and-loops.c
//! inputs: 0..1 functions 0 nesting 1
/* What shared data holds while a call is open is seen, and the call returns. */
extern void on_change(void);
int count;
void change(int k) {
  count = 1;
  on_change();
  count = 2;
}
