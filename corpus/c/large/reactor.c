//! with -DBUG1 --engine random: unsafe: any
//! with -DBUG2 --engine random: unsafe: any
//! with -DBUG3 --engine random: unsafe: any
//! skip references: there are too many stores to be tried one by one
/*
 * reactor.c: an event loop for small devices.
 *
 * One thread, no allocation. The host supplies a clock, a way to wait, and a place to write to; the loop calls the functions
 * that its users have registered: for descriptors, for points in time, for signals, for work that was put off, and before and
 * after it waits. A function that is called may use every function of the loop, too: it may remove itself, register others, stop
 * the loop, or post more work.
 *
 * Rules of the loop:
 *   - a descriptor or a timer is called only while it is registered;
 *   - a slot that is freed while the loop goes over its table is used again only after the loop has gone over it;
 *   - a timer is called once for each time that it is due, and earlier ones are called first;
 *   - work that is posted is done once, in the order in which it was posted;
 *   - the loop does not run inside itself.
 */
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------ sizes */

#ifndef RX_WATCHES
#define RX_WATCHES 3
#endif
#ifndef RX_TIMERS
#define RX_TIMERS 3
#endif
#ifndef RX_JOBS
#define RX_JOBS 2
#endif
#define RX_SIGNALS 8
#define RX_HOOKS 2
#define RX_TRACE 4
#define RX_BUCKETS 4
#define RX_NO_TIMEOUT (-1)

/* ----------------------------------------------------------------- errors */

enum rx_error {
    RX_OK = 0,
    RX_EINVAL = -1,    /* an argument makes no sense */
    RX_EFULL = -2,     /* no room */
    RX_ENOENT = -3,    /* there is no such thing */
    RX_EEXIST = -4,    /* there is one already */
    RX_EBUSY = -5,     /* not now: the loop is at work */
    RX_EHOST = -6      /* the host has failed */
};

/* What happens on a descriptor. */
enum { RX_READ = 1, RX_WRITE = 2, RX_ERROR = 4, RX_EVENTS = 7 };

/* Why the loop ended. */
enum rx_end { RX_RAN = 0, RX_IDLE, RX_STOPPED, RX_FAILED };

typedef void rx_watch_fn(int fd, int events, void *data);
typedef void rx_timer_fn(int timer, void *data);
typedef void rx_signal_fn(int number);
typedef void rx_job_fn(void *data);
typedef void rx_hook_fn(void);

/* --------------------------------------------------------------- the host */

/* Milliseconds since some moment. It may stand still, and a bad one may go back. */
extern unsigned host_now(void);
/* Waits for at most this many milliseconds, for ever if it is negative; the number of descriptors that are ready, or negative. */
extern int host_wait(int timeout);
/* The next descriptor that is ready, and what has happened there; negative if there is none. */
extern int host_ready_fd(void);
extern int host_ready_events(void);
/* Writes a character of a report. */
extern void host_put(int character);

/* ------------------------------------------------------------------ types */

/* A slot of a table is free, or in use, or was freed while the loop goes over the table. */
enum rx_state { FREE = 0, USED, DEAD };

struct rx_watch {
    enum rx_state state;
    int fd;
    unsigned char events;       /* what is asked for */
    unsigned char ready;        /* what has happened and was not told yet */
    rx_watch_fn *call;
    void *data;
    unsigned calls;
};

struct rx_timer {
    enum rx_state state;
    unsigned due;               /* when it is called next */
    unsigned period;            /* 0 if it is called once */
    rx_timer_fn *call;
    void *data;
    unsigned char place;        /* where it stands in the order; RX_TIMERS if it is not armed */
};

struct rx_job {
    rx_job_fn *call;
    void *data;
};

struct rx_signal {
    rx_signal_fn *call;
    unsigned char pending;
    unsigned raised;
};

enum rx_what { TRACE_NONE = 0, TRACE_WATCH, TRACE_TIMER, TRACE_JOB, TRACE_SIGNAL, TRACE_WAIT };

