//! safe

/* A price is computed at each call. */
static unsigned fee = 3;
void set_fee(unsigned f) { fee = f; }
unsigned price(unsigned n) { return 2 * n + fee; }
