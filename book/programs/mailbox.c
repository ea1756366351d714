/* A mailbox holds two letters. It calls its owner for each letter that comes in. */
#define SIZE 2
extern void arrived(int letter);
static int letters[SIZE], count;

int post(int letter)
{
    if (count == SIZE) return 0;
    arrived(letter);
    letters[count] = letter;
    count++;
    return 1;
}

int collect(void)
{
    if (count == 0) return -1;
    count--;
    return letters[count];
}
