"""All planted bugs."""

from __future__ import annotations

from tests.planted import accounts, bugs, floats, observed, rosters, wiring

BUGS = (*bugs.BUGS, *floats.BUGS, *accounts.BUGS, *observed.BUGS, *rosters.BUGS, *wiring.BUGS)
