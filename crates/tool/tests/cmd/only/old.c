/* A price with a discount for more than 1000 pieces. */
static int extra = 3;

void set_extra(int e) { extra = e; }

int price(int n) {
    if (n > 1000) return 2 * n + extra;
    return 3 * n + extra;
}
