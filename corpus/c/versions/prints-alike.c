//! safe
//! equivalent: prints.c
//! inputs: -1..1 functions 0 nesting 1
/* The same is printed by other means. */
#include <stdio.h>
static const char *unused = "unused";
static void large(int n) { printf("%d is large\n", n); }
void m(int x) { if (x <= 3) { puts("small"); return; } large(unused ? x : 0); }
