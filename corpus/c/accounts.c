//! unsafe: withdraw(0, 1) · pay(0, 1) · withdraw(0, 2) · pay(0, 2) · ret · ret · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: -1..2 functions 0 nesting 2
//! twin: modules/accounts.ia, with -DFIXED modules/accounts-fixed.ia
/* Money is paid before the balance is lowered, and the receiver withdraws once more. */
#include <assert.h>
extern void pay(int account, int amount);
static int balance[3] = { 2, 1, 0 };
void withdraw(int account, int amount)
{
    if (account < 0 || account >= 3 || amount <= 0 || amount > balance[account]) return;
#ifdef FIXED
    balance[account] -= amount;
    pay(account, amount);
#else
    pay(account, amount);
    balance[account] -= amount;
#endif
    assert(balance[account] >= 0);
}
void deposit(int account, int amount)
{
    if (account >= 0 && account < 3 && amount > 0 && amount <= 2 && balance[account] <= 1) balance[account] += amount;
}
