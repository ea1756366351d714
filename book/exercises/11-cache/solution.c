//! safe
//! equivalent: given.c

/* The last price is kept. */
static unsigned fee = 3, last_n, last_price = 3;
void set_fee(unsigned f)
{
    fee = f;
    last_n = 0;
    last_price = f;
}
unsigned price(unsigned n)
{
    if (n != last_n) {
        last_n = n;
        last_price = 2 * n + fee;
    }
    return last_price;
}
