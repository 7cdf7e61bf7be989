"""What tells a setting of a method with teachers from others, in a few columns. No Streamlit, no torch."""

from __future__ import annotations

from privgraph.runs.records import RunRecord
from privgraph_workbench.words import naming
from privgraph_workbench.words.listing import told_in_list

WEIGHTED = "private-centrality"
WEIGHTS = {WEIGHTED: "unequal weights", "uniform": "equal weights", "centrality": "weights as published, not sound"}
"""How votes are weighted, in the order of a list. As published, weights are made of all private nodes: each
of them pays for all votes, and the ε that the paper prints is no guarantee."""
NONE = "—"
COLUMNS = ("weights", "release", "queries", "teachers")


def columns(record: RunRecord) -> dict[str, str]:
    """The `COLUMNS` of a run's setting: how votes are weighted, what goes out for a query, how many queries
    are asked, and how many teachers vote on one."""
    method, options = record.spec.method, record.spec.options
    release = str(options.get("release", ""))
    if method == "dp-gpl":
        weights = WEIGHTS.get(str(options.get("weighting")), NONE).removesuffix(" weights")
        goes_out = "noisy counts" if options.get("student_labels") == "pooled" else "label"
    elif method == "pate":
        weights, goes_out = "equal", "label"
    else:
        weights, goes_out = "equal" if release == "ensemble" else NONE, release
    teachers = {"table": "none", "votes": "none", "posterior": "1 a query", "log-posterior": "1 a query"}.get(release)
    if teachers is None:
        teachers = f"{options['teachers']:,}" + " a query" * (release == "ensemble") if "teachers" in options else NONE
    return {
        "weights": weights,
        "release": goes_out,
        "queries": f"{options['queries']:,}" if "queries" in options else NONE,
        "teachers": teachers,
    }


def rest(records: list[RunRecord]) -> dict[str, str]:
    """What else tells these runs apart, by id, beside the `COLUMNS`."""
    own = {"weighting", "release", "student_labels", "queries", "teachers"}
    told = told_in_list(records)
    found = {}
    for one in records:
        options = one.spec.options
        there = {naming.said(one.spec.method, key, options[key]) for key in own & options.keys()}
        found[one.id] = ", ".join(word for word in told[one.id] if word not in there)
    return found
