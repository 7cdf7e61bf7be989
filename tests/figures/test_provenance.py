"""By which program a file was made, and when, where whoever asks for it says so: an archive has the same
bytes whenever it is made."""

from __future__ import annotations

import json
from datetime import date
from importlib.metadata import version

import pytest

from privgraph_workbench.figures.export import FORMATS, export, files
from privgraph_workbench.figures.graphs import classes

DAY = date(2031, 2, 3)
ROWS = classes.data({"left": 3, "right": 2})
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
    dated, bare = export("classes", ROWS, {}, kind, made=DAY), export("classes", ROWS, {}, kind)
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
    assert export("classes", ROWS, {}, "csv", made=DAY) == export("classes", ROWS, {}, "csv")
    assert files("classes", ROWS, {})["txt"] == export("classes", ROWS, {}, "txt")
