"""All planted bugs."""

from __future__ import annotations

from tests.planted import bugs, floats

BUGS = (*bugs.BUGS, *floats.BUGS)
