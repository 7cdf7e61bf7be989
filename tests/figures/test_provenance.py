"""By which program a file was made, and when, where whoever asks for it says so: an archive has the same
bytes whenever it is made."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from importlib.metadata import version

import pytest
from tests.figures import made_runs
from tests.figures.made_tradeoffs import point

from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.export import FORMATS, export, files

DAY = date(2031, 2, 3)
ROWS = [{**point(1.0, 0.5), "front": False}]
KEYS = {
    "svg": b"2031-02-03",
    "pdf": b"D:20310203",
    "png": b"2031-02-03",
    "txt": b"on 2031-02-03",
    "json": b"2031-02-03",
}
BY = f"privgraph {version('privgraph')}".encode()


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "csv"])
def test_a_file_says_when_it_was_made_where_that_is_known(kind: str) -> None:
    dated, bare = export("tradeoff", ROWS, {}, kind, made=DAY), export("tradeoff", ROWS, {}, kind)
    assert KEYS[kind] in dated
    assert KEYS[kind] not in bare
    if kind == "json":
        assert json.loads(dated)["made"] == "2031-02-03"
        assert json.loads(bare)["versions"]["privgraph"] == version("privgraph")
        assert "made" not in json.loads(bare)
    else:
        assert BY in dated
        assert BY in bare, "the version is no matter of when"


def test_a_table_is_numbers_alone_and_archives_are_the_same_on_every_day() -> None:
    assert export("tradeoff", ROWS, {}, "csv", made=DAY) == export("tradeoff", ROWS, {}, "csv")
    assert files("tradeoff", ROWS, {})["txt"] == export("tradeoff", ROWS, {}, "txt")


def test_below_a_picture_what_an_epsilon_of_public_noise_is() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    public = {"GAP on Cora, edge ε 1": replace(said, assumptions=(*said.assumptions, NOISE_IS_PUBLIC))}
    line = "The noise is public: each ε is that of the same noise with a secret key."
    assert line in notes.short(public)
    assert line not in notes.short({"GAP on Cora, edge ε 1": said})
    mixed = {**public, "GAP on Cora, edge ε 4": said}
    assert f"Of 1 of 2 private settings the {line.removeprefix('The ')}" in notes.short(mixed)


def test_what_reads_no_edge_is_not_called_a_setting_that_guarantees_nothing() -> None:
    edge, none = made_runs.statement(made_runs.edge_entries(9)), made_runs.statement((), "none")
    mlp, gnn = "MLP (ignores edges) on Cora, protects no person", "GNN (no privacy) on Cora, not private"
    *_, told, _ = notes.short({"GAP on Cora, edge ε 1": edge, mlp: none, gnn: none})
    hides = "MLP (ignores edges) hides every edge without noise (ε 0 for edges), and no person"
    assert told == f"1 of the 3 settings guarantees nothing: no ε; {hides}."
    *_, told, _ = notes.short({"GAP on Cora, edge ε 1": edge, mlp: none})
    assert told == f"{hides}."
    told, _ = notes.short({mlp: none, gnn: none})
    assert told.startswith("1 of the 2 settings guarantees nothing")
