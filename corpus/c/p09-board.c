//! unsafe: play(1, 0, 0) · fair(1) · play(1, 0, 0) · fair(1) · ret 1 · ret 0 · ret 1 · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/p09-board.ia, with -DFIXED modules/p09-board-fixed.ia
/* A move is judged between being checked and being made; the judge moves too. */
#include <assert.h>
#define W 2
extern int fair(int who);
static int board[W][W], stones;
int play(int who, int x, int y)
{
    if (who < 1 || who > 2 || x < 0 || x >= W || y < 0 || y >= W) return -1;
    if (board[x][y]) return -1;
    if (!fair(who)) return -1;
#ifdef FIXED
    if (board[x][y]) return -1;
#endif
    assert(board[x][y] == 0);
    board[x][y] = who;
    stones++;
    assert(stones <= W * W);
    return 0;
}
