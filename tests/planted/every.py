"""All planted bugs."""

from __future__ import annotations

from tests.planted import accounts, bugs, floats, witnessed

BUGS = (*bugs.BUGS, *floats.BUGS, *accounts.BUGS, *witnessed.BUGS)
