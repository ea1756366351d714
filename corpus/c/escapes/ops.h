struct ops {
    void (*f)(void);
};
