//! safe
//! with -DWRONG: unsafe: compare(2) · fail
//! inputs: 0..3 functions 0 nesting 1
/* Functions of the C library that look for characters and texts, and those that fill and compare. */
#include <assert.h>
#include <string.h>
#include <strings.h>
static char text[8];
static int numbers[3] = { 1, 256, 3 }, others[3] = { 1, 255, 3 };
void search(void)
{
    char *end = stpcpy(text, "ab");
    assert(end == text + 2 && stpcpy(end, "abc") == text + 5 && text[5] == 0);
    assert(strstr(text, "abc") == text + 2 && strstr(text, "") == text);
    assert(!strstr(text, "abcd") && strstr(text, "b") == text + 1);
    assert(strspn(text, "ba") == 4 && strcspn(text, "c") == 4 && strspn(text, "") == 0 && strcspn(text, "") == 5);
    assert(strpbrk(text, "xb") == text + 1 && !strpbrk(text, "x"));
}
void compare(int n)
{
    if (n < 0 || n > 3) return;
    /* 256 is the bytes 0, 1, 0, 0, and 255 is 255, 0, 0, 0. */
    int order = memcmp(numbers, others, (unsigned)n * sizeof(int));
#ifdef WRONG
    assert(order >= 0);
#else
    assert(n < 2 ? order == 0 : order < 0);
#endif
    assert(bcmp(numbers + 2, others + 2, sizeof(int)) == 0);
}
void fill(void)
{
    int some[3] = { 1, 2, 3 }, *at = some;
    bzero(at + 1, 2 * sizeof(int));
    assert(some[0] == 1 && some[1] == 0 && some[2] == 0);
    bzero(some, sizeof some);
    assert(some[0] == 0);
}
