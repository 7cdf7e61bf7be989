"""The page Report: settings and graphs are called as a sentence would."""

from __future__ import annotations

from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.views.report import plain_names
from privgraph_workbench.words.naming import graph_of


def _on(store: RunStore, split: str = "random", **data: object) -> RunRecord:
    made_up = make_spec("progap", "social", {"unit": "edge"}, data_options=data, split=split)
    said = made_runs.statement(made_runs.edge_entries(9), "edge")
    return made_runs.finish(store, made_up, 0.7, said, made_runs.learning(0, stages=1))


def test_a_graph_is_its_title_and_what_it_has_is_said_once(store: RunStore) -> None:
    run = _on(store, nodes=600, classes=3, degree=16.0, seed=7)
    graphs = plain_names.graphs_of([run])
    assert plain_names.setting(run, graphs).endswith(" on Made-up social network")
    assert plain_names.graphs_apart([run, run], graphs) == (
        "Made-up social network: 600 nodes, 3 classes, mean degree 16, drawn with seed 7."
    )


def test_graphs_of_one_title_are_told_apart_in_plain_words(store: RunStore) -> None:
    small, large = _on(store, nodes=600), _on(store)
    graphs = plain_names.graphs_of([small, large])
    assert graphs == {
        graph_of(small): "Made-up social network (600 nodes)", graph_of(large): "Made-up social network",
    }  # fmt: skip
    assert plain_names.graphs_apart([small, large], graphs) == "", "their names say it"
