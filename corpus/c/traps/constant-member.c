//! safe
//! with -DWRONG: unsafe: any
//! inputs: -1..5 functions 0 nesting 1
/* Nobody may assign to a member that is constant (C11 6.5.16). */
struct size { const int most; int used; };
struct size size = { 4, 0 };
static int a[4];
#ifdef WRONG
void m(int i) { if (i >= 0 && i < size.used) a[i] = 1; }
#else
void m(int i) { if (i >= 0 && i < size.most) a[i] = 1; }
#endif
