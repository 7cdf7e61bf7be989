"""README.txt of a report tells the columns of its CSV files: those that they have."""

from __future__ import annotations

import csv
import io
import re

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack
from tests.workbench.made_reports import asked, opened, two_runs
from tests.workbench.sketches import sketched

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.figures.export import table
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import columns


@pytest.fixture(scope="module", params=[True, False], ids=["for others", "for oneself"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Of a report of two runs, for others or for oneself."""
    with pytest.MonkeyPatch.context() as patch, sketched():
        patch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("reported")))
        return opened(reporting.build(asked(two_runs(), share=request.param)))


def heads(files: dict[str, bytes]) -> dict[str, list[str]]:
    return {
        name: next(csv.reader(io.StringIO(content.decode())))
        for name, content in files.items()
        if name.endswith(".csv")
    }


def test_the_readme_lists_the_very_columns_of_each_file(files: dict[str, bytes]) -> None:
    readme = files["README.txt"].decode()
    _, _, told = readme.partition("Columns of the CSV files\n")
    parts: dict[str, list[str]] = {}
    for part in re.split(r"\n\n", told):
        names, *lines = part.strip().split("\n")
        if not names.endswith(".csv"):
            continue
        listed: list[str] = []
        for line in lines:
            again = re.fullmatch(r"  as above: (.*)", line)
            listed += again[1].split(", ") if again else [re.split(r"\s{2,}", line.strip())[0]]
        parts |= dict.fromkeys(names.split(", "), listed)
    found = heads(files)
    assert {"tables/runs.csv", "tables/settings.csv", "figures/01-tradeoff.csv"} <= set(found)
    assert {name: sorted(listed) for name, listed in parts.items()} == {
        name: sorted(head) for name, head in found.items()
    }


def test_columns_of_usual_figures_have_words_of_their_own_that_tell_their_scale() -> None:
    store = RunStore.open()
    records = made_runs.sweep(store)
    found = attack()
    for kind, rows in (
        ("tradeoff", tradeoff.data(records)),
        ("compare", compare.data(records)),
        ("attack_areas", attack_areas.data([found])),
    ):
        assert not columns.lacking(table(kind, rows)[0], kind), kind
    for name, said in columns.OF_TABLES.items():
        assert not name.endswith("_percent") or said.endswith("percent"), name
    for kind, name in (
        ("tradeoff", "mean"),
        ("compare", "test_accuracy"),
        ("standing", "value"),
        ("attack_areas", "area"),
    ):
        assert columns.SHARE in columns.meaning(kind, name)


def test_a_column_without_words_is_told_by_what_its_figure_says() -> None:
    lines = columns.told({"figures/01-split.csv": b"name,share\na,1\n"}, {"figures/01-split.csv": "split"})
    assert any(line.startswith("  name, share: Rows for each mechanism") for line in lines)


def test_a_front_says_that_what_needs_no_noise_stands_in_none() -> None:
    assert "stands in no front" in columns.meaning("tradeoff", "front")


def test_no_column_of_a_table_is_empty_in_all_rows(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        if name.startswith("tables/") and name.endswith(".csv"):
            rows = list(csv.DictReader(io.StringIO(content.decode())))
            assert all(any(row[column] for row in rows) for column in rows[0]), name
