//! safe
//! equivalent: shared-untouched.c --complete
//! inequivalent: shared-untouched.c
//! inputs: 0..1 functions 0 nesting 1
//! skip references: a loop without an end is cut off
/* What is left in shared data before a loop without an end is in no complete play. */
extern void on_change(void);
int count;
void change(int k) {
  count = 1;
  on_change();
  for (;;);
}
