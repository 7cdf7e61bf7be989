"""The tabs of the Teachers page by their names, as an address has them."""

from __future__ import annotations

VOTES, ANSWERS, PAYERS, PRICE, COMPARED = TABS = ("Vote laboratory", "Answers", "Who pays", "Price", "Compared")
OPENS = "teachers.opens"
"""The tab that the page opens with when it is drawn next, whatever its address says."""
