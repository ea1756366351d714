/* The balance is read before or after somebody else's function: C does not say which. */
#include <assert.h>
extern int ask(void);
static int balance;
void reset(void) { balance = 0; }
void add(void)
{
    balance = 1;
    int sum = balance + ask() * 0;
    assert(sum == balance);
}
