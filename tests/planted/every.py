"""All planted bugs."""

from tests.planted import accounts, bugs, floats, observed, rosters, wiring

BUGS = (*bugs.BUGS, *floats.BUGS, *accounts.BUGS, *observed.BUGS, *rosters.BUGS, *wiring.BUGS)
