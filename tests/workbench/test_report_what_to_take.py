"""What to take stands once, as a table directly below its figure; as lines of text in the figure's files."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.workbench.test_report_order import report_of

from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, report_notebook, reporting
from privgraph_workbench.facts import advised
from privgraph_workbench.figures import set_tables
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, findings, first_page

pytestmark = pytest.mark.usefixtures("undrawn")

PIPES = "To hide edges:\n" + set_tables.APART.join(advised.HEAD) + "\n" + " | ".join(["ε 1", *"abcdef"]) + "\nRead so."


def advised_report(share: bool = False) -> Asked:
    """A report whose trade-off figure was kept from its page, with the lines of its files."""
    asked = report_of(RunStore.open(), share=share)
    first = asked.figures[0]
    rows = tradeoff.shown(first.rows, published=True, front=True, advised=PIPES)
    return replace(asked, figures=[replace(first, rows=rows), *asked.figures[1:]])


def words(html: str) -> str:
    return re.sub("<[^>]*>", "\n", html)


@pytest.mark.parametrize("share", [False, True])
def test_a_page_has_the_table_once_directly_below_its_figure(share: bool) -> None:
    asked = advised_report(share)
    assert asked.figures[0].advice
    page = reporting.page(asked)
    assert set_tables.APART not in words(page)
    assert page.count(advised.JUDGED) == 1
    section = page[page.index("<h2>Figure 1") : page.index("<h2>Figure 2")]
    below = section[section.index("</picture>") :]
    assert below.index("What to take") < below.index("Settings of this figure")


def test_the_files_of_the_figure_have_the_lines() -> None:
    one = advised_report().figures[0]
    text = export("tradeoff", one.rows, one.statements, "txt").decode()
    assert "ε 1  a     b         c" in text, "aligned"
    assert PIPES not in text
    assert one.rows[0]["advised"] == PIPES
    assert all("advised" not in row for row in findings.drawn_rows(one))


def test_lines_without_other_advice_are_a_table_too() -> None:
    one = replace(advised_report().figures[0], advice="")
    section = first_page.figure(1, one, [])
    picture = next(block for block in section.blocks if isinstance(block, blocks.Picture))
    under = blocks.around(picture, one.statements)[1]
    assert "To hide edges:" in under
    assert blocks.Table(advised.HEAD, (("ε 1", *"abcdef"),)) in under
    assert not any(isinstance(block, str) and set_tables.APART in block for block in under)


def test_a_legend_stands_below_the_first_of_two_units() -> None:
    clear, tie = advised.VERDICTS["clear"], advised.VERDICTS["tie"]
    one = f"{advised.BETWEEN} {clear} {advised.JUDGED} Protection: a."
    said = advised.legend_once(f"{one}\n\nMore.\n\n{one.replace('a.', 'b.').replace(clear, f'{clear} {tie}')}")
    assert said.count(clear) == said.count(advised.BETWEEN) == said.count(advised.JUDGED) == 1
    assert said.endswith(f"More.\n\n{tie} Protection: b."), "a verdict that the first has not is said there"


def test_the_notebook_has_the_table_below_the_figure() -> None:
    about = {"figures/01-a": report_notebook.About(figure="answers", title="Figure 1: A", found="F.", advice="| a |")}
    cells = list(report_notebook._figures({"figures/01-a.svg": b""}, about))
    assert [kind for kind, _ in cells] == ["markdown", "code", "markdown"]
    assert cells[-1][1] == "| a |"
