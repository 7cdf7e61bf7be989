"""What a report says first and in one voice: of a model that reads no edge, of what costs are counted from,
what each figure finds, and at which settings it was drawn."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, report, reporting, tables
from privgraph_workbench.facts import advised
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.runs import standing, tradeoff
from privgraph_workbench.reporting import findings
from privgraph_workbench.tables import Line
from privgraph_workbench.words import meaning
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.statements import EVERY_EDGE

pytestmark = pytest.mark.usefixtures("undrawn")

TAKE = (
    "To hide edges: at ε 1 take ProGAP (81.0% accuracy, 9 points below a graph network without privacy; strong "
    "protection: an attacker is right at most 73.2% of the time), clearly the best."
)


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def bare(store: RunStore, method: str, accuracies: tuple[float, ...], **options: Any) -> list[RunRecord]:
    """Runs of a method without privacy, a seed for each accuracy."""
    said = made_runs.statement((), unit="none")
    return [
        made_runs.finish(store, made_runs.spec(method=method, unit="none", seed=seed, **options), value, said)
        for seed, value in enumerate(accuracies)
    ]


def several(
    store: RunStore, method: str, accuracies: tuple[float, ...], epsilon: float = 1.0, dataset: str = "social"
) -> list[RunRecord]:
    """Runs of a method that hide edges, a seed for each accuracy."""
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec(method, dataset, seed=seed, epsilon=epsilon), value, said)
        for seed, value in enumerate(accuracies)
    ]


def test_a_model_that_reads_no_edge_hides_every_one_and_no_person(store: RunStore) -> None:
    (blind,), (network,) = bare(store, "mlp", (0.7,)), bare(store, "gnn", (0.8,))
    own = statements_of([blind, network])
    _, rows, _ = notes.stated(own)
    protects = {name: cells[:2] for name, cells in rows}
    assert protects["MLP (ignores edges), protects no person"] == EVERY_EDGE
    assert protects["Graph network (not private), not private"] == ("nothing", "∞")
    assert f"protects {EVERY_EDGE[0]} · sound ε: {EVERY_EDGE[1]}" in "".join(notes.notes([], own))

    lines = [Line(name=one.spec.method, label=one.spec.method, record=one) for one in (blind, network)]
    guaranteed = tables.guarantees(lines, {})[0]
    assert isinstance(guaranteed, blocks.Table)
    assert [row[1:3] for row in guaranteed.rows] == [EVERY_EDGE, ("nothing", "∞")]
    assert [row[1:3] for row in tables.in_words(lines, {}).rows] == [EVERY_EDGE, ("nothing", "∞")]

    for one, there in ((blind, True), (network, False)):
        said = report.markdown(one, [])
        assert (meaning.NO_EDGE in said) is there
        assert ("Nothing is guaranteed" in said) is not there
    told = reporting.told_of(store, blind).said
    assert "protects no person; it reads no edge, and so hides every one" in told
    rows_of = tradeoff.data([blind, *several(store, "progap", (0.75,))])
    assert "(ε = 0 for edges), and no person." in " ".join(tradeoff.chart(rows_of).notes)


def test_what_costs_are_counted_from_is_told_with_what_it_is_the_mean_of(store: RunStore) -> None:
    """The best network stands there, and another one may be the run of a report."""
    best = bare(store, "gnn", (0.86, 0.88, 0.9), conv="gcn")
    other = bare(store, "gnn", (0.85, 0.87), conv="sage")
    blind = bare(store, "mlp", (0.7, 0.71, 0.72))
    two = [one for method in ("progap", "gap") for one in several(store, method, (0.74, 0.75, 0.76))]
    said = advised.of_runs([*best, *other, *blind, *two])
    assert (
        "Costs are counted from the most accurate graph network without privacy, with conv gcn: 88.0%, the mean over "
        "3 seeds. With conv sage, 86.0%, the mean over 2 seeds."
    ) in said
    alone = advised.of_runs([*other, *blind, *two])
    assert "Costs are counted from a graph network without privacy: 86.0%, the mean over 2 seeds." in alone

    # its own network is another one than that which costs are counted from, and says so
    rand = several(store, "edge-rand", (0.6,))[0]
    stands = reporting.told_of(store, rand).stands
    beside = standing.chart(stands).notes
    assert "No privacy: Graph network (not private), network sage, the mean over 2 seeds." in beside
    assert "MLP, no edges: MLP (ignores edges), the mean over 3 seeds." in beside


def report_of(store: RunStore, **changed: object) -> reporting.Asked:
    """A report of two methods that hide edges and of what they are compared with, with one figure."""
    groups = [bare(store, "gnn", (0.9, 0.9, 0.9)), bare(store, "mlp", (0.6, 0.61, 0.62))]
    groups += [several(store, "progap", (0.8, 0.81, 0.82)), several(store, "gap", (0.7, 0.71, 0.72))]
    told = [reporting.told_of(store, group[0]) for group in groups]
    figures = reporting.usual(told)
    given: dict[str, object] = {"title": "T", "share": True, "notebook": False, "appendix": False, "runs": told}
    return reporting.Asked(**{**given, "figures": figures, **changed})  # type: ignore[arg-type]


def test_each_figure_says_what_it_finds_once(store: RunStore) -> None:
    given = report_of(store)
    first, second = map(findings.of, given.figures)
    assert first == TAKE
    assert second.endswith(
        "Most accurate hiding edges: ProGAP at sound ε 0.8142, 81.0% (78.5% to 83.5%; 3 seeds); without privacy: Graph "
        "network (not private), 90.0% (all 3 seeds alike)."
    )
    page = re.sub(r"<(?!h2)[^>]*>", "", reporting.page(given))
    head, _, figures = page.partition("<h2>Figure 1")
    assert head.count(first.removesuffix(".")) == 1, "in short has the finding of the first figure"
    assert second not in head
    assert figures.count(first) == figures.count(second) == 1
    assert figures.index(first) < figures.index("<h2>What is reported")


def test_what_to_take_is_a_table_with_its_reasons_below(store: RunStore) -> None:
    figure = report_of(store).figures[0]
    table = next(part for part in blocks.parts_of(figure.advice) if isinstance(part, blocks.Table))
    assert table.head == advised.HEAD
    assert table.rows == (("1", "ProGAP", "81.0% (78.5% to 83.5%)", "3", "9 (7 to 11)", "clear", "strong: ≤ 73.2%"),)
    assert "**Why**\n\n- **ε 1.** Clearly above GAP" in figure.advice
    assert advised.shortened(figure.advice) == [TAKE]
    assert advised.shortened("**To hide edges:**\n\n- **ε 1: take it.**") == []
    html = blocks.as_html(blocks.Remark(figure.advice), {})
    assert '<td data-head="Take">ProGAP</td>' in html
    assert "| --- |" not in html


def test_a_figure_says_at_which_settings_it_was_drawn(store: RunStore) -> None:
    given = report_of(store)
    said = findings.settings(given.figures[0])
    assert said == (
        "Settings of this figure: graph Made-up social network; split random; hides edges; methods GAP, Graph network "
        "(not private), MLP (ignores edges) and ProGAP; ε 1; 3 seeds of each."
    )
    narrowed = replace(given.figures[0], rows=tradeoff.shown(given.figures[0].rows, published=False, front=False))
    assert findings.settings(narrowed).endswith("; without ε as published; without Pareto front.")
    assert not findings.settings(reporting.Drawn(figure="degrees", rows=[{"low": 1, "high": 1, "nodes": 1}]))
    with zipfile.ZipFile(io.BytesIO(reporting.build(given))) as packed:
        folder = packed.namelist()[0].partition("/")[0]
        text = packed.read(f"{folder}/figures/01-tradeoff.txt").decode()
        assert text.split("\n")[1] == said
        assert json.loads(packed.read(f"{folder}/figures/01-tradeoff.json"))["settings"] == said


def test_the_list_of_contents_stands_below_the_answers_and_leads_to_each_part(store: RunStore) -> None:
    page = reporting.page(report_of(store))
    assert page.index("<h1>") < page.index("<h2>In short") < page.index("<nav") < page.index("<h2>Figure 1")
    links = re.findall(r'<a href="#(part-\d+)">([^<]*)</a>', page)
    assert [re.sub(":.*", "", title) for _, title in links] == [
        "Figure 1",
        "Figure 2",
        "What is reported",
        "References",
    ]
    for place, title in links:
        assert f'<section id="{place}"><h2>{title}</h2>' in page
