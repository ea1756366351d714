//! safe
//! twin: modules/version-import-asked.ia
//! inputs: -1..1 functions 0 nesting 1
/* What a function returns is asked for at every call. */
extern int rate(void);
int get(void) { return rate(); }
