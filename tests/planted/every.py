"""All planted bugs."""

from __future__ import annotations

from tests.planted import bugs, floats, witnessed

BUGS = (*bugs.BUGS, *floats.BUGS, *witnessed.BUGS)
