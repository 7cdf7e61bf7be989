"""Every planted bug is caught, and what catches it finds nothing on clean code."""

from collections.abc import Callable

import pytest
from tests.planted.every import BUGS
from tests.planted.planting import Bug, Verdict
from tests.torch_threads import threads

CHECKS: dict[Callable[[], Verdict], list[Bug]] = {}
for _bug in BUGS:
    CHECKS.setdefault(_bug.check, []).append(_bug)


@pytest.mark.long
@pytest.mark.parametrize("bugs", CHECKS.values(), ids=lambda bugs: bugs[0].name.replace(" ", "-"))
def test_they_are_caught_and_clean_code_is_not(bugs: list[Bug]) -> None:
    """One bug after another of those that one check looks for, and then the same check of clean code."""
    missed = []
    with threads(1):
        for bug in bugs:
            with bug.plant():
                planted = bug.check()
            if not planted.wrong:
                missed.append(f"{bug.name}: {planted.seen}")
        clean = bugs[0].check()  # afterwards, so that nothing of the bugs may be left
    assert not missed, missed
    assert not clean.wrong, clean.seen
