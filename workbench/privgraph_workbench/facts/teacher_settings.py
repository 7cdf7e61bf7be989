"""What tells a setting of a method with teachers from others, in a few columns. No Streamlit, no torch."""

from collections.abc import Sequence

from privgraph.methods.prompts.dp_gpl.config import Config as DpGpl
from privgraph.options import build, parameters, values
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import naming

WEIGHTED, UNEQUAL = "private-centrality", "unequal"
WEIGHTS = {WEIGHTED: UNEQUAL, "uniform": "equal", "centrality": "as published, not sound"}
"""How votes are weighted, in the order of a list. As published, weights are made of all private nodes: each
of them pays for all votes, and the ε that the paper prints is no guarantee."""
TEACHERS = {"table": "—", "votes": "—", "posterior": "1 a query", "log-posterior": "1 a query"}
"""How many vote on a query where the release decides."""
_OWN = {"weighting", "release", "student_labels", "queries", "teachers"}
"""Options that the columns tell."""


def columns(record: RunRecord) -> dict[str, str]:
    """What a run's setting is: `title` (that of DP-GPL with unequal weights as in its paper), `weights` of
    votes, what goes out for a query (`release`), how many `queries` are asked, and how many `teachers` vote
    on one."""
    method, options = record.spec.method, record.spec.options
    title, weights, release = naming.method_title(method), "equal", str(options.get("release", ""))
    teachers = f"{options['teachers']:,}" if "teachers" in options else "—"
    if method == "dp-gpl":  # a preset has its own
        known = {parameter.name for parameter in parameters(DpGpl)}
        options = values(build(DpGpl, {name: options[name] for name in known & options.keys()}).resolved())
        weights, teachers = WEIGHTS[str(options["weighting"])], f"{options['teachers']:,}"
        title = "DP-GPL+W (unequal weights)" if weights == UNEQUAL else title
        release = "noisy counts" if options.get("student_labels") == "pooled" else "label"
    elif method == "pate":
        release = "label"
    elif release == "ensemble":
        teachers += " a query"
    else:
        weights, teachers = "—", TEACHERS.get(release, teachers)
    queries = f"{options['queries']:,}" if "queries" in options else "—"
    return {"title": title, "weights": weights, "release": release, "queries": queries, "teachers": teachers}


def rest(records: Sequence[RunRecord]) -> dict[str, str]:
    """The options in which runs of a method differ beside the columns, by id."""
    words = naming.variants(records, leave_out=_OWN)
    return {one.id: words[naming.setting(one.spec)] for one in records}
