"""Figures as files: every format of every figure, each with its statement, with no network and no browser."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.figures import made_runs

from privgraph.privacy.serialisation import statement_from_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunQuery, RunRecord, StoredEvent
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import catalogue, export, figure_of
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series
from privgraph_workbench.figures.drawing import with_matplotlib
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.graphs import classes
from privgraph_workbench.figures.runs import compare, convergence, depth, neighbours_heatmap, tradeoff
from privgraph_workbench.words.numbers import stated

SVG = "{http://www.w3.org/2000/svg}"
Rows = Mapping[str, list[Row]]


@pytest.fixture
def cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection and no other process."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an export must need neither the network nor another process")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)


def texts(svg: bytes) -> str:
    """Everything that can be read in the picture; long lines are broken there, and whole here."""
    said = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return " ".join(said.split())


@pytest.mark.long
def test_the_rows_cover_every_figure(every_figure: Rows) -> None:
    assert set(every_figure) == set(catalogue())


def brings_a_new_mark(figure: str, every_figure: Rows) -> bool:
    """Whether the figure is the first, in the order of their names, with some kind of mark, of axis or of
    rule."""

    def marks(name: str) -> set[object]:
        chart = figure_of(name).chart(every_figure[name])
        axes = {axis.scale for panel in chart.panels for axis in (panel.x, panel.y)}
        return (
            axes | {one.kind for one in chart.series} | {type(rule) for panel in chart.panels for rule in panel.rules}
        )

    before = list(catalogue())[: list(catalogue()).index(figure)]
    return not marks(figure) <= set[object]().union(*map(marks, before))


@pytest.mark.usefixtures("cut_off")
@pytest.mark.parametrize("figure", catalogue())
@pytest.mark.long
def test_every_figure_leaves_in_every_format(figure: str, every_figure: Rows, statement: PrivacyStatement) -> None:
    """Pictures as SVG, whose words can be read; as PDF and PNG, which are written from the same drawing,
    those that show something that none before did."""
    kinds = export.FORMATS if brings_a_new_mark(figure, every_figure) else ("svg", "csv", "txt", "json")
    files = {kind: export.export(figure, every_figure[figure], {"one run": statement}, kind) for kind in kinds}
    if "png" in files:
        assert files["pdf"].startswith(b"%PDF")
        assert files["png"].startswith(b"\x89PNG")
        image = Image.open(io.BytesIO(files["png"]))
        assert len(image.convert("RGB").getcolors(2**24) or []) > 20  # something is drawn
    assert files["svg"].startswith(b"<?xml")
    assert len(list(ElementTree.fromstring(files["svg"]).iter(f"{SVG}path"))) > 3  # something is drawn
    seen = texts(files["svg"])
    for axis in (axis for panel in figure_of(figure).chart(every_figure[figure]).panels for axis in (panel.x, panel.y)):
        assert axis.title in seen
    assert json.loads(files["json"])["rows"] == json.loads(json.dumps(export.plain(every_figure[figure])))
    table = figure_of(figure).table(every_figure[figure])
    assert len(list(csv.reader(io.StringIO(files["csv"].decode())))) == 1 + len(table)
    assert figure_of(figure).chart(every_figure[figure]).title in files["txt"].decode()


class TestStatementsTravelWithThePicture:
    @pytest.mark.long
    def test_svg_shows_and_embeds_it(self, every_figure: Rows, statement: PrivacyStatement) -> None:
        exported = export.export("curves", every_figure["curves"], {"one run": statement}, "svg")
        seen = texts(exported)
        sound = stated("sound", statement.epsilon)
        published = stated("published", statement.epsilon_as_published)
        assert "protects sound ε ε as published ε audited δ" in seen
        assert f"one run edge {sound} {published} ≥ 0.31 1e-05" in seen
        held = " ".join(ElementTree.fromstring(exported).itertext())
        record = re.search(r"Privacy statements: (\{.*\})", held)
        assert record is not None
        assert statement_from_json(json.loads(record.group(1))["one run"]) == statement

    def test_png_embeds_it(self, every_figure: Rows, statement: PrivacyStatement) -> None:
        exported = export.export("ledger", every_figure["ledger"], {"one run": statement}, "png")
        held: dict[str, Any] = Image.open(io.BytesIO(exported)).info
        assert statement_from_json(json.loads(held["Privacy statements"])["one run"]) == statement
        assert "ε as published" in held["Description"]

    def test_pdf_embeds_it(self, every_figure: Rows, statement: PrivacyStatement) -> None:
        exported = export.export("ledger", every_figure["ledger"], {"one run": statement}, "pdf")
        for said in ("sound ε", "ε as published", "ε audited", statement.relation):
            assert said.encode("utf-16-be") in exported or said.encode() in exported

    def test_csv_is_numbers_and_its_statement_a_file_beside_it(
        self, every_figure: Rows, statement: PrivacyStatement
    ) -> None:
        rows = every_figure["tradeoff"]
        numbers, stated = (
            export.export("tradeoff", rows, {"one run": statement}, kind).decode() for kind in ("csv", "txt")
        )
        assert "#" not in numbers
        table = list(csv.DictReader(io.StringIO(numbers)))
        assert len(table) == len(rows)
        assert float(table[0]["mean"]) == pytest.approx(rows[0]["mean"], rel=1e-5)
        lines = stated.splitlines()
        assert stated.endswith(statement_text(statement) + "\n"), "in words"
        assert "{" not in stated, "JSON is for the JSON file"
        assert any(line.split()[:2] == ["protects", "sound"] for line in lines)

    def test_json_holds_all_of_it(self, every_figure: Rows, statement: PrivacyStatement) -> None:
        held = json.loads(export.export("tradeoff", every_figure["tradeoff"], {"one run": statement}, "json"))
        assert statement_from_json(held["statements"]["one run"]) == statement
        assert held["figure"] == "tradeoff"
        assert "inf" in {row["epsilon"] for row in held["rows"]}


class TestBadges:
    def test_data_dependent_epsilons(self, every_figure: Rows, statement: PrivacyStatement) -> None:
        dependent = replace(statement, data_dependent=True)
        seen = texts(export.export("ledger", every_figure["ledger"], {"": dependent}, "svg"))
        assert Flag.DATA_DEPENDENT.sentence in seen


@pytest.mark.long
def test_threads_do_not_disturb_each_other(every_figure: Rows, statement: PrivacyStatement) -> None:
    asked = [("svg", "light"), ("png", "dark"), ("svg", "dark"), ("pdf", "light")] * 2
    alone = [export.export("ledger", every_figure["ledger"], {"": statement}, kind, theme) for kind, theme in asked]
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda one: export.export("ledger", every_figure["ledger"], {"": statement}, *one), asked)
        assert list(together) == alone


def test_text_that_a_spreadsheet_would_run_is_set_off() -> None:
    made = export.export("classes", classes.data({"=1+1": 2, "fine": 1}), {}, "csv").decode()
    assert "'=1+1" in made
    assert "\n0,'=1+1,2," in made


def test_markup_and_formulas_in_names_are_only_text(every_figure: Rows) -> None:
    assert "right $x$ <b>&" in texts(export.export("classes", every_figure["classes"], {}, "svg"))
    figure = figure_of("classes").plot(every_figure["classes"])
    assert "<b>" not in figure.to_json().replace("\\u003c", "<")


def test_unknown_names_are_refused_with_the_nearest(every_figure: Rows) -> None:
    with pytest.raises(ValueError, match=r"got svgg.*did you mean svg\?"):
        export.export("ledger", every_figure["ledger"], {}, "svgg")
    with pytest.raises(ValueError, match=r"no figure legder.*did you mean ledger\?"):
        export.export("legder", every_figure["ledger"], {}, "svg")


PRIVATE_LABELS = ("tradeoff", "compare", "convergence", "depth", "neighbours_heatmap")
"""Figures of accuracies of several runs."""
VALIDATED = {"name": "val_accuracy", "value": 0.5, "step": 1, "stage": "", "evaluator": True}


def _rows_of(figure: str, store: RunStore, swept: list[RunRecord]) -> list[Row]:
    if figure == "convergence":
        curve = [StoredEvent(sequence=1, attempt=1, time=0.0, kind="metric", payload=VALIDATED)]
        return convergence.data((record, curve) for record in swept)
    if figure == "neighbours_heatmap":
        said = made_runs.statement(made_runs.node_entries(1), "node")
        for trained, read in ((0, 0), (0, 5), (2, 0), (2, 5)):
            chosen = {"neighbours": trained, "test_neighbours": read}
            made_runs.finish(store, make_spec("heter-poisson", "karate", chosen), 0.5, said)
        return neighbours_heatmap.data(store.find(RunQuery(methods=("heter-poisson",))))
    return {"tradeoff": tradeoff.data, "compare": compare.data, "depth": depth.data}[figure](swept)


@pytest.mark.parametrize("figure", PRIVATE_LABELS)
def test_accuracies_by_private_labels_say_so_wherever_they_go(
    figure: str, store: RunStore, swept: list[RunRecord], statement: PrivacyStatement
) -> None:
    """Badge and number of runs of the same people: on the figure, in its rows, and in the statement of its
    export."""
    rows = _rows_of(figure, store, swept)
    assert rows
    many = 4 if figure == "neighbours_heatmap" else len(swept)
    if figure == "depth":
        many = sum("depth" in record.spec.options for record in swept)
    assert all(row["evaluator"] and row["composed"] == many for row in rows)
    held = json.loads(export.export(figure, rows, {"": statement}, "json"))
    assert all(row["evaluator"] and row["composed"] == many for row in held["rows"])


@pytest.mark.parametrize("least", [0.02, 0.26, 0.31, 0.47, 0.74])
def test_percentages_that_reach_100_have_a_tick_there(least: float) -> None:
    drawn = Chart(
        title="t",
        panels=(Panel(x=Axis(title="x"), y=Axis(title="y", percent=True)),),
        series=(Series(name="s", kind="line", x=(0, 1), y=(least, 1.0)),),
    )
    axis = with_matplotlib.draw(drawn).axes[0]
    assert any(tick == pytest.approx(1.0) for tick in axis.get_yticks())


@pytest.mark.long
@pytest.mark.parametrize("figure", ["classes", "tradeoff", "attack_roc", "attack_map", "neighbours_heatmap"])
def test_all_formats_come_of_one_drawing(figure: str, statement: PrivacyStatement, every_figure: Rows) -> None:
    """Each is the same bytes as alone: what is written of a drawing before leaves no trace in it."""
    rows, held = every_figure[figure], {"": statement}
    assert export.files(figure, rows, held) == {
        kind: export.export(figure, rows, held, kind) for kind in export.FORMATS
    }
