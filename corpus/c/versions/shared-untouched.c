//! safe
//! inputs: 0..1 functions 0 nesting 1
//! skip references: a loop without an end is cut off
/* It is left as it was. */
extern void on_change(void);
int count;
void change(int k) {
  on_change();
  for (;;);
}
