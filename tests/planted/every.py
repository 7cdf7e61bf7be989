"""All planted bugs."""

from tests.planted import accounts, bugs, floats, histograms, observed, rosters, wiring

BUGS = (*bugs.BUGS, *floats.BUGS, *histograms.BUGS, *accounts.BUGS, *observed.BUGS, *rosters.BUGS, *wiring.BUGS)
