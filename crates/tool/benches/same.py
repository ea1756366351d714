#!/usr/bin/env python3
"""Compares what two builds of agon say: python3 crates/tool/benches/same.py OLD NEW [--only TEXT] [--seconds N]

Every program of the corpus is given to every command and engine of both, in one thread. Verdicts, plays, counts, exit
statuses and JSON must be equal, but for times, memory and versions. Of `auto` only the verdict counts: which engine is
first depends on the clock. Runs that end at a limit in either build are not compared, and are counted. The new build
may have more fields in its JSON.

Each difference is printed; the exit status is 1 if there is one.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

CHECKS = [
    ["--engine", "auto"],
    ["--engine", "explicit"],
    ["--engine", "explicit", "--order", "fixed"],
    ["--engine", "explicit", "--order", "shortest"],
    ["--engine", "explicit", "--order", "random", "--seed", "1"],
    ["--engine", "explicit", "--no-reduction"],
    ["--engine", "interval"],
    ["--engine", "partition"],
    ["--engine", "partition", "--semi-terminating"],
    ["--engine", "predicate"],
    ["--engine", "predicate", "--predicates", "annotated"],
    ["--engine", "predicate", "--predicates", "maximal"],
    ["--engine", "predicate", "--predicates", "minimal"],
    ["--engine", "assume-guarantee"],
    ["--engine", "assume-guarantee", "--learner", "table"],
    ["--engine", "explicit", "--all"],
    ["--deadlock"],
]
OTHERS = [
    ["model", "--format", "json"],
    ["model", "--format", "aut"],
    ["model", "--format", "dot"],
    ["model", "--format", "cspm"],
    ["model", "--bottom-up"],
    ["model", "--revealed"],
    ["model", "--plays"],
    ["typing"],
    ["print"],
    ["listing"],
]
# What depends on the machine and the moment, and what newer builds add.
PASSING = {"seconds", "peak_memory_mib", "version", "$schema"}


def claims(path):
    """The constants of a program and its targets, and its pairs: (relation, other file)."""
    defines, targets, pairs = [], [], []
    for line in path.read_text().splitlines():
        if not line.startswith("//! "):
            continue
        head, _, rest = line[4:].partition(":")
        word, _, target = head.partition(" ")
        if word == "define":
            defines.append("-D" + rest.strip())
        if word in ("safe", "unsafe") and target:
            targets.append(target)
        if word in ("equivalent", "inequivalent", "approximates"):
            pairs.append((word, path.parent / rest.strip()))
    return defines, targets, pairs


def calls(only):
    for path in sorted((ROOT / "corpus").rglob("*.ia")):
        name = str(path.relative_to(ROOT))
        if only not in name:
            continue
        defines, targets, pairs = claims(path)
        for target in [None, *targets]:
            chosen = ["--target", target] if target else []
            for check in CHECKS:
                if not (chosen and ("--all" in check or "--deadlock" in check)):
                    yield ["check", name, *check, *chosen, "--format", "json", *defines]
        for other in OTHERS:
            yield [other[0], name, *other[1:], *defines]
        for word, other in pairs:
            command = "approx" if word == "approximates" else "equiv"
            yield [command, name, str(other.relative_to(ROOT)), "--format", "json", *defines]


def stripped(value):
    if isinstance(value, dict):
        return {key: stripped(inner) for key, inner in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [stripped(inner) for inner in value]
    return value


def known(old, new):
    """The new answer without the fields that the old one does not have."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: known(old[key], inner) for key, inner in new.items() if key in old}
    if isinstance(old, list) and isinstance(new, list):
        return [known(*both) for both in zip(old, new)] + new[len(old):]
    return new


def run(binary, call, seconds):
    limits = [] if call[0] in ("print", "typing", "listing") else ["--time-limit", str(seconds), "--threads", "1"]
    result = subprocess.run([binary, *call, *limits], cwd=ROOT, capture_output=True, timeout=20 * seconds + 60)
    text = result.stdout.decode(errors="replace")
    said = result.stderr.decode(errors="replace")
    limited = re.search(r"time ran out|memory ran out", text + said)
    try:
        answer = stripped(json.loads(text))
    except ValueError:
        answer = re.sub(r"[\d.]+ s, \d+ MiB", "", text)
    if "auto" in call and isinstance(answer, dict):
        answer = answer.get("verdict")
    return {"status": result.returncode, "answer": answer}, bool(limited)


def first_difference(old, new, path=""):
    """Where two answers differ first, and how."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return first_difference(old.get(key), new.get(key), f"{path}.{key}")
    if isinstance(old, list) and isinstance(new, list):
        for n, (a, b) in enumerate(zip(old, new)):
            if a != b:
                return first_difference(a, b, f"{path}[{n}]")
        return f"{path}: {len(old)} and {len(new)} entries"
    return f"{path}: {str(old)[:160]!r} and {str(new)[:160]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="only programs whose path has this text")
    parser.add_argument("--seconds", type=int, default=5, help="the time limit of each run")
    options = parser.parse_args()
    binaries = [str(Path(binary).resolve()) for binary in (options.old, options.new)]

    def compare(call):
        return call, *(run(binary, call, options.seconds) for binary in binaries)

    counts = Counter()
    with ThreadPoolExecutor(2) as pool:
        for call, (old, old_limited), (new, new_limited) in pool.map(compare, calls(options.only)):
            new = known(old, new)
            if old_limited or new_limited:
                counts["at a limit in both" if old_limited and new_limited else "at a limit in one"] += 1
                if old_limited != new_limited:
                    print(f"limit: {' '.join(call)}: {'old' if old_limited else 'new'} only")
            elif old == new:
                counts["equal"] += 1
            else:
                counts["different"] += 1
                print(f"DIFFERENT: {' '.join(call)}\n    {first_difference(old, new)}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(1 if counts["different"] else 0)


if __name__ == "__main__":
    main()
