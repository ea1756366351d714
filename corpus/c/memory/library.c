//! safe
//! inputs: 0..3 functions 0 nesting 1
/* Functions of the C library that work through pointers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct record { int key; char name[4]; };
static char text[8];
static int numbers[4] = {4, 2, 9, 1};
static struct record records[3];
static int order(const void *a, const void *b) { const int *x = a, *y = b; return *x < *y ? -1 : *x > *y; }
void sorted(void)
{
    qsort(numbers, 4, sizeof numbers[0], order);
    assert(numbers[0] == 1 && numbers[3] == 9);
    int key = 9, *found = bsearch(&key, numbers, 4, sizeof(int), order);
    assert(found && *found == 9);
}
void strings(void)
{
    strcpy(text, "abc");
    assert(strlen(text) == 3);
    strcat(text, "de");
    assert(strcmp(text, "abcde") == 0 && strncmp(text, "abx", 2) == 0);
    assert(strchr(text, 'd') == text + 3 && !strchr(text, 'x'));
}
void memory(int n)
{
    if (n < 1 || n > 3) return;
    struct record one;
    one.key = 7;
    memset(one.name, 'x', sizeof one.name);
    memset(records, 0, (unsigned)n * sizeof(struct record));
    memcpy(&records[n - 1], &one, sizeof one);
    assert(records[n - 1].key == 7 && records[n - 1].name[3] == 'x');
    memmove(text + 1, text, 4);
    assert(text[1] == text[1]);
}
