"""What runs are called where several stand together: by their graph, and by the epsilon that is stated."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.data.uploads_made_here import arrays, npz
from tests.figures import made_runs
from tests.pages.kept_runs import KARATE

from privgraph.data.spec import PublicFacts
from privgraph.data.upload import check_upload
from privgraph.data.uploads import save_upload
from privgraph.options import OptionError, Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.flags import mixed_units
from privgraph_workbench.figures.runs import compare, convergence, depth, neighbours_heatmap, tradeoff
from privgraph_workbench.parts import run_rows
from privgraph_workbench.words.naming import asked, describe, graph_of, privacy, run_labels, statements_of
from privgraph_workbench.words.numbers import upper

SMALL, LARGE = {"nodes": 600, "classes": 3, "degree": 8.0}, {"nodes": 1500, "degree": 8.0}
UPLOADED = ((24, "Ring"), (30, "Ring"), (36, "Star"))
REST = "classes 4, degree 20, homophily 0.8, signal 1.5"
SMALL_WORDS, LARGE_WORDS = (
    "Made-up social network (nodes 600, classes 3, degree 8, homophily 0.8, signal 1.5)",
    "Made-up social network (nodes 1500, classes 4, degree 8, homophily 0.8, signal 1.5)",
)

# Graphs


def _on(store: RunStore, method: str, data: dict[str, object], **options: object) -> RunRecord:
    spec = make_spec(method, "social", options, data_options=data)
    unit = str(spec.options["unit"])
    said = made_runs.statement(made_runs.edge_entries(9) if unit == "edge" else made_runs.node_entries(2), unit)
    return made_runs.finish(store, spec, 0.7, said, made_runs.learning(0, stages=1))


@pytest.fixture
def two_graphs(store: RunStore) -> list[RunRecord]:
    """One method on one graph of the name social, another method on another."""
    return [_on(store, "progap", SMALL, unit="edge"), _on(store, "gap", LARGE, unit="edge")]


def _figures(store: RunStore, records: list[RunRecord]) -> dict[str, list[Row]]:
    return {
        "tradeoff": tradeoff.data(records),
        "compare": compare.data(records),
        "convergence": convergence.data([(record, store.events(record.id)) for record in records]),
        "depth": depth.data(records),
    }


@pytest.mark.parametrize("figure", ["tradeoff", "compare", "convergence", "depth"])
def test_graphs_are_told_apart_whatever_the_method(figure: str, store: RunStore, two_graphs: list[RunRecord]) -> None:
    rows = _figures(store, two_graphs)[figure]
    drawn = figure_of(figure).chart(rows)
    seen = {name for panel in drawn.panels for name in (panel.title, *panel.y.categories)}
    titles = (SMALL_WORDS, LARGE_WORDS)
    for words in titles:
        assert any(words in name.replace("\n", " ") for name in seen), seen
    written = export(figure, rows, statements_of(two_graphs), "csv").decode()
    table = csv.DictReader(io.StringIO("".join(line for line in written.splitlines(True) if line[0] != "#")))
    assert {row["graph"] for row in table} == {SMALL_WORDS, LARGE_WORDS}


@pytest.mark.parametrize("figure", ["tradeoff", "convergence", "depth"])
def test_each_graph_has_panels_of_its_own(figure: str, store: RunStore, two_graphs: list[RunRecord]) -> None:
    drawn = figure_of(figure).chart(_figures(store, two_graphs)[figure])
    assert len(drawn.panels) == 2
    assert {one.panel for one in drawn.series} == {0, 1}


def test_a_table_of_neighbours_is_of_one_graph(store: RunStore) -> None:
    records = [
        _on(store, "heter-poisson", data, unit="node", neighbours=m, test_neighbours=n)
        for data in (SMALL, LARGE)
        for m, n in itertools.product((2, 4), repeat=2)
    ]
    rows = neighbours_heatmap.data(records)
    titles = [panel.title for panel in neighbours_heatmap.chart(rows).panels]
    assert [title.split(", network")[0] for title in titles] == [LARGE_WORDS, SMALL_WORDS]
    assert {row["seeds"] for row in rows} == {1}


def test_tables_of_runs_tell_graphs_of_one_name_apart(store: RunStore, two_graphs: list[RunRecord]) -> None:
    rows = [run_rows.row([found], {}) for found in store.find_rows(RunQuery(), graphs=True)]
    told = {f"{row['graph']} ({row['size']})" for row in rows}
    compared = {row["graph"] for row in compare.data(two_graphs)}
    titled = {SMALL_WORDS, LARGE_WORDS}
    assert told == compared == titled
    assert {label.split(" on ")[1].split(", ")[0] for label in statements_of([two_graphs[1]])} == {
        "Made-up social network (nodes 1500"
    }


def test_an_option_of_the_data_left_at_its_default_is_the_same_graph(store: RunStore) -> None:
    """As in runs of a version in which the set had fewer options."""
    said = made_runs.statement(made_runs.edge_entries(9))
    full = make_spec("gap", "social", {"unit": "edge"}, data_options={"nodes": 600}, seed=1)
    short = RunSpec(method="gap", dataset="social", options=full.options, data_options={"nodes": 600})
    (row,) = tradeoff.data([made_runs.finish(store, spec, 0.7, said) for spec in (full, short)])
    assert (row["seeds"], row["graph"], row["composed"]) == (2, f"Made-up social network (nodes 600, {REST})", 2)


def test_graphs_that_differ_in_an_option_that_forms_fold_away_have_two_names() -> None:
    names = [GraphId.made("social", {"nodes": 600, "seed": seed}, "random").words() for seed in (1, 2)]
    assert names == [f"social (nodes 600, {REST}, seed {seed})" for seed in (1, 2)]


@pytest.mark.parametrize(("one", "other"), [(1.0000001, 1.0000002), (12_345_678.0, 12_345_679.0), (0.1, 0.1 + 2e-17)])
def test_graphs_whose_options_differ_in_any_digit_are_other_graphs(one: float, other: float) -> None:
    """What stands together as repetitions on one graph is averaged, and counted as one release each of the
    same people."""
    assert one != other
    first, second = (GraphId.made("social", {"signal": value}, "random") for value in (one, other))
    assert first != second
    assert first.people != second.people
    assert first.words() != second.words()


def test_statements_of_different_graphs_and_options_all_leave(store: RunStore, two_graphs: list[RunRecord]) -> None:
    deeper = made_runs.finish(
        store,
        make_spec("gap", "social", {"unit": "edge", "depth": 3}, data_options=LARGE),
        0.7,
        made_runs.statement(made_runs.edge_entries(9, 3)),
    )
    found = statements_of([*two_graphs, deeper])
    assert len(found) == 3
    assert [words in label for words, label in zip((SMALL_WORDS, LARGE_WORDS, "depth 3"), found, strict=True)] == [
        True
    ] * 3


# Privacy


def _choices(name: str, offered: tuple[str, ...] | None = None) -> Iterator[dict[str, Scalar]]:
    """Every protected unit and accounting of the method, with every given noise and every choice of what it
    offers."""
    kind = METHODS[name].load_config()
    known = {parameter.name: parameter for parameter in parameters(kind)}
    units = [unit for unit in METHODS[name].units if unit != "none"]
    levers: list[dict[str, Scalar]] = [{}]
    given = kind().price.given
    if given is not None:
        lever = given.option
        levers += [{lever: 0.5}, {lever: 20.0}]
    for choice in offered or set(known) - {"unit", "accounting"}:
        if choice in known:
            levers += [{choice: value} for value in known[choice].option.choices]
    for unit, accounting, lever in itertools.product(units, ("sound", "published"), levers):
        yield {"unit": unit, "accounting": accounting, "epsilon": 2.0, **lever}


def _graph(name: str) -> str:
    return "karate" if "node classification" in METHODS[name].tasks else "products"


def _sizes(name: str) -> PublicFacts:
    return KARATE if _graph(name) == "karate" else TEXT_FACTS


def _planned(name: str, offered: tuple[str, ...] | None = None) -> list[RunRecord]:
    """Finished runs, with the statements of their plans."""
    records = []
    for number, options in enumerate(_choices(name, offered)):
        try:
            spec = make_spec(name, _graph(name), options, seed=number)
            statement = spec.config().plan(_sizes(name)).statement
        except OptionError:  # what does not go together, or is out of reach on so few nodes
            continue
        records.append(made_runs.record(spec, statement))
    return records


def _claimed(label: str) -> list[float]:
    """The epsilons that a label states as what holds."""
    return [float(text) for text in re.findall(r"ε ([\d.e+-]+)(?! asked for| as published)(?=[ ,;)]|$)", label)]


def test_the_test_can_read_labels() -> None:
    assert _claimed("node ε 49.95 (σ₂ 20)") == [49.95]
    assert _claimed("edge ε 1.42 (ε 1 as published), ε 3") == [1.42, 3.0]
    assert _claimed("node nothing guaranteed (ε 2 asked for)") == []


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_no_label_states_less_than_the_sound_epsilon(name: str) -> None:
    """For every method, every preset and every other choice that it offers."""
    records = _planned(name)
    protected = [unit for unit in METHODS[name].units if unit != "none"]
    assert len(records) >= len(protected)
    for record in records:
        assert record.statement is not None
        unfinished = made_runs.record(record.spec, None)
        labels = [describe(record), privacy(record), asked(record), privacy(unfinished), describe(unfinished)]
        labels += [*run_labels([record]), *statements_of([record])]
        for label in labels:
            assert all(epsilon >= record.statement.epsilon for epsilon in _claimed(label)), (record.spec.options, label)
        if record.statement.epsilon > 0:
            assert _claimed(describe(record)) or "nothing guaranteed" in describe(record)


@pytest.mark.parametrize("more", [1.0001, 1.005, 1.02])
def test_a_run_that_costs_a_little_more_than_was_asked_is_not_called_by_what_was_asked(more: float) -> None:
    spec = make_spec("gap", "karate", {"unit": "edge", "epsilon": 2.0})
    said = replace(spec.config().plan(KARATE).statement, epsilon=2.0 * more)
    record = made_runs.record(spec, said)
    for label in (privacy(record), describe(record), *run_labels([record]), *statements_of([record])):
        assert all(epsilon >= 2.0 * more for epsilon in _claimed(label)), label
    assert _claimed(privacy(record))


@pytest.mark.parametrize(("accounting", "by"), [("sound", "asked for"), ("published", "as published")])
def test_a_run_that_costs_less_than_was_asked_is_named_by_its_statement(accounting: str, by: str) -> None:
    """What was asked stands beside it, with what it was counted by."""
    spec = make_spec("gap", "karate", {"unit": "edge", "epsilon": 2.0, "accounting": accounting})
    said = replace(spec.config().plan(KARATE).statement, epsilon=0.5)
    assert privacy(made_runs.record(spec, said)) == f"edge ε 0.5 (ε 2 {by})"
    assert privacy(made_runs.record(spec, replace(said, unit="node"))) == f"node ε 0.5 (ε 2 {by})"


@pytest.mark.parametrize("name", METHODS)
def test_a_budget_counts_where_it_decides_the_noise_and_nowhere_else(name: str) -> None:
    compared = 0
    for record in _planned(name, ("preset",)):
        spec = record.spec
        other = replace(spec, options={**spec.options, "epsilon": 4.0})
        first, second = spec.config().plan(_sizes(name)), other.config().plan(_sizes(name))
        if first.statement.epsilon > 0:
            assert (first.noise != second.noise) == (spec.asked_epsilon is not None), spec.options
            compared += 1
    assert compared or not METHODS[name].uses_edges or set(METHODS[name].units) == {"none"}


def test_a_preset_that_gives_the_noise_is_named_by_its_statement() -> None:
    spec = make_spec("dp-gpl", "karate", {"preset": "gcn-cora"})
    statement = spec.config().plan(KARATE).statement
    assert statement.epsilon > 10
    label = describe(made_runs.record(spec, statement))
    assert label == f"DP-GPL on Karate club, node ε {upper(statement.epsilon)} (σ₂ 20)"
    assert describe(made_runs.record(spec, None)) == "DP-GPL on Karate club, node σ₂ 20"


def test_the_store_lists_no_budget_that_was_not_used(store: RunStore) -> None:
    given = store.submit(make_spec("dp-gpl", "karate", {"preset": "gcn-cora"}))
    used = store.submit(make_spec("dp-gpl", "karate", {"epsilon": 2.0}))
    assert {row["id"]: row["epsilon"] for row in store.find_rows()} == {given: None, used: 2.0}


def test_the_command_names_no_budget_that_was_not_used() -> None:
    given, open_ = make_spec("dp-gpl", "karate", {"preset": "gcn-cora"}), make_spec("gap", "karate", {"unit": "none"})
    assert "--set preset=gcn-cora" in command_line(given)
    assert "--unit none" in command_line(open_)
    for spec in (given, open_):
        assert "--epsilon" not in command_line(spec)
    assert "--epsilon 2" in command_line(make_spec("dp-gpl", "karate"))
    # it is part of the run's name: without it, the command would make another run
    assert "--epsilon 8" in command_line(make_spec("dp-gpl", "karate", {**given.options, "epsilon": 8.0}))


def test_a_run_of_an_earlier_version_is_named_by_its_statement() -> None:
    """Its options may be gone, or admit no longer what it has."""
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    for gone in ({"strategy": "gone"}, {"gone": 1}):
        spec = RunSpec(
            method="privgnn", dataset="karate", options={"unit": "node", "epsilon": 1e-3, "lam": 0.4, **gone}
        )
        assert _claimed(privacy(made_runs.record(spec, said)))[0] >= said.epsilon


def test_a_reference_without_privacy_raises_no_alarm(store: RunStore) -> None:
    private = made_runs.finish(
        store, made_runs.spec(unit="node"), 0.6, made_runs.statement(made_runs.node_entries(1), "node")
    )
    open_ = made_runs.finish(store, made_runs.spec(unit="none"), 0.8, made_runs.statement((), "none"))
    edge = made_runs.finish(store, made_runs.spec(), 0.7, made_runs.statement(made_runs.edge_entries(9)))
    noisy = {"unit": "none", "epsilon": math.inf, "epsilon_as_published": 100.0}  # labels with noise, of the public
    assert not mixed_units([*compare.data([private, open_]), noisy])
    assert mixed_units(compare.data([private, open_, edge]))


def test_no_budget_stands_beside_an_infinite_epsilon(store: RunStore) -> None:
    open_ = made_runs.finish(store, made_runs.spec(unit="none"), 0.8, made_runs.statement((), "none"))
    private = made_runs.finish(store, made_runs.spec(epsilon=4.0), 0.7, made_runs.statement(made_runs.edge_entries(9)))
    row, _ = compare.data([open_, private])
    assert (row["option epsilon"], row["option accounting"]) == (None, None)


def test_an_upload_is_called_by_its_title_and_told_apart_from_its_namesake(store: RunStore) -> None:
    names = [save_upload(check_upload({"graph.npz": npz(arrays(nodes))}), title=title) for nodes, title in UPLOADED]
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [made_runs.finish(store, make_spec("progap", name, {}), 0.7, said) for name in names]
    first, second, alone = (graph_of(record) for record in records)
    assert alone == "Star"
    assert first != second
    assert {first[:6], second[:6]} == {"Ring ("}
    assert not any("upload:" in label for label in run_labels(records))
