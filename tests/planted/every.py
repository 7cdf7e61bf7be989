"""All planted bugs."""

from __future__ import annotations

from tests.planted import accounts, bugs, floats, observed, wiring

BUGS = (*bugs.BUGS, *floats.BUGS, *accounts.BUGS, *observed.BUGS, *wiring.BUGS)
