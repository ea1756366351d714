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
