"""What tells a setting of a method with teachers from others, in a few columns. No Streamlit, no torch."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.methods.prompts.dp_gpl.config import Config as DpGpl
from privgraph.options import build, parameters, values
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import naming

WEIGHTED = "private-centrality"
WEIGHTS = {WEIGHTED: "unequal weights", "uniform": "equal weights", "centrality": "weights as published, not sound"}
"""How votes are weighted, in the order of a list. As published, weights are made of all private nodes: each
of them pays for all votes, and the ε that the paper prints is no guarantee."""
UNEQUAL = "unequal"
TITLE_WEIGHTED = "DP-GPL+W (unequal weights)"
"""What the paper calls DP-GPL whose teachers' votes have unequal weights."""
NONE = "—"
_OWN = {"weighting", "release", "student_labels", "queries", "teachers"}
"""Options that the columns tell."""
COLUMNS = ("weights", "release", "queries", "teachers")


def title(record: RunRecord) -> str:
    """What the method of a run is called, DP-GPL with unequal weights by its name in the paper."""
    weighted = record.spec.method == "dp-gpl" and columns(record)["weights"] == UNEQUAL
    return TITLE_WEIGHTED if weighted else naming.method_title(record.spec.method)


def columns(record: RunRecord) -> dict[str, str]:
    """The `COLUMNS` of a run's setting: how votes are weighted, what goes out for a query, how many queries
    are asked, and how many teachers vote on one."""
    method, options = record.spec.method, record.spec.options
    if method == "dp-gpl":  # a preset has its own
        known = {parameter.name for parameter in parameters(DpGpl)}
        options = values(build(DpGpl, {name: options[name] for name in known & options.keys()}).resolved())
    release = str(options.get("release", ""))
    if method == "dp-gpl":
        weights = WEIGHTS[str(options["weighting"])].replace("weights", "").strip()
        goes_out = "noisy counts" if options.get("student_labels") == "pooled" else "label"
    elif method == "pate":
        weights, goes_out = "equal", "label"
    else:
        weights, goes_out = "equal" if release == "ensemble" else NONE, release
    teachers = {"table": NONE, "votes": NONE, "posterior": "1 a query", "log-posterior": "1 a query"}.get(release)
    if teachers is None:
        teachers = f"{options['teachers']:,}" + " a query" * (release == "ensemble") if "teachers" in options else NONE
    return {
        "weights": weights,
        "release": goes_out,
        "queries": f"{options['queries']:,}" if "queries" in options else NONE,
        "teachers": teachers,
    }


def rest(records: Sequence[RunRecord]) -> dict[str, str]:
    """The options in which runs of a method differ beside the `COLUMNS`, by id."""
    words = naming.variants(records, leave_out=_OWN)
    return {one.id: words[naming.setting(one)] for one in records}
