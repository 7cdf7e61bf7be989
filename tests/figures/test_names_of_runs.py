"""What runs are called where several stand together: by their graph, and by the epsilon that is stated."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.pages.kept_runs import KARATE

from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.figures.runs import compare, convergence, depth, tradeoff
from privgraph_workbench.words.naming import describe, labels, privacy, statements_of

SMALL, LARGE = {"nodes": 600, "classes": 3, "degree": 8.0}, {"nodes": 1500, "degree": 8.0}
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


def test_graphs_are_told_apart_whatever_the_method(store: RunStore, two_graphs: list[RunRecord]) -> None:
    for rows in (
        tradeoff.data(two_graphs),
        compare.data(two_graphs),
        convergence.data([(record, store.events(record.id)) for record in two_graphs]),
        depth.data(two_graphs),
    ):
        assert {row["graph"] for row in rows} == {SMALL_WORDS, LARGE_WORDS}


@pytest.mark.parametrize(("one", "other"), [(1.0000001, 1.0000002), (0.1, 0.1 + 2e-17)])
def test_graphs_whose_options_differ_in_any_digit_are_other_graphs(one: float, other: float) -> None:
    """What stands together as repetitions on one graph is averaged, and counted as one release each of the
    same people."""
    assert one != other
    first, second = (GraphId.made("social", {"signal": value}, "random") for value in (one, other))
    assert first != second
    assert first.people != second.people
    assert first.words() != second.words()


# Privacy


CHOICES = ("preset", "release", "noise", "response")
"""Options whose choice may name a run or decide its noise."""


def _choices(name: str) -> Iterator[dict[str, Scalar]]:
    """Every protected unit and accounting of the method, given noise, and choice of `CHOICES`."""
    kind = METHODS[name].load_config()
    known = {parameter.name: parameter for parameter in parameters(kind)}
    given = kind().price.given
    levers: list[dict[str, Scalar]] = [{}] if given is None else [{}, {given.option: 20.0}]
    levers += [{one: value} for one in CHOICES if one in known for value in known[one].option.choices]
    units = [unit for unit in METHODS[name].units if unit != "none"]
    for unit, accounting, lever in itertools.product(units, ("sound", "published"), levers):
        yield {"unit": unit, "accounting": accounting, "epsilon": 2.0, **lever}


def _graph(name: str) -> str:
    return "karate" if "node classification" in METHODS[name].tasks else "products"


def _sizes(name: str) -> PublicFacts:
    return KARATE if _graph(name) == "karate" else TEXT_FACTS


def _planned(name: str) -> list[RunRecord]:
    """Finished runs, with the statements of their plans."""
    records = []
    for number, options in enumerate(_choices(name)):
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


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_no_label_states_less_than_the_sound_epsilon(name: str) -> None:
    """And a budget counts where it decides the noise, and nowhere else."""
    records = _planned(name)
    protected = [unit for unit in METHODS[name].units if unit != "none"]
    assert len(records) >= len(protected)
    for record in records:
        unfinished = made_runs.record(record.spec, None)
        words = [describe(record), privacy(record), privacy(unfinished), describe(unfinished)]
        words += [*labels([record], whole=True), *labels([record]), *statements_of([record])]
        for label in words:
            assert all(epsilon >= record.statement.epsilon for epsilon in _claimed(label)), (record.spec.options, label)
        if record.statement.epsilon > 0:
            assert _claimed(describe(record)) or "nothing guaranteed" in describe(record)
            other = replace(record.spec, options={**record.spec.options, "epsilon": 4.0})
            noises = [one.config().plan(_sizes(name)).noise for one in (record.spec, other)]
            assert (noises[0] != noises[1]) == (record.spec.asked_epsilon is not None), record.spec.options


@pytest.mark.parametrize("more", [1.0001, 1.02])
def test_a_run_that_costs_a_little_more_than_was_asked_is_not_called_by_what_was_asked(more: float) -> None:
    spec = make_spec("gap", "karate", {"unit": "edge", "epsilon": 2.0})
    said = replace(spec.config().plan(KARATE).statement, epsilon=2.0 * more)
    record = made_runs.record(spec, said)
    for label in (privacy(record), describe(record), *labels([record]), *statements_of([record])):
        assert all(epsilon >= 2.0 * more for epsilon in _claimed(label)), label
    assert _claimed(privacy(record))


@pytest.mark.parametrize(("accounting", "by"), [("sound", "asked for"), ("published", "as published")])
def test_a_run_that_costs_less_than_was_asked_is_named_by_its_statement(accounting: str, by: str) -> None:
    """What was asked stands beside it, with what it was counted by."""
    spec = make_spec("gap", "karate", {"unit": "edge", "epsilon": 2.0, "accounting": accounting})
    said = replace(spec.config().plan(KARATE).statement, epsilon=0.5)
    assert privacy(made_runs.record(spec, said)) == f"edge ε 0.5 (ε 2 {by})"
    assert privacy(made_runs.record(spec, replace(said, unit="node"))) == f"node ε 0.5 (ε 2 {by})"
