"""Strange inputs by the thousand: `python -m tests.fuzz [--inputs 100000] [--seed 0] [--only KIND]`, or `make
fuzz`.

Uploads, run specs, stored rows and addresses of pages, drawn at random or mutated from good ones. Each must
be accepted, or refused in one short sentence; whatever else happens to it is a crash. An input is known by
seed/kind/number: `--again 0/specs/17` takes that one alone, with its traceback.
"""

import argparse
import logging
import os
import random
import sys
import tempfile
import traceback
import warnings

# The home of the runs is chosen when the modules below first open a store.
os.environ["PRIVGRAPH_HOME"] = tempfile.mkdtemp(prefix="privgraph-fuzz-home-")
os.environ.pop("PRIVGRAPH_STORE", None)

from tests.fuzz import every
from tests.fuzz.kinds import Crash, Found, judged, play


def main() -> int:
    """Play the inputs, kind by kind, and print what came of them; exit code 1 where any crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(every.KINDS))
    parser.add_argument("--again", metavar="SEED/KIND/NUMBER")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    if asked.again:
        return again(asked.again)
    print("kind         inputs  accepted   refused   crashed   seconds  slowest", flush=True)
    crashed = 0
    for name, kind in every.KINDS.items():
        if asked.only in (None, name):
            count = asked.inputs if asked.only else round(asked.inputs * kind.part)
            found = play(kind, count, asked.seed)
            crashed += found.crashed
            print(line(name, found), flush=True)
    print(f"{crashed or 'none'} crashed")
    return 1 if crashed else 0


def line(name: str, found: Found) -> str:
    """What came of a kind, and its first crashes."""
    counts = f"{found.inputs:9,} {found.accepted:9,} {found.refused:9,} {found.crashed:9,} {found.seconds:9.1f}"
    slow = f"{found.slowest[0]:.2f} s ({found.slowest[1]})"
    return "\n".join([f"{name:10}{counts}  {slow}", *(f"  {crash}" for crash in found.crashes)])


def again(place: str) -> int:
    """Take one input again."""
    kind = every.KINDS[place.split("/")[1]]
    given = kind.make(random.Random(place))
    print(f"{given!a:.3000}")
    try:
        print(list(judged(kind, given)) or "accepted")
    except Crash as crash:
        traceback.print_exception(crash)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
