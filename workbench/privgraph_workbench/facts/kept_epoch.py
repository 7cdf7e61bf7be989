"""Which epoch's model the accuracy of a run is of: learning curves go on to the last one. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def note(settings: Sequence[tuple[str, RunSpec]]) -> str:
    """Of which epoch the accuracies of these settings are, each by its name where they differ; "" where that
    is not known of any."""
    held: dict[Kept, list[str]] = {}
    for name, spec in settings:
        if (one := kept(spec)) is not None:
            held.setdefault(one, []).extend([name] * (name not in held.get(one, [])))
    if not held:
        return ""
    named = len(held) > 1
    said = "; ".join(
        EPOCHS[one] + (f" ({'; '.join(names)})" if named and any(names) else "") for one, names in held.items()
    )
    on = ", while learning curves go on to the last" if Kept.VALIDATED in held else ""
    return f"An accuracy is that of the model that a run kept: {said}{on}."
