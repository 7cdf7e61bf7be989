"""Two graphs of one title have two names in a report, wherever one of them stands alone."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import Asked
from privgraph_workbench.words.naming import statements_of

TITLE, SMALL = "Made-up social network", "Made-up social network (nodes 600)"


def _runs(store: RunStore, reached: float, dataset: str = "social", **graph: int) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    found = []
    for method in ("gap", "progap"):
        spec = replace(made_runs.spec(method, dataset, epsilon=2.0), data_options=graph)
        found.append(made_runs.finish(store, spec, reached, said))
    return found


@pytest.mark.parametrize("small_first", [True, False])
def test_a_short_name_is_of_one_graph_in_text_tables_and_figures(small_first: bool) -> None:
    store = RunStore.open()
    groups = [_runs(store, 0.544, nodes=600), _runs(store, 0.79)]
    own, drawn = groups if small_first else reversed(groups)
    own = [*own, *_runs(store, 0.8, "cora")]
    both = [*drawn, *own[-2:]]  # beside another graph each is told by its title alone
    figures = [
        reporting.drawn(store, "compare", compare.data(both), statements_of(both)),
        reporting.drawn(store, "tradeoff", tradeoff.data(drawn), statements_of(drawn)),
    ]
    asked = Asked(title="T", runs=[reporting.told_of(store, one) for one in own], figures=figures, notebook=False)
    files = opened(reporting.build(asked))
    page = re.sub("<[^>]*>", "", re.sub(r"<svg.*?</svg>", "", files["report.html"].decode(), flags=re.S))
    labels = {row["label"] for row in csv.DictReader(io.StringIO(files["figures/01-compare.csv"].decode()))}
    bare, small = f"GAP, {TITLE}, edge ε 2", f"GAP, {SMALL}, edge ε 2"
    assert (small in labels, bare in labels) == (not small_first, small_first)
    # in short, and in the table of settings
    in_short = page.partition("How well it works")[2].partition("What the figures show")[0]
    assert f"54.4% by {small}" in in_short if small_first else f"79.0% by {bare}" in in_short
    assert small in page
    for told, value in ((bare, "54.4%"), (small, "79.0%")):
        assert not re.search(rf"{re.escape(told)}[^.;]{{0,40}}{value}|{value}[^.;]{{0,20}} by {re.escape(told)}", page)
    second = files["figures/02-tradeoff.txt"].decode().splitlines()[0]
    assert second.endswith(TITLE if small_first else SMALL)
