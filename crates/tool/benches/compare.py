#!/usr/bin/env python3
"""Compares two builds of agon on the benchmarks: python3 crates/tool/benches/compare.py OLD NEW [RUNS]

Both run by turns on this machine. Each row has the shortest processor time of each and its peak memory, with the ratio
of new to old. Processor time is what counts where other work is going on.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

PRODCON = ["check", "corpus/concurrency/scc-prodcon.ia", "-Dn=2", "-Dp=2", "-Dc=2", "-Di=2", "--engine", "explicit"]
STACK = "corpus/papers/otf-stack-push-pop.ia"
ROWS = [
    ("stack 512, overflow, fixed", ["check", STACK, "-Dsize=512", "--target", "oflo.run", "--engine", "explicit"]),
    ("whole space of the stack, size 15", ["check", STACK, "-Dsize=15", "--order", "fixed", "--engine", "explicit"]),
    ("whole space, breadth first", ["check", STACK, "-Dsize=15", "--order", "shortest", "--engine", "explicit"]),
    ("ages, precisely", ["check", "corpus/papers/otf-ages.ia", "--target", "true", "--engine", "explicit"]),
    ("[OTF, Table 2] at 65,536", ["check", "corpus/refinement/otf-table-2.ia", "-Dsize=65536", "--target", "oflo.run",
                                  "--engine", "interval"]),
    ("[GC, Table 1] at 1,000", ["check", "corpus/refinement/gc-table-1-overflow.ia", "-Dn=1000", "--engine", "partition",
                                "--iterations", "5000"]),
    ("number magic, maximal", ["check", "corpus/papers/pred-number-magic-integers.ia", "--engine", "predicate",
                               "--predicates", "maximal"]),
    ("bubble sort by predicates", ["check", "corpus/predicates/bubble-sort.ia", "--engine", "predicate"]),
    ("door in two halves", ["check", "corpus/assumptions/door.ia", "--engine", "assume-guarantee"]),
    ("prodcon without reduction, one thread", PRODCON + ["--no-reduction", "--threads", "1"]),
    ("prodcon without reduction, two threads", PRODCON + ["--no-reduction", "--threads", "2"]),
    ("prodcon with reduction, one thread", PRODCON + ["--threads", "1"]),
    ("model of prodcon", ["model", "corpus/concurrency/scc-prodcon.ia", "-Dn=2", "-Dp=1", "-Dc=2", "-Di=1"]),
]


def run(binary, arguments):
    """Processor seconds, MiB at most, and the exit status."""
    # The limits are far away: rows must not end early. With an order, the play that is found is not made shorter.
    order = [] if arguments[0] != "check" or "--order" in arguments else ["--order", "fixed"]
    command = [binary, *arguments, *order, "--time-limit", "120", "--memory-limit", "8000"]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binaries = [str(Path(binary).resolve()) for binary in sys.argv[1:3]]
    runs = int(sys.argv[3]) if len(sys.argv) == 4 else 5
    print("| row | old s | new s | ratio | old MiB | new MiB | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, arguments in ROWS:
        seen = [[], []]
        for _ in range(runs):
            for own, binary in zip(seen, binaries):
                own.append(run(binary, arguments))
        (old, old_mib, old_status), (new, new_mib, new_status) = (
            (min(r[0] for r in own), max(r[1] for r in own), own[0][2]) for own in seen
        )
        note = "" if old_status == new_status else f" status {old_status} → {new_status}"
        print(f"| {name}{note} | {old:.3f} | {new:.3f} | {new / max(old, 0.001):.2f} | {old_mib:.0f} | {new_mib:.0f} "
              f"| {new_mib / old_mib:.2f} |", flush=True)


if __name__ == "__main__":
    main()
