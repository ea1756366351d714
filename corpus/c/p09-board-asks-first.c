//! safe
//! inequivalent: p09-board.c -DFIXED
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/p09-board-asks-first.ia
/* The fixed version, which asks the judge first. */
#include <assert.h>
#define W 2
extern int fair(int who);
static int board[W][W], stones;
int play(int who, int x, int y)
{
    if (!fair(who)) return -1;
    if (who < 1 || who > 2 || x < 0 || x >= W || y < 0 || y >= W) return -1;
    if (board[x][y]) return -1;
    assert(board[x][y] == 0);
    board[x][y] = who;
    stones++;
    assert(stones <= W * W);
    return 0;
}
