"""What every figure has: a caption, its flags, the statements below it, and files that state the same."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from privgraph.privacy.events import Laplace, NonPrivate
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import premise, statement_text
from privgraph_workbench.figures import catalogue, export, figure_of, statements
from privgraph_workbench.figures.chart import Flag, Row
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.export import of_statements
from privgraph_workbench.figures.figure import of_rows
from privgraph_workbench.text import texts
from privgraph_workbench.words import statements as words

Rows = Mapping[str, list[Row]]
FLAGS = tomllib.loads(Path(__file__).with_name("figures.toml").read_text())["flags"]


@pytest.mark.parametrize("name", catalogue())
def test_a_chart_has_title_caption_and_the_flags_of_its_rows(name: str, every_figure: Rows) -> None:
    rows = every_figure[name]
    chart = figure_of(name).chart(rows)
    assert chart.title
    assert chart.caption == texts("figures")["captions"][name]
    assert set(of_rows(rows)) <= set(chart.flags)
    assert name not in FLAGS or Flag[FLAGS[name]] in chart.flags
    drawn = draw(chart)
    for flag in chart.flags:
        assert flag.sentence in drawn.layout.meta["summary"]
    assert not figure_of(name).chart([]).series


def test_rows_raise_flags() -> None:
    edge: Row = {"unit": "edge", "epsilon": 1.0, "epsilon_as_published": None}
    assert of_rows([edge, {**edge, "unit": "none", "epsilon": None}]) == ()
    assert of_rows([edge, {**edge, "unit": "node"}]) == (Flag.MIXED_UNITS,)
    assert of_rows([{"evaluator": True}, {"data_dependent": True}, {"composed": 2}]) == (
        Flag.EVALUATOR,
        Flag.DATA_DEPENDENT,
        Flag.COMPOSED,
    )


def test_statements_raise_flags(statement: PrivacyStatement) -> None:
    assert of_statements({"": replace(statement, epsilon_audited=None)}) == ()
    assert of_statements({"": replace(statement, epsilon_audited=statement.epsilon + 1)}) == (Flag.REFUTED,)
    assert of_statements({"": replace(statement, epsilon_audited=None, data_dependent=True)}) == (Flag.DATA_DEPENDENT,)
    assert Flag.FAULTY in of_statements({"": replace(statement, known_faults=("one",))})


def test_a_table_of_statements_has_the_three_numbers_and_is_cut(statement: PrivacyStatement) -> None:
    several = {f"run {at}": replace(statement, epsilon=1.0 + at) for at in range(20)}
    open_ = {"bare": replace(statement, unit="none")}
    head, *lines = statements.block({**open_, **several}, most=None)
    assert [*head.split()][:2] == ["protects", "sound"]
    assert len(lines) == 21
    assert lines[0].split()[:4] == ["run", "0", "edge", "1"]
    assert lines[-1].split()[0] == "bare"
    assert len(statements.block(several)) == statements.MOST + 2
    assert statements.block({}) == [texts("figures")["statements"]["none"]]
    assert len(statements.block({"a": statement, "b": statement})) == 2


@pytest.mark.parametrize("figure", ["ledger", "degrees", "attack_roc"])
def test_files_state_caption_flags_and_statements(figure: str, every_figure: Rows, statement: PrivacyStatement) -> None:
    rows, held = every_figure[figure], {"a < b": replace(statement, data_dependent=True)}
    record = json.loads(export.export(figure, rows, held, "json"))
    assert set(record) == {"figure", "title", "caption", "warnings", "rows", "statements", "versions"}
    assert record["warnings"][Flag.DATA_DEPENDENT] == Flag.DATA_DEPENDENT.sentence
    assert record["statements"].keys() == held.keys()
    text = export.export(figure, rows, held, "txt").decode()
    picture = unescape(export.export(figure, rows, held, "svg").decode())
    for said in (record["caption"], *record["warnings"].values()):
        assert said in text
        assert said in picture
    assert "a < b" in text
    assert '"a < b"' in picture
    assert export.export(figure, rows, held, "svg") == export.export(figure, rows, held, "svg")


def test_an_audit_refutes_the_claims_below_it(statement: PrivacyStatement) -> None:
    published, sound = statement.epsilon_as_published or 0.0, statement.epsilon
    for shown, refuted in (
        (None, []),
        (published / 2, []),
        ((published + sound) / 2, ["published"]),
        (2 * sound, ["sound", "published"]),
    ):
        assert words.refuted(replace(statement, epsilon_audited=shown, audit_confidence=0.95)) == refuted


@pytest.mark.parametrize(
    ("adversary", "granted"), [(Adversary.WORST_CASE, True), (Adversary.CANARIES, True), (Adversary.OUTSIDER, False)]
)
def test_a_bound_says_what_it_takes_for_granted(
    statement: PrivacyStatement, adversary: Adversary, granted: bool
) -> None:
    shown = replace(statement, epsilon_audited=9.0, audit_confidence=0.95, adversary=adversary)
    said = (words.audited_how(shown), statement_text(shown))
    assert all(("if the noise" in text) == granted for text in said)
    assert not premise(replace(shown, epsilon_audited=0.0)), "0 always holds"
    laplace = replace(shown, ledger=tuple(replace(one, event=Laplace(noise_multiplier=1.0)) for one in shown.ledger))
    assert bool(premise(laplace)) == (adversary is Adversary.CANARIES)
    bare = replace(shown, ledger=tuple(replace(one, event=NonPrivate(reason="none")) for one in shown.ledger))
    assert not premise(bare)
