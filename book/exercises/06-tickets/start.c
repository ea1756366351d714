//! safe
//! unsafe pay(): any

/* A hall has three seats. A buyer pays by a function of their own. */
#include <assert.h>
#define SEATS 3
extern int pay(void);
static int sold;

int buy(void)
{
    if (sold == SEATS) return 0;
    if (!pay()) return 0;
    sold++;
    assert(sold <= SEATS);
    return 1;
}