struct rx_trace {
    enum rx_what what;
    int number;
    unsigned at;
};

struct rx_statistics {
    unsigned rounds;
    unsigned waits;
    unsigned watch_calls;
    unsigned timer_calls;
    unsigned job_calls;
    unsigned signal_calls;
    unsigned late;              /* the largest delay of a timer */
    unsigned delays[RX_BUCKETS];
    unsigned backwards;         /* how often the clock went back */
};

struct rx_settings {
    int granularity;            /* deadlines are rounded up to a multiple of this */
    int limit;                  /* the most jobs in a round */
    int max_wait;               /* the longest time to wait */
    int trace;                  /* whether a trace is kept */
};

/* ------------------------------------------------------------------ state */

static struct rx_watch watches[RX_WATCHES];
static int watch_count;         /* slots in use */
static int watch_walks;         /* how many loops go over the watches */
static int watch_dead;          /* slots that were freed meanwhile */

static struct rx_timer timers[RX_TIMERS];
static unsigned char order[RX_TIMERS];  /* the armed timers, the earliest first */
static int armed;               /* how many there are */
static int timer_count;         /* slots in use */
static int firing = -1;         /* the timer that is being called */

static struct rx_job jobs[RX_JOBS];
static int job_head;            /* the oldest job */
static int job_count;

static struct rx_signal signals[RX_SIGNALS];
static int signals_pending;

static rx_hook_fn *before_wait[RX_HOOKS];
static rx_hook_fn *after_wait[RX_HOOKS];

static struct rx_trace trace[RX_TRACE];
static int trace_next;

static struct rx_statistics statistics;
static struct rx_settings settings = { 1, 8, 60000, 0 };

static unsigned now;            /* the time of this round */
static int now_known;
static int running;             /* whether the loop is at work */
static int stopping;
static enum rx_error last_error;

/* ----------------------------------------------------------- small things */

