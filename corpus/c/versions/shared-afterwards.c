//! safe
//! inputs: 0..1 functions 0 nesting 1
/* The data changes only afterwards. */
extern void on_change(void);
int count;
void change(int k) {
  on_change();
  count = 2;
}
