"""What a report says once: what all runs behind its numbers cost together, whose noise is public, and the
terms that the statements of one method have in common."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.privacy.kinds import Neighbours
from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.blocks import Remark
from privgraph_workbench.facts import composition, method_costs
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import Asked, Drawn, Told, archive, asked, chapters, first_page
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import stated


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def runs(store: RunStore, seeds: int, epsilon: float = 1.0, noise: float = 9.0) -> list[Told]:
    said = made_runs.statement(made_runs.edge_entries(noise))
    ids = [
        made_runs.finish(store, made_runs.spec(seed=seed, epsilon=epsilon), 0.7 + seed / 100, said).id
        for seed in range(seeds)
    ]
    return [reporting.told_of(store, store.get(run)) for run in ids]


def epsilon_of(told: str) -> str:
    (found,) = re.findall(r"private runs?(?: \([^)]*\))? ha(?:s|ve) shown ε = ([0-9.]+)", re.sub("<[^>]*>", "", told))
    return str(found)


def test_a_report_of_one_seed_of_three_counts_all_three(store: RunStore) -> None:
    """Its table tells the mean over three seeds, and its chapter each of them."""
    one, two, three = runs(store, 3)
    said = first_page.composed(Asked(title="One", runs=[one]))
    assert said.startswith(
        "**All together.** Made-up social network, edge-level: 3 private runs (1 told here, 2 behind means and"
    )
    entries = tuple(entry for told in (one, two, three) for entry in told.record.statement.ledger)  # type: ignore[union-attr]
    assert epsilon_of(said) == stated("sound", method_costs.cost(entries, 1e-5))
    assert epsilon_of(said) == epsilon_of(first_page.composed(Asked(title="All", runs=[one, two, three])))


def test_runs_that_stand_in_a_figure_alone_are_counted(store: RunStore) -> None:
    (one,), others = runs(store, 1), runs(store, 2, epsilon=4.0, noise=3.0)
    records = [told.record for told in others]
    rows = tradeoff.data(records)
    for figure in (
        Drawn(figure="tradeoff", rows=rows, runs=records),
        reporting.drawn(store, "tradeoff", rows, statements_of(records)),
        reporting.drawn(store, "curves", [{"run": "seed 0"}], {}, [record.id for record in records]),
    ):
        said = first_page.composed(Asked(title="One", runs=[one], figures=[figure]))
        assert epsilon_of(said) == epsilon_of(composition.together([one.record, *records]))
        assert said == first_page.composed(Asked(title="One", runs=[one], figures=[figure, figure])), "each once"
    store.delete(records[1].id)
    kept = reporting.drawn(store, "tradeoff", rows, {})
    said = first_page.composed(Asked(title="One", runs=[one], figures=[kept]))
    assert said.endswith("1 run of a figure is in the store no longer, and not counted.")


@pytest.mark.long
def test_ids_that_are_withheld_count_no_run_twice(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    told = runs(store, 3)[:1]
    page, shared = (reporting.page(Asked(title="T", runs=told, share=share)) for share in (False, True))
    assert epsilon_of(shared) == epsilon_of(page)
    assert "has a mean accuracy of 71.0% over 3 seeds" in re.sub("<[^>]*>", "", page)
    assert "has a mean accuracy of 71.0% over 3 seeds" in re.sub("<[^>]*>", "", shared), "the run itself counts once"


def test_what_different_units_promise_is_not_priced_together(store: RunStore) -> None:
    records = [told.record for told in runs(store, 3)]
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    node = made_runs.finish(store, made_runs.spec(unit="node"), 0.7, said)
    other = made_runs.finish(store, made_runs.spec(dataset="cora"), 0.7, records[0].statement)
    told = composition.together([*records, node], [other])
    alone = stated("sound", method_costs.cost(said.ledger, said.delta))
    _, *lines = [line for line in told.splitlines() if line]
    assert lines[0].startswith("- Made-up social network, edge-level: 3 private runs have shown ε = ")
    assert epsilon_of(lines[0]) == epsilon_of(composition.together(records))
    assert lines[1].startswith(f"- Made-up social network, node-level: 1 private run has shown ε = {alone} at ")
    assert lines[2].startswith("- Cora, edge-level: 1 private run (0 told here, 1 behind means and figures) has shown")
    assert lines[3].startswith("Lines of one graph promise different things: no one ε says")
    assert composition.together([node, other]) == "", "they read other people"


def test_runs_of_several_relations_have_no_epsilon_together(store: RunStore) -> None:
    """What one of them promises of a replaced record, another may not hide at all. A record that nobody reads
    edges of is hidden with its node."""

    def node(kind: Neighbours, seed: int) -> RunRecord:
        said = replace(made_runs.statement(made_runs.node_entries(4.0), "node"), neighbours=kind)
        return made_runs.finish(store, made_runs.spec(unit="node", seed=seed), 0.7, said)

    frozen, replaced, record = (
        node(kind, seed)
        for seed, kind in enumerate((Neighbours.FROZEN_SAMPLE, Neighbours.REPLACED_RECORD, Neighbours.NODE_RECORD))
    )
    said = composition.together([frozen, replaced])
    assert "- Made-up social network, node-level (a node takes part or opts out of a graph whose sample" in said
    assert "no one ε says what all of its runs have shown" in said
    assert said.count("1 private run has shown ε =") == 2, "each its own, and none of both"
    told = composition.together([replaced, record])
    assert told.count("1 private run has shown ε =") == 2, "a replaced record is one that goes and one that comes"
    assert epsilon_of(composition.together([frozen, record]))


def test_two_uploads_may_hold_the_same_people(store: RunStore) -> None:
    """The same file with its rows in another order has another name."""
    names = [f"upload:{letter * 16}" for letter in "ab"]
    said = made_runs.statement(made_runs.edge_entries(9.0))
    of_each = [
        [made_runs.finish(store, made_runs.spec(dataset=name, seed=seed), 0.7, said) for seed in (0, 1)]
        for name in names
    ]
    both = [record for records in of_each for record in records]
    told = composition.together(both)
    lines = [line for line in told.splitlines() if line.startswith("- ")]
    price = [stated("sound", method_costs.cost(said.ledger * times, said.delta)) for times in (2, 4)]
    assert [epsilon_of(line) for line in lines] == [price[0], price[0]]
    *_, last = told.splitlines()
    assert last.startswith("Each line counts its own graph alone, which is enough if the graphs hold different people.")
    assert (
        f"Where they hold the same, it is the line of all: edge-level: 4 private runs have shown ε = {price[1]}" in last
    )
    one_each = composition.together([of_each[0][0], of_each[1][0]])
    assert f"edge-level: 2 private runs have shown ε = {price[0]}" in one_each, "also of a single run of each"
    node = made_runs.statement(made_runs.node_entries(4.0), "node")
    other = made_runs.finish(store, made_runs.spec(dataset=names[1], unit="node"), 0.7, node)
    assert composition.together([of_each[0][0], other]).count("line of all") == 0, "they promise different things"


def test_graphs_of_the_catalogue_are_not_added_but_the_condition_is_told(store: RunStore) -> None:
    records = [told.record for told in runs(store, 2)]
    said = records[0].statement
    assert said is not None
    other = made_runs.finish(store, made_runs.spec(dataset="cora"), 0.7, said)
    told = composition.together([*records, other])
    assert "which is enough if the graphs hold different people" in told
    assert "line of all" not in told


def test_the_usual_figures_show_the_mean_over_all_seeds(store: RunStore) -> None:
    told = [runs(store, 3, epsilon, noise)[0] for epsilon, noise in ((1.0, 9.0), (4.0, 3.0))]
    first, second = reporting.usual(told)
    assert [row["seeds"] for row in first.rows] == [row["seeds"] for row in second.rows] == [3, 3]
    assert all(row["low"] is not None for row in (*first.rows, *second.rows))
    assert len(first.runs) == 6
    panels = compare.chart(second.rows).panels
    assert not any("time" in panel.x.title for panel in panels), "which is of no use beside a promise"


def test_public_noise_is_said_first_and_in_a_box(store: RunStore) -> None:
    one, two = runs(store, 2)
    assert first_page._public(Asked(title="T", runs=[one, two])) is None

    public = with_public_noise(made_runs.statement(made_runs.edge_entries(9)))
    opened = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7, public) for seed in (10, 11)]
    first, second = (replace(reporting.told_of(store, one), same=()) for one in opened)
    two = replace(two, same=())

    for given, title in (
        ([first], "As run, this model protects nobody: its noise is public"),
        (
            [first, two],
            "As run, one of the two private runs here (of 2 settings) protects nobody: their noise is public",
        ),
        (
            [first, second],
            "As run, none of the two private runs here (of 1 setting) protects anybody: their noise is public",
        ),
    ):
        warned = first_page._public(Asked(title="T", runs=given))
        assert warned is not None
        assert warned.title == title
    whole = Asked(title="T", runs=[first], remark="May we?", author="A")
    blocks = first_page.opening(whole, [], first_page.Together()).blocks
    assert blocks[1] == Remark(f"**{first_page.OWN_WORDS}**\n\nMay we?"), "under its author, as their words"
    assert blocks[2] == first_page._public(whole), "before all that the program says"


@pytest.mark.long
def test_the_terms_of_a_method_are_said_once(store: RunStore) -> None:
    told = [runs(store, 1, epsilon, noise)[0] for epsilon, noise in ((1.0, 9.0), (4.0, 3.0))]
    page = reporting.page(Asked(title="T", runs=told))
    assert page.count("Neighbouring relation: ") == page.count("Where it fails: ") == 1
    assert page.count("All else is as for") == 1
    assert page.count("<h2>What the words mean</h2>") == 1
    gap = told[1].record.statement.gaps[0]  # type: ignore[union-attr]
    statement = replace(told[1].record.statement, gaps=(replace(gap, size="twice"),))  # type: ignore[type-var]
    first = chapters.report.Before(title="the other", statement=told[0].record.statement)  # type: ignore[arg-type]
    section = chapters.report._guarantee(statement, "", first)
    assert section.blocks[-2:] == [
        "All else is as for the other, but for what follows.",
        [f"Size of the gap “{gap.title}”: twice."],
    ]
    longer = replace(first, statement=replace(first.statement, assumptions=("more",)))
    assert isinstance(chapters.report._guarantee(statement, "", longer).blocks[-3], list), "said whole: it has less"


def test_the_archive_is_a_folder_that_is_called_after_the_title() -> None:
    assert archive.folder("Ours & theirs", share=True) == "ours-theirs-for-others"
    assert archive.folder("ε", share=False) == "report-for-myself"
    assert asked.TITLE > archive.NAME
