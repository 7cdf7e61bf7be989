"""The table of planted bugs: what was planted where, and what is seen. For `make planted-bugs`."""

import sys
import time
import warnings
from collections.abc import Callable

from tests.planted.every import BUGS
from tests.planted.planting import Verdict
from tests.torch_threads import threads


def main() -> int:
    """Plant one bug after another. Returns 1 where one is missed, or where clean code is blamed."""
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
    failures = 0
    clean: dict[Callable[[], Verdict], Verdict] = {}
    rows = [("planted", "where", "what is seen", "on clean code", "seconds")]
    for bug in BUGS:
        start = time.perf_counter()
        before = clean[bug.check] = clean.get(bug.check) or bug.check()
        with bug.plant():
            after = bug.check()
        right = after.wrong and not before.wrong
        failures += not right
        caught = after.seen if after.wrong else f"MISSED: {after.seen}"
        seen = before.seen if not before.wrong else f"WRONG: {before.seen}"
        rows.append((bug.name, bug.where, caught, seen, f"{time.perf_counter() - start:.1f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(f"\n{len(BUGS) - failures} of {len(BUGS)} planted bugs are caught")
    return min(failures, 1)


if __name__ == "__main__":
    with threads(1):
        sys.exit(main())
