/*
 * The producer-consumer of [SCC, Fig. 5], corpus/concurrency/scc-prodcon.ia, closed by its most general environment.
 *
 *   spin -a -DN=3 -DP=1 -DC=1 -DI=1 scc-prodcon.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E
 *
 * N is the size of the buffer, P and C are the numbers of producers and of consumers, I is how many values an item has.
 *
 * What corresponds to what:
 *
 * - A process is a thread of the term. Cells that the term declares around its threads are global here, those of one
 *   thread local. A semaphore is the number of its places that are taken.
 * - A statement, or a `d_step`, is what the language does in one step: a read, a write, a grab or a release of a cell that
 *   others can name, or a move of either player. What a thread does to its own cells takes no step of its own. So
 *   `buf[rear] := tmp` reads `rear`, then writes the element; `rear := (rear + 1) mod n` reads, then writes.
 * - The environment plays inside the process that asks it. ASK is the question, a step; then the process waits, and
 *   whatever the environment may do there is a choice, a step again: it answers any value, or, asked to `consume`, it asks
 *   for the argument, which reads `tmp` and then answers, in its own steps, as often as the environment likes. One
 *   argument thread at a time is its bound, so that the process that waits can be that thread too.
 * - Nothing aborts, as in the term: the verifier goes through all states. Runs that get stuck are no errors (pan -E).
 * - Moves bear no thread numbers, as in `agon check` where the target names none. Its positions, with `--no-reduction`, are
 *   the states here, but for one more state here, after the program's own answer.
 */

#define ASK(f) skip

byte buf[N];
byte front, rear;
byte taken_full = N, taken_empty, taken_s, taken_t;
/* The threads that are not done. */
byte running = P + C;

#define GRAB(sem, places) d_step { taken_##sem < places -> taken_##sem++ }
#define RELEASE(sem) d_step { taken_##sem > 0 -> taken_##sem-- }

proctype Producer() {
    byte tmp, at;
    do
    :: ASK(b1);
        if
        :: running-- -> break
        :: skip
        fi;
        ASK(produce);
        if
        :: tmp = 0
#if I > 1
        :: tmp = 1
#endif
#if I > 2
        :: tmp = 2
#endif
#if I > 3
        :: tmp = 3
#endif
#if I > 4
#error "items have at most four values here"
#endif
        fi;
        GRAB(empty, N);
        GRAB(s, 1);
        at = rear;
        d_step { buf[at] = tmp; at = 0 };
        at = (rear + 1) % N;
        d_step { rear = at; at = 0 };
        RELEASE(s);
        d_step { taken_full > 0 -> taken_full--; tmp = 0 }
    od;
end: false
}

proctype Consumer() {
    byte tmp, at;
    do
    :: ASK(b2);
        if
        :: running-- -> break
        :: skip
        fi;
        GRAB(full, N);
        GRAB(t, 1);
        at = front;
        d_step { tmp = buf[at]; at = 0 };
        at = (front + 1) % N;
        d_step { front = at; at = 0 };
        RELEASE(t);
        RELEASE(empty);
        ASK(consume);
        do
        :: skip;                                        /* the environment asks for the argument */
            at = tmp;
            d_step { at = 0 }                           /* the argument answers */
        :: tmp = 0 -> break
        od
    od;
end: false
}

init {
    byte k;
    /* The environment runs the program. */
    atomic {
        for (k : 1 .. P) { run Producer() }
        for (k : 1 .. C) { run Consumer() }
        k = 0
    };
    /* The program is done, and its cells are gone. */
    d_step {
        running == 0 -> front = 0; rear = 0; taken_full = 0; taken_empty = 0;
        for (k : 0 .. N - 1) { buf[k] = 0 }
        k = 0
    };
end: false
}
