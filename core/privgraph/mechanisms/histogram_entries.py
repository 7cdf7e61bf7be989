"""The ledger entry of noisy class histograms, without torch: plans predict with it what runs will write."""

from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry

SENSITIVITY = 1.0
"""Of all rows together, in L2; proved in `histograms.ClassHistogram`."""


def histogram_entry(unit: str, std: float) -> LedgerEntry:
    """One release of all histograms, with noise of standard deviation `std` (0: none, and the event says
    so)."""
    if std == 0:
        return LedgerEntry(
            kind=MechanismKind.UNPROTECTED,
            mechanism="class histograms",
            stage="histograms",
            event=NonPrivate(reason="the classes of neighbours are counted without noise"),
        )
    spread = (
        "a training node's vote is spread over its neighbours that do not train"
        if unit == "node"
        else "an edge moves one row by at most 1, or two by at most the root of a half"
    )
    return LedgerEntry(
        kind=MechanismKind.ADDITIVE,
        mechanism="noisy class histograms",
        stage="histograms",
        event=Gaussian(noise_multiplier=std / SENSITIVITY),
        noise_std=std,
        sensitivity=SENSITIVITY,
        note=f"sum over neighbours of centred distributions over classes: {spread}",
    )
