"""Figures as files: the statement in each of them, and by which program and when it was made."""

import csv
import io
import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest

from privgraph.privacy.serialisation import statement_from_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph_workbench.figures import export, figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.graphs import classes
from privgraph_workbench.words.numbers import stated

SVG = "{http://www.w3.org/2000/svg}"
Rows = Mapping[str, list[Row]]


def texts(svg: bytes) -> str:
    """Everything that can be read in the picture; long lines are broken there, and whole here."""
    said = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return " ".join(said.split())


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
        assert statement_from_json(json.loads(record.group(1))["one run"]) == statement

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


@pytest.mark.long
def test_threads_do_not_disturb_each_other(every_figure: Rows, statement: PrivacyStatement) -> None:
    asked = [("svg", "light"), ("png", "dark"), ("svg", "dark"), ("pdf", "light")]
    alone = [export.export("ledger", every_figure["ledger"], {"": statement}, kind, theme) for kind, theme in asked]
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda one: export.export("ledger", every_figure["ledger"], {"": statement}, *one), asked)
        assert list(together) == alone


def test_text_that_a_spreadsheet_would_run_is_set_off() -> None:
    made = export.export("classes", classes.data({"=1+1": 2, "fine": 1}), {}, "csv").decode()
    assert "'=1+1" in made
    assert "\n0,'=1+1,2," in made


def test_markup_and_formulas_in_names_are_only_text() -> None:
    rows = classes.data({"left": 3, "right $x$ <b>&": 2})
    assert "right $x$ <b>&" in texts(export.export("classes", rows, {}, "svg"))
    figure = figure_of("classes").plot(rows)
    assert "<b>" not in figure.to_json().replace("\\u003c", "<")


@pytest.mark.long
@pytest.mark.parametrize("figure", ["tradeoff", "attack_map"])
def test_all_formats_come_of_one_drawing(figure: str, statement: PrivacyStatement, every_figure: Rows) -> None:
    """Each is the same bytes as alone: what is written of a drawing before leaves no trace in it."""
    rows, held = every_figure[figure], {"": statement}
    assert export.files(figure, rows, held) == {
        kind: export.export(figure, rows, held, kind) for kind in export.FORMATS
    }
