/* The same price, with the discount for 1000 pieces as well. */
static int extra = 3;

void set_extra(int e) { extra = e; }

int price(int n) {
    int whole = 3 * n + extra;
    return n >= 1000 ? whole - n : whole;
}
