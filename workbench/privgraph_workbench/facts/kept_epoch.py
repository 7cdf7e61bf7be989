"""Which epoch's model the accuracy of a run is of: learning curves go on to the last one. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.methods.kept import Kept
from privgraph.options import OptionError, build
from privgraph.registry import METHODS
from privgraph.runs.spec import RunSpec

EPOCHS: Mapping[Kept, str] = {
    Kept.VALIDATED: "the epoch of best validation accuracy, of each stage",
    Kept.LAST: "the last epoch",
}


def kept(spec: RunSpec) -> Kept | None:
    """Which epoch a run of these settings keeps; None where its method is not here, or its options are of
    another version."""
    if spec.method not in METHODS:
        return None
    try:
        config = build(METHODS[spec.method].load_config(), spec.options)
    except OptionError:
        return None
    found: Kept = config.keeps
    return found
