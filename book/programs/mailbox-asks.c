/* A mailbox holds two letters. It calls its owner before the letter is put in, and looks at the room again. */
#define SIZE 2
extern void arrived(int letter);
static int letters[SIZE], count;

int post(int letter)
{
    if (count == SIZE) return 0;
    arrived(letter);
    if (count == SIZE) return 0;
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
