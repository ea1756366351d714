/* A node that its users declare, too. */
struct node {
    struct node *next;
    int value;
};
