/* A computation is done anew at every call. */
static int x;
void set(int a) { x = a; }
int get(void) { return (x & 0xffff) * 3 + 7; }
