"""A run on relations is scored by PREC@1, and is told by that name wherever a report tells it."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import asdict, replace

import pytest
from tests.figures import made_relations, made_runs

from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.store import RunStore
from privgraph_workbench import latex, report, reporting, tables
from privgraph_workbench.figures.runs import compare, curves
from privgraph_workbench.reporting import Asked
from privgraph_workbench.tables import Line
from privgraph_workbench.words.markup import literal
from privgraph_workbench.words.measures import ACCURACY, MEANS, PREC

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def related() -> list[RunRecord]:
    store = RunStore.open()
    return [
        made_relations.made_run(store, unit=unit, metrics={"test_accuracy": value})
        for unit, value in (("edge", 0.06), ("none", 0.09))
    ]


@pytest.fixture
def node() -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(RunStore.open(), made_runs.spec(), 0.7, said)


def test_the_archive_calls_it_by_its_name(related: list[RunRecord]) -> None:
    told = [reporting.told_of(RunStore.open(), one) for one in related]
    asked = Asked(title="Ours", runs=told, figures=reporting.usual(told), notebook=False)
    with zipfile.ZipFile(io.BytesIO(reporting.build(asked))) as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    page = re.sub('data:image/[^"]*', "", files["report.html"].decode())
    shown = re.sub("<(style|script).*?</\\1>|<[^>]*>", "", page, flags=re.DOTALL)
    assert not re.findall(".{30}[Tt]est accuracy.{30}|.{30}mean accuracy.{30}|.{30}[Mm]ost accurate.{9}", shown)
    assert f"{PREC}: {MEANS[PREC]}" in shown
    assert MEANS[ACCURACY] not in shown
    assert f"has the highest mean {PREC}" in shown or f"Mean {PREC}" in shown
    for table in ("runs", "settings"):
        rows = list(csv.DictReader(io.StringIO(files[f"tables/{table}.csv"].decode())))
        assert {row["metric"] for row in rows} == {PREC}
    tex = files["tables/runs.tex"].decode()
    assert PREC in tex
    assert "accuracy" not in tex
    for name, content in files.items():
        if name.startswith("figures/") and name.endswith((".svg", ".txt")):
            assert "test accuracy" not in content.decode(), name


def test_figures_have_it_on_their_axes(related: list[RunRecord], node: RunRecord) -> None:
    assert compare.chart(compare.data(related)).panels[0].x.title == f"{PREC} (percent)"
    assert compare.chart(compare.data([node])).panels[0].x.title == "test accuracy (percent)"
    assert compare.chart(compare.data([*related, node])).panels[0].x.title == f"{PREC} or test accuracy (percent)"
    events = [
        StoredEvent(
            sequence=step + 1,
            attempt=1,
            time=0.0,
            kind="metric",
            payload=asdict(Metric(name="test_accuracy", value=0.1, step=step)),
        )
        for step in (0, 4)
    ]
    for record, name, axis in ((related[0], PREC, PREC), (node, ACCURACY, "accuracy")):
        drawn = curves.chart(curves.data(events, record=record))
        assert drawn.panels[0].y.title == f"{axis} (percent)"
        assert [one.name for one in drawn.series] == [name]


def test_a_run_alone_and_tables_of_both(related: list[RunRecord], node: RunRecord) -> None:
    assert f"| {literal(PREC)} |" in report.markdown(related[0], [])
    assert "Test accuracy" not in report.markdown(related[0], [])
    lines = [Line(name=one.id, label=one.id, record=one) for one in (related[0], node)]
    assert tables.head(lines)[-1] == f"{PREC} or test accuracy"
    assert all(said in tables.about(lines) for said in MEANS.values())
    both = latex.table([replace(one, heading=name) for one, name in zip(lines, ("Products", "Social"), strict=True)])
    assert f"Products: {PREC}" in both
    assert "Social: Test accuracy" in both
