"""A picture may be the figure alone: what keeps its epsilons honest stays in it, the rest is beside it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.figures import made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import chart_of, notes
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import below, export
from privgraph_workbench.words.markup import capital

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = ("tradeoff", "ledger", "curves", "audit_roc", "degrees")
Rows = Mapping[str, list[Row]]


def texts(svg: bytes) -> str:
    said = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return " ".join(said.split())


def _about(svg: bytes) -> bytes:
    return svg.partition(b"<metadata>")[2].partition(b"</metadata>")[0]


def height(png: bytes) -> int:
    return int(Image.open(io.BytesIO(png)).size[1])


@pytest.mark.parametrize("figure", FIGURES)
def test_title_warnings_axes_and_epsilons_stay_and_the_prose_goes(
    figure: str, every_figure: Rows, statement: PrivacyStatement
) -> None:
    rows, held = every_figure[figure], {"GAP, edge ε 1": statement}
    chart = chart_of(figure, rows)
    alone, whole = (export(figure, rows, held, "svg", whole=one) for one in (False, True))
    seen = texts(alone)
    for kept in (chart.title, *(f"⚠ {capital(one)}" for one in chart.badges), chart.reading, *notes.short(held)):
        assert kept in seen
    for panel in chart.panels:
        assert " ".join(panel.x.title.split()) in seen
    warned = [*chart.badges, *notes.further(chart.badges, rows, held)]
    assert all(capital(one) in seen for one in warned), "no warning goes"
    prose = [one for one in below(chart, rows, held) if one not in (chart.reading, *notes.short(held), *warned)]
    assert not [one for one in prose if one in seen]
    assert all(one in texts(whole) for one in prose)
    assert notes.IN_FULL not in texts(whole)


@pytest.mark.parametrize("figure", FIGURES)
def test_nothing_is_lost_it_stands_in_the_metadata_and_beside(
    figure: str, every_figure: Rows, statement: PrivacyStatement
) -> None:
    rows, held = every_figure[figure], {"GAP, edge ε 1": statement}
    alone, whole = (_about(export(figure, rows, held, "svg", whole=one)) for one in (False, True))
    assert alone == whole
    assert b"Privacy statements: " in alone
    beside = export(figure, rows, held, "txt").decode()
    chart = chart_of(figure, rows)
    assert all(" ".join(one.split()) in beside for one in (*chart.notes, *chart.beside))


def test_most_of_such_a_picture_is_the_figure(every_figure: Rows, statement: PrivacyStatement) -> None:
    rows = every_figure["tradeoff"]
    many = {f"GAP {place}, edge ε {place}": replace(statement, delta=place / 1e6) for place in range(1, 9)}
    alone, whole = (height(export("tradeoff", rows, many, "png", whole=one)) for one in (False, True))
    bare = height(export("tradeoff", rows, many, "png", titled=False))
    assert alone < whole
    assert bare / alone > 0.75


def test_sound_and_published_epsilons_are_told_apart_for_each_unit() -> None:
    edge = made_runs.statement(made_runs.edge_entries(9))
    other = made_runs.statement(made_runs.edge_entries(3))
    node = made_runs.statement(made_runs.node_entries(4.0), "node")
    none = made_runs.statement((), "none")
    first, second, third, last = notes.short({"a": edge, "b": node, "c": none, "d": other})
    assert first.startswith("Protected unit: one edge. Sound ε ")
    assert second.startswith("Protected unit: one node. Sound ε ")
    assert " to " in first.partition(";")[0], "both settings' epsilons"
    assert "; ε as published " in first
    assert "audited" not in first, "none was"
    assert first.endswith("δ 1e-05.")
    assert third == "1 of the 4 settings guarantees nothing: no ε."
    assert last == notes.IN_FULL


def test_what_protects_nobody_says_so() -> None:
    assert notes.short({}) == [notes.NO_STATEMENT]
    assert notes.short({"a": made_runs.statement((), "none")})[0] == "No setting here guarantees anything."
