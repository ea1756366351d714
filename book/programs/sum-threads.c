/* Two threads add to one sum. */
#include <assert.h>
#include <pthread.h>
static int sum;

static void *add(void *amount)
{
    (void)amount;
    sum = sum + 1;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, add, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(sum == 2);
    return 0;
}
