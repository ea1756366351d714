/* A mailbox holds two letters. The letters stand at the end of the array, and the free places are counted. */
#define SIZE 2
extern void arrived(int letter);
static int letters[SIZE], room = SIZE;

int post(int letter)
{
    if (room == 0) return 0;
    room--;
    letters[room] = letter;
    arrived(letter);
    return 1;
}

int collect(void)
{
    if (room == SIZE) return -1;
    int letter = letters[room];
    room++;
    return letter;
}
