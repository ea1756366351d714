//! unsafe: any
//! with -DFIXED: safe
//! inputs: 100..101 functions 0 nesting 2
//! skip references: there are too many stores to be tried one by one
/* A balance is checked, the receiver is paid, and the balance is lowered. */
#include <assert.h>
extern int pay(int amount);
static int balance = 100;
int withdraw(int amount)
{
    if (amount <= 0 || amount > balance) return -1;
#ifdef FIXED
    balance -= amount;
    if (!pay(amount)) { return -1; }
#else
    if (!pay(amount)) return -1;
    balance -= amount;
#endif
    assert(balance >= 0);
    return 0;
}
void deposit(int amount)
{
    if (amount <= 0 || amount > 1000000 || balance > 1000000) return;
    balance += amount;
}
