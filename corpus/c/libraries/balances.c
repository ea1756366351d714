//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..100 functions 0 nesting 2
//! skip references: there are too many stores to be tried one by one
/* Balances of accounts and their total: the balance is looked at, the receiver is paid, and then the balance is lowered. */
#include <assert.h>
#define N 3
extern int pay(int account, int amount);
static int balance[N] = { 100, 50, 0 }, total = 150;
int withdraw(int account, int amount)
{
    if (account < 0 || account >= N || amount <= 0 || balance[account] < amount) return -1;
#ifdef FIXED
    balance[account] -= amount;
    total -= amount;
    if (!pay(account, amount)) return -1;
#else
    if (!pay(account, amount)) return -1;
    balance[account] -= amount;
    total -= amount;
#endif
    assert(balance[account] >= 0);
    return 0;
}
void deposit(int account, int amount)
{
    if (account < 0 || account >= N || amount <= 0 || amount > 100 || balance[account] > 100) return;
    balance[account] += amount;
    total += amount;
}