static int fail(enum rx_error error)
{
    last_error = error;
    return error;
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

/* Times are numbers on a circle: one is before the other if the way from it is shorter than half of the circle. */
static int is_before(unsigned a, unsigned b)
{
    return (int)(a - b) < 0;
}

static unsigned time_until(unsigned due, unsigned from)
{
    return is_before(due, from) ? 0 : due - from;
}

static unsigned add_time(unsigned a, unsigned span)
{
    return a + span;
}

static unsigned round_up(unsigned t)
{
    unsigned step = (unsigned)settings.granularity;
    unsigned over;

    if (step <= 1)
        return t;
    over = t % step;
    return over == 0 ? t : t + (step - over);
}

static int is_descriptor(int fd)
{
    return fd >= 0 && fd < 1024;
}

static int is_signal(int number)
{
    return number >= 0 && number < RX_SIGNALS;
}

static int is_mask(int events)
{
    return (events & ~RX_EVENTS) == 0;
}

/* ------------------------------------------------------------------ trace */

static void note(enum rx_what what, int number)
{
    struct rx_trace *entry;

    if (!settings.trace)
        return;
    entry = &trace[trace_next];
    entry->what = what;
    entry->number = number;
    entry->at = now;
    trace_next = (trace_next + 1) % RX_TRACE;
}

static void forget_trace(void)
{
    memset(trace, 0, sizeof trace);
    trace_next = 0;
}

/* ------------------------------------------------------------- statistics */

static void count_delay(unsigned delay)
{
    unsigned limit = 1;
    int bucket = 0;

    if (delay > statistics.late)
        statistics.late = delay;
    while (bucket < RX_BUCKETS - 1 && delay > limit) {
        limit = limit * 10;
        bucket++;
    }
    statistics.delays[bucket]++;
}

static void clear_statistics(void)
{
    memset(&statistics, 0, sizeof statistics);
}

/* ------------------------------------------------------------------ clock */

/* Asks the host for the time. Time does not go back, whatever the host says. */
static void read_clock(void)
{
    unsigned t = host_now();

    if (now_known && is_before(t, now)) {
        statistics.backwards++;
        return;
    }
    now = t;
    now_known = 1;
}

static unsigned current_time(void)
{
    if (!now_known)
        read_clock();
    return now;
}

/* ---------------------------------------------------------------- watches */

static int find_watch(int fd)
{
    int i;

    for (i = 0; i < RX_WATCHES; i++)
        if (watches[i].state == USED && watches[i].fd == fd)
            return i;
    return -1;
}

static int free_watch_slot(void)
{
    int i;

    for (i = 0; i < RX_WATCHES; i++)
        if (watches[i].state == FREE)
            return i;
    return -1;
}

static void clear_watch(int i)
{
    watches[i].state = FREE;
    watches[i].fd = -1;
    watches[i].events = 0;
    watches[i].ready = 0;
    watches[i].call = 0;
    watches[i].data = 0;
    watches[i].calls = 0;
}

/* Slots that were freed while a loop went over the table can be used again. */
static void sweep_watches(void)
{
    int i;

    if (watch_walks > 0 || watch_dead == 0)
        return;
    for (i = 0; i < RX_WATCHES; i++)
        if (watches[i].state == DEAD) {
            clear_watch(i);
            watch_dead--;
        }
    assert(watch_dead == 0);
}

int rx_watch(int fd, int events, rx_watch_fn *call, void *data)
{
    int i;

    if (!is_descriptor(fd) || !is_mask(events) || events == 0 || !call)
        return fail(RX_EINVAL);
    if (find_watch(fd) >= 0)
        return fail(RX_EEXIST);
    i = free_watch_slot();
    if (i < 0)
        return fail(RX_EFULL);
    watches[i].state = USED;
    watches[i].fd = fd;
    watches[i].events = (unsigned char)events;
    watches[i].ready = 0;
    watches[i].call = call;
    watches[i].data = data;
    watches[i].calls = 0;
    watch_count++;
    assert(watch_count <= RX_WATCHES);
    return RX_OK;
}

int rx_rewatch(int fd, int events)
{
    int i;

    if (!is_descriptor(fd) || !is_mask(events))
        return fail(RX_EINVAL);
    i = find_watch(fd);
    if (i < 0)
        return fail(RX_ENOENT);
    watches[i].events = (unsigned char)events;
    watches[i].ready &= (unsigned char)events;
    return RX_OK;
}

int rx_unwatch(int fd)
{
    int i;

    if (!is_descriptor(fd))
        return fail(RX_EINVAL);
    i = find_watch(fd);
    if (i < 0)
        return fail(RX_ENOENT);
    watch_count--;
    assert(watch_count >= 0);
#ifdef BUG1
    clear_watch(i);
#else
    if (watch_walks > 0) {
        watches[i].state = DEAD;
        watch_dead++;
    } else {
        clear_watch(i);
    }
#endif
    return RX_OK;
}

int rx_is_watched(int fd)
{
    return is_descriptor(fd) && find_watch(fd) >= 0;
}

int rx_watch_count(void)
{
    return watch_count;
}

/* Writes down what the host says about a descriptor. */
static void mark_ready(int fd, int events)
{
    int i;

    if (!is_descriptor(fd))
        return;
    i = find_watch(fd);
    if (i < 0)
        return;
    watches[i].ready |= (unsigned char)(events & (watches[i].events | RX_ERROR));
}

/* Calls everybody on whose descriptor something has happened. */
static int call_watches(void)
{
    int i, called = 0;

    watch_walks++;
    for (i = 0; i < RX_WATCHES; i++) {
        int events;

        if (watches[i].state != USED || watches[i].ready == 0)
            continue;
        events = watches[i].ready;
        watches[i].ready = 0;
        note(TRACE_WATCH, watches[i].fd);
        statistics.watch_calls++;
        called++;
        watches[i].call(watches[i].fd, events, watches[i].data);
        /* The slot still belongs to the one that was called, even if it has removed itself. */
        assert(watches[i].state != FREE);
        watches[i].calls++;
        if (stopping)
            break;
    }
    watch_walks--;
    sweep_watches();
    return called;
}

static int anything_ready(void)
{
    int i;

    for (i = 0; i < RX_WATCHES; i++)
        if (watches[i].state == USED && watches[i].ready != 0)
            return 1;
    return 0;
}

/* ----------------------------------------------------------------- timers */

static int is_timer(int t)
{
    return t >= 0 && t < RX_TIMERS && timers[t].state == USED;
}

static int is_armed(int t)
{
    return timers[t].place < RX_TIMERS;
}

static void put_at(int place, int t)
{
    order[place] = (unsigned char)t;
    timers[t].place = (unsigned char)place;
}

/* Puts a timer in order, behind those that are due at the same time. */
static void arm(int t)
{
    int place = armed;

    assert(!is_armed(t));
    assert(armed < RX_TIMERS);
    while (place > 0 && is_before(timers[t].due, timers[order[place - 1]].due)) {
        put_at(place, order[place - 1]);
        place--;
    }
    put_at(place, t);
    armed++;
}

/* Takes a timer out of the order. */
static void disarm(int t)
{
    int place = timers[t].place;

    assert(place < armed);
    assert(order[place] == t);
    for (; place + 1 < armed; place++)
        put_at(place, order[place + 1]);
    armed--;
    timers[t].place = RX_TIMERS;
}

static int free_timer_slot(void)
{
    int t;

    for (t = 0; t < RX_TIMERS; t++)
        if (timers[t].state == FREE)
            return t;
    return -1;
}

static void clear_timer(int t)
{
    timers[t].state = FREE;
    timers[t].due = 0;
    timers[t].period = 0;
    timers[t].call = 0;
    timers[t].data = 0;
    timers[t].place = RX_TIMERS;
}

/* A timer that is called after a delay, and then again and again if there is a period; its number, or an error. */
int rx_timer(int delay, int period, rx_timer_fn *call, void *data)
{
    unsigned due;
    int t;

    if (delay < 0 || period < 0 || !call)
        return fail(RX_EINVAL);
    due = round_up(add_time(current_time(), (unsigned)delay));
    t = free_timer_slot();
    if (t < 0)
        return fail(RX_EFULL);
    timers[t].state = USED;
    timers[t].due = due;
    timers[t].period = (unsigned)period;
    timers[t].call = call;
    timers[t].data = data;
    timers[t].place = RX_TIMERS;
    timer_count++;
    assert(timer_count <= RX_TIMERS);
    arm(t);
    return t;
}

/* Changes when a timer is called next. */
int rx_timer_again(int t, int delay)
{
    unsigned due;

    if (delay < 0)
        return fail(RX_EINVAL);
    due = round_up(add_time(current_time(), (unsigned)delay));
    if (!is_timer(t))
        return fail(RX_ENOENT);
    if (is_armed(t))
        disarm(t);
    timers[t].due = due;
    arm(t);
    return RX_OK;
}

int rx_cancel(int t)
{
    if (!is_timer(t))
        return fail(RX_ENOENT);
    if (is_armed(t))
        disarm(t);
    timer_count--;
    assert(timer_count >= 0);
    if (firing == t)
        timers[t].state = DEAD;         /* it is being called; its slot is freed after that */
    else
        clear_timer(t);
    return RX_OK;
}

int rx_timer_count(void)
{
    return timer_count;
}

/* How long until a timer is due; negative if there is no such timer. */
int rx_timer_left(int t)
{
    unsigned left;

    if (!is_timer(t) || !is_armed(t))
        return fail(RX_ENOENT);
    left = time_until(timers[t].due, now);
    return left > INT_MAX ? INT_MAX : (int)left;
}

/* Calls a timer that is due. */
static void call_timer(int t)
{
    assert(firing == -1);
    firing = t;
    disarm(t);
    count_delay(now - timers[t].due);
    note(TRACE_TIMER, t);
    statistics.timer_calls++;
    timers[t].call(t, timers[t].data);
    firing = -1;
#ifdef BUG2
    /* The function may have set the timer again itself. */
    if (timers[t].state == USED && timers[t].period > 0) {
#else
    if (timers[t].state == USED && timers[t].period > 0 && !is_armed(t)) {
#endif
        timers[t].due = round_up(add_time(timers[t].due, timers[t].period));
        if (is_before(timers[t].due, now))
            timers[t].due = now;
        arm(t);
    }
    if (timers[t].state == DEAD)
        clear_timer(t);
    else if (!is_armed(t)) {
        timer_count--;
        clear_timer(t);
    }
}

/* Calls the timers that are due, each at most once. */
static int call_timers(void)
{
    int called = 0, most = armed;

    while (called < most && armed > 0 && !stopping) {
        int t = order[0];

        if (is_before(now, timers[t].due))
            break;
        call_timer(t);
        called++;
    }
    return called;
}

/* How long the loop may wait for the next timer. */
static int time_to_wait(void)
{
    unsigned left;

    if (armed == 0)
        return settings.max_wait;
    left = time_until(timers[order[0]].due, now);
    if (left > (unsigned)settings.max_wait)
        return settings.max_wait;
    return (int)left;
}

/* ------------------------------------------------------------------- jobs */

/* Puts work off until the next round. */
int rx_post(rx_job_fn *call, void *data)
{
    int tail;

    if (!call)
        return fail(RX_EINVAL);
    if (job_count == RX_JOBS)
        return fail(RX_EFULL);
    tail = (job_head + job_count) % RX_JOBS;
    assert(jobs[tail].call == 0);
    jobs[tail].call = call;
    jobs[tail].data = data;
    job_count++;
    return RX_OK;
}

int rx_posted(void)
{
    return job_count;
}

/* Does the oldest job. */
static void do_job(void)
{
    rx_job_fn *call = jobs[job_head].call;
    void *data = jobs[job_head].data;

    assert(job_count > 0);
    note(TRACE_JOB, job_head);
    statistics.job_calls++;
#ifdef BUG3
    call(data);
    jobs[job_head].call = 0;
    jobs[job_head].data = 0;
    job_head = (job_head + 1) % RX_JOBS;
    job_count--;
#else
    jobs[job_head].call = 0;
    jobs[job_head].data = 0;
    job_head = (job_head + 1) % RX_JOBS;
    job_count--;
    call(data);
#endif
}

/* Does the jobs that were posted before it was called, as many as the settings allow. */
static int do_jobs(void)
{
    int done = 0, most = minimum(job_count, settings.limit);

    while (done < most && job_count > 0 && !stopping) {
        do_job();
        done++;
    }
    return done;
}

/* Does all jobs now. It may be called from a job. */
int rx_flush(void)
{
    int done = 0;

    while (job_count > 0 && done < RX_JOBS) {
        do_job();
        done++;
    }
    return done;
}

/* Forgets the jobs with this data. */
int rx_forget(void *data)
{
    int n, kept = 0, count = job_count;
    struct rx_job job;

    for (n = 0; n < count; n++) {
        int from = (job_head + n) % RX_JOBS;

        job = jobs[from];
        jobs[from].call = 0;
        jobs[from].data = 0;
        if (job.data != data) {
            jobs[(job_head + kept) % RX_JOBS] = job;
            kept++;
        }
    }
    job_count = kept;
    return count - kept;
}

/* ---------------------------------------------------------------- signals */

int rx_on_signal(int number, rx_signal_fn *call)
{
    if (!is_signal(number) || !call)
        return fail(RX_EINVAL);
    if (signals[number].call)
        return fail(RX_EEXIST);
    signals[number].call = call;
    return RX_OK;
}

int rx_off_signal(int number)
{
    if (!is_signal(number))
        return fail(RX_EINVAL);
    if (!signals[number].call)
        return fail(RX_ENOENT);
    signals[number].call = 0;
    if (signals[number].pending) {
        signals[number].pending = 0;
        signals_pending--;
    }
    return RX_OK;
}

/* Says that a signal has come; its function is called in the next round. */
int rx_raise(int number)
{
    if (!is_signal(number))
        return fail(RX_EINVAL);
    if (!signals[number].call)
        return fail(RX_ENOENT);
    signals[number].raised++;
    if (!signals[number].pending) {
        signals[number].pending = 1;
        signals_pending++;
    }
    return RX_OK;
}

static int call_signals(void)
{
    int number, called = 0;

    if (signals_pending == 0)
        return 0;
    for (number = 0; number < RX_SIGNALS && !stopping; number++) {
        if (!signals[number].pending)
            continue;
        assert(signals_pending > 0);
        signals[number].pending = 0;
        signals_pending--;
        note(TRACE_SIGNAL, number);
        statistics.signal_calls++;
        called++;
        signals[number].call(number);
    }
    return called;
}

/* ------------------------------------------------------------------ hooks */

static int add_hook(rx_hook_fn **list, rx_hook_fn *call)
{
    int i;

    if (!call)
        return fail(RX_EINVAL);
    for (i = 0; i < RX_HOOKS; i++)
        if (list[i] == call)
            return fail(RX_EEXIST);
    for (i = 0; i < RX_HOOKS; i++)
        if (!list[i]) {
            list[i] = call;
            return RX_OK;
        }
    return fail(RX_EFULL);
}

static int remove_hook(rx_hook_fn **list, rx_hook_fn *call)
{
    int i;

    for (i = 0; i < RX_HOOKS; i++)
        if (call && list[i] == call) {
            list[i] = 0;
            return RX_OK;
        }
    return fail(RX_ENOENT);
}

static void call_hooks(rx_hook_fn **list)
{
    int i;

    for (i = 0; i < RX_HOOKS; i++)
        if (list[i])
            list[i]();
}

int rx_before_wait(rx_hook_fn *call)
{
    return add_hook(before_wait, call);
}

int rx_after_wait(rx_hook_fn *call)
{
    return add_hook(after_wait, call);
}

int rx_not_before_wait(rx_hook_fn *call)
{
    return remove_hook(before_wait, call);
}

int rx_not_after_wait(rx_hook_fn *call)
{
    return remove_hook(after_wait, call);
}

/* --------------------------------------------------------------- settings */

int rx_set_granularity(int milliseconds)
{
    if (milliseconds < 1 || milliseconds > 1000)
        return fail(RX_EINVAL);
    if (running)
        return fail(RX_EBUSY);
    settings.granularity = milliseconds;
    return RX_OK;
}

int rx_set_limit(int limit)
{
    if (limit < 1)
        return fail(RX_EINVAL);
    settings.limit = limit;
    return RX_OK;
}

int rx_set_max_wait(int milliseconds)
{
    if (milliseconds < 0)
        return fail(RX_EINVAL);
    settings.max_wait = milliseconds;
    return RX_OK;
}

int rx_set_trace(int on)
{
    if (on && !settings.trace)
        forget_trace();
    settings.trace = on != 0;
    return RX_OK;
}

int rx_last_error(void)
{
    enum rx_error error = last_error;

    last_error = RX_OK;
    return error;
}

/* ---------------------------------------------------------------- reports */

static void put_text(const char *text)
{
    int i;

    for (i = 0; text[i] != 0; i++)
        host_put(text[i]);
}

static void put_number(unsigned n)
{
    char digits[10];
    int length = 0;

    do {
        digits[length] = (char)('0' + n % 10);
        length++;
        n = n / 10;
    } while (n > 0);
    while (length > 0) {
        length--;
        host_put(digits[length]);
    }
}

static void put_line(const char *name, unsigned n)
{
    put_text(name);
    host_put(' ');
    put_number(n);
    host_put('\n');
}

/* Writes what the loop has done, a line for each number. */
void rx_report(void)
{
    put_line("rounds", statistics.rounds);
    put_line("waits", statistics.waits);
    put_line("watches", statistics.watch_calls);
    put_line("timers", statistics.timer_calls);
    put_line("jobs", statistics.job_calls);
    put_line("signals", statistics.signal_calls);
    put_line("late", statistics.late);
    put_line("back", statistics.backwards);
}

/* How often the clock went back, timers were late by at most 1, 10, 100 milliseconds, and by more. */
unsigned rx_delays(int bucket)
{
    if (bucket < 0 || bucket >= RX_BUCKETS)
        return 0;
    return statistics.delays[bucket];
}

int rx_reset(void)
{
    if (running)
        return fail(RX_EBUSY);
    clear_statistics();
    forget_trace();
    return RX_OK;
}

/* What happened n events ago: 0 is the last one. */
int rx_traced(int n)
{
    int at;

    if (n < 0 || n >= RX_TRACE)
        return fail(RX_EINVAL);
    at = (trace_next + RX_TRACE - 1 - n) % RX_TRACE;
    return trace[at].what == TRACE_NONE ? 0 : trace[at].number;
}

/* --------------------------------------------------------------- the loop */

/* Asks the host which descriptors are ready. */
static int gather(int ready)
{
    int n;

    for (n = 0; n < ready && n < RX_WATCHES; n++) {
        int fd = host_ready_fd();

        if (fd < 0)
            break;
        mark_ready(fd, host_ready_events());
    }
    return n;
}

static int wait_for_events(void)
{
    int timeout, ready;

    if (job_count > 0 || signals_pending > 0 || anything_ready())
        timeout = 0;
    else
        timeout = time_to_wait();
    assert(timeout >= 0);
    call_hooks(before_wait);
    statistics.waits++;
    ready = host_wait(timeout);
    read_clock();
    note(TRACE_WAIT, timeout);
    call_hooks(after_wait);
    if (ready < 0)
        return fail(RX_EHOST);
    return gather(ready);
}

static int has_work(void)
{
    return watch_count > 0 || timer_count > 0 || job_count > 0 || signals_pending > 0;
}

/* One round: waits, then calls everybody who is to be called. */
int rx_run_once(void)
{
    int called = 0;

    if (running)
        return fail(RX_EBUSY);
    if (!has_work())
        return RX_IDLE;
    running = 1;
    stopping = 0;
    statistics.rounds++;
    if (wait_for_events() < 0) {
        running = 0;
        return RX_FAILED;
    }
    called += call_signals();
    if (!stopping)
        called += call_timers();
    if (!stopping)
        called += call_watches();
    if (!stopping)
        called += do_jobs();
    running = 0;
    assert(watch_walks == 0);
    return stopping ? RX_STOPPED : RX_RAN;
}

/* Rounds until there is nothing left to do, or somebody stops the loop. */
int rx_run(void)
{
    int end;

    do
        end = rx_run_once();
    while (end == RX_RAN);
    return end;
}

void rx_stop(void)
{
    stopping = 1;
}

int rx_is_running(void)
{
    return running;
}

/* Forgets everything. Not while the loop is at work. */
int rx_close(void)
{
    int i;

    if (running)
        return fail(RX_EBUSY);
    for (i = 0; i < RX_WATCHES; i++)
        clear_watch(i);
    watch_count = 0;
    watch_dead = 0;
    for (i = 0; i < RX_TIMERS; i++)
        clear_timer(i);
    timer_count = 0;
    armed = 0;
    for (i = 0; i < RX_JOBS; i++) {
        jobs[i].call = 0;
        jobs[i].data = 0;
    }
    job_head = 0;
    job_count = 0;
    for (i = 0; i < RX_SIGNALS; i++) {
        signals[i].call = 0;
        signals[i].pending = 0;
    }
    signals_pending = 0;
    for (i = 0; i < RX_HOOKS; i++) {
        before_wait[i] = 0;
        after_wait[i] = 0;
    }
    now_known = 0;
    return RX_OK;
}
