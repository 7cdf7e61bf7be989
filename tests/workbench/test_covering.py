"""The number of a protection says of which guess it is, and whom it does not cover."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.privacy.kinds import NEIGHBOURS, Neighbours, Release
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advice_lines, advised, advising, covering
from privgraph_workbench.figures import export
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.meaning import WHY_NOT_COVERED
from privgraph_workbench.words.naming import statements_of

OPTED = "whether a person who is in the graph takes part or has opted out"
NEVER = "omebody who was never there is not covered"


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _people(
    store: RunStore, methods: dict[str, tuple[Neighbours, float]], *, weights: str = "", tied: bool = False
) -> list[RunRecord]:
    """Runs of methods that protect people; of `weights` these alone may be released; `tied`: seeds of every
    other method go the other way."""
    found = []
    for place, (name, (kind, mean)) in enumerate(methods.items()):
        said = replace(made_runs.statement(made_runs.node_entries(3.0), unit="node"), neighbours=kind)
        said = replace(said, release=Release.WEIGHTS) if name == weights else said
        for seed, off in enumerate((-0.01, 0.0, 0.01)):
            spec = made_runs.spec(name, epsilon=1.0, seed=seed, unit="node")
            found.append(made_runs.finish(store, spec, mean + off * (-1) ** (tied * place), said))
    return found


@pytest.mark.parametrize("kind", [Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES])
def test_who_was_never_there_is_said_not_to_be_covered(store: RunStore, kind: Neighbours) -> None:
    records = _people(store, {"gap": (kind, 0.8), "dp-mlp": (Neighbours.NODE_RECORD, 0.5)})
    said = advising.verdict(records, "node")
    assert [one.takes for one in said.stretches] == [("gap",)]
    words = f"right about {OPTED}, where both were equally likely before (a coin: 50%). S{NEVER}."
    page = next(line for line in advised.beneath(said) if line.startswith("Protection: "))
    assert f"is right about {OPTED}, {covering.EVEN}." in page, "on the page, too"
    assert page.endswith(f"“Hides opt-out” (GAP): whether somebody in the graph opted out; s{NEVER}.")
    assert words in advised.lines(said), "in a report"
    assert words in said.text, "on the command line"
    assert "data were used" not in advised.lines(said) + said.text


def test_methods_of_two_relations_are_told_apart_once(store: RunStore) -> None:
    records = _people(
        store,
        {
            "gap": (Neighbours.FROZEN_SAMPLE, 0.8),
            "progap": (Neighbours.FROZEN_SAMPLE, 0.8),
            "dp-mlp": (Neighbours.NODE_RECORD, 0.8),
        },
    )
    said = advising.verdict(records, "node")
    assert sorted(said.stretches[0].takes) == ["dp-mlp", "gap", "progap"]
    told = advised.protection_words(said)
    assert "with DP-MLP, whether a person's data were used" in told
    assert f"with GAP and ProGAP, {OPTED} (s{NEVER})" in told
    assert told.count(NEVER) == advised.lines(said).count(NEVER) == 1


def test_what_covers_everybody_has_no_such_word(store: RunStore) -> None:
    records = _people(store, {"dp-mlp": (Neighbours.NODE_RECORD, 0.8), "gap": (Neighbours.FROZEN_SAMPLE, 0.5)})
    said = advising.verdict(records, "node")
    assert (
        "right about whether a person's data were used, where both were equally likely before (a coin: 50%)."
        in advised.lines(said)
    )
    assert "Not covered" not in "\n".join(advised.beneath(said))
    assert NEVER not in advised.lines(said) + said.text, "of what is taken alone"
    nothing = [replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.99}) for one in records]
    assert advised.protection_words(advising.verdict(nothing, "node")) == "", "no number, no words"


def test_every_relation_has_its_guess() -> None:
    for kind in NEIGHBOURS:
        said = covering.words([("A method", kind.value)])
        assert (NEVER in said) == (kind in WHY_NOT_COVERED)
        assert (kind in covering.GUESSED) == (kind not in (Neighbours.NONE, Neighbours.UNKNOWN))


@pytest.mark.parametrize(
    ("kind", "guess"),
    [
        (Neighbours.UNDIRECTED_EDGE, "whether an edge is there"),
        (Neighbours.DIRECTED_EDGE, "whether an edge is there"),
        (Neighbours.NODE, "whether a person's data were used"),
        (Neighbours.ASSIGNED_NODE, "whether a person's data were used"),
        (Neighbours.NODE_RECORD, "whether a person's data were used"),
        (Neighbours.FROZEN_SAMPLE, OPTED),
        (Neighbours.FROZEN_DEGREES, OPTED),
        (Neighbours.REPLACED_RECORD, "which of two records a person gave"),
    ],
)
def test_what_is_guessed_is_what_the_relation_hides(kind: Neighbours, guess: str) -> None:
    who = "Protection: how often, at most, somebody who knows all else is right"
    said = covering.words([("A", kind.value), ("B", kind.value)])
    never = f" S{NEVER}." if kind in WHY_NOT_COVERED else ""
    assert said == f"{who} about {guess}, where both were equally likely before (a coin: 50%).{never}"
    (other, theirs) = next((one, words) for one, words in covering.GUESSED.items() if words != guess)
    for_each = covering.words([("A", kind.value), ("B", other)])
    left, right = (f" (s{NEVER})" * (one in WHY_NOT_COVERED) for one in (kind, other))
    assert for_each == (
        f"{who}, where both were equally likely before (a coin: 50%). What is guessed: with A, {guess}{left}; with B, "
        f"{theirs}{right}."
    ), "beside the number of a coin, also where there are two guesses"


def test_a_line_says_what_is_guessed_also_where_methods_differ_in_it() -> None:
    """At length each of them says its own; in a line stands what holds of all."""
    mixed = [("A", Neighbours.NODE_RECORD.value), ("B", Neighbours.FROZEN_SAMPLE.value)]
    told = covering.short(mixed, "node")
    assert told.startswith(
        "Protection: how often, at most, somebody who knows all else is right about whether a person"
    ), "in the words of the others"
    assert f"'s data were used, {covering.EVEN}. “Hides opt-out” (B): " in told
    assert covering.short(mixed[1:], "node").partition(" about ")[2].startswith(OPTED)
    assert covering.short([], "edge") == ""


def test_files_of_the_figure_say_it_too(store: RunStore) -> None:
    records = _people(store, {"gap": (Neighbours.FROZEN_SAMPLE, 0.8), "dp-mlp": (Neighbours.NODE_RECORD, 0.5)})
    rows = tradeoff.data(records)
    said = advising.verdict(records, "node")
    shown = tradeoff.shown(rows, published=True, front=True, advised=advice_lines.plain([said]))
    table, text, plain = (
        export.export("tradeoff", shown, statements_of(records), kind).decode() for kind in ("csv", "txt", "json")
    )
    assert {row["method"]: row["neighbours"] for row in csv.DictReader(io.StringIO(table))} == {
        "gap": "frozen sample",
        "dp-mlp": "node record",
    }
    line = f"“Hides opt-out” (GAP): whether somebody in the graph opted out; s{NEVER}."
    assert line in " ".join(text.split())
    assert any(line in note for note in json.loads(plain)["notes"])
    assert all(row["neighbours"] for row in json.loads(plain)["rows"])
    safe = tradeoff.shown(rows, published=True, front=True)
    assert line not in export.export("tradeoff", safe, statements_of(records), "txt").decode()


def test_a_row_is_marked_where_its_epsilon_promises_less_than_others(store: RunStore) -> None:
    means = {"dp-gnn": (Neighbours.FROZEN_SAMPLE, 0.8), "dp-mlp": (Neighbours.NODE_RECORD, 0.6)}
    records = _people(store, means, weights="dp-gnn")
    said = advising.verdict(records, "node")
    ((_, take, *_, verdict, _),) = advised.table(said, yours=True)[0]
    assert (take, verdict) == ("DP-GNN\nhides opt-out; weights only may be released", "clear")
    assert "| DP-GNN (hides opt-out; weights only may be released) |" in advised.lines(said), "in files, too"
    for row in tradeoff.data(records):
        assert not covering.mark({**row, "unit": "edge"}), "edges: nothing new"


def test_of_what_is_not_told_apart_the_stronger_promise_is_taken_though_it_reaches_less(store: RunStore) -> None:
    means = {"dp-gnn": (Neighbours.FROZEN_SAMPLE, 0.8), "dp-mlp": (Neighbours.NODE_RECORD, 0.799)}
    said = advising.verdict(_people(store, means, weights="dp-gnn", tied=True), "node")
    ((_, take, *_, verdict, _),) = advised.table(said, yours=True)[0]
    assert take == "DP-MLP (reads no edge)"
    assert verdict.endswith("DP-GNN (80.0%; weaker promise: opt-out, weights only); taken for its stronger promise")


def test_a_rival_that_promises_less_is_told_so(store: RunStore) -> None:
    means = {"dp-mlp": (Neighbours.NODE_RECORD, 0.8), "heter-poisson": (Neighbours.FROZEN_DEGREES, 0.799)}
    said = advising.verdict(_people(store, means, tied=True), "node")
    ((_, take, *_, verdict, _),) = advised.table(said, yours=True)[0]
    assert take == "DP-MLP (reads no edge)", "nothing is missing there"
    assert verdict.endswith("HeterPoisson (79.9%; weaker promise: opt-out)")


def test_rivals_of_one_promise_are_told_without_it(store: RunStore) -> None:
    alike = {"gap": (Neighbours.FROZEN_DEGREES, 0.8), "heter-poisson": (Neighbours.FROZEN_DEGREES, 0.799)}
    said = advising.verdict(_people(store, alike, tied=True), "node")
    ((_, take, *_, verdict, _),) = advised.table(said, yours=True)[0]
    assert (take, verdict.partition("\n")[2]) == ("GAP\nhides opt-out", "from HeterPoisson (79.9%)")


def test_two_promises_that_leave_out_different_things_are_another() -> None:
    one, other = ({"unit": "node", "neighbours": kind} for kind in (Neighbours.REPLACED_RECORD, Neighbours.NODE_RECORD))
    weights = {**other, "release": Release.WEIGHTS}
    assert covering.other_promise(one, weights) == "another promise: which of two records"
    assert covering.other_promise(one, other) == "weaker promise: which of two records"
    assert covering.other_promise(weights, one) == "another promise: weights only"


@pytest.mark.parametrize("release", [one for one in Release if one != Release.WEIGHTS])
def test_only_weights_are_marked_as_all_that_may_be_released(release: Release) -> None:
    assert covering.mark({"unit": "node", "neighbours": Neighbours.NODE, "release": release}) == ""


def test_each_hidden_thing_is_told_in_its_own_words() -> None:
    promised = [("A", Neighbours.FROZEN_SAMPLE), ("B", Neighbours.REPLACED_RECORD), ("C", Neighbours.FROZEN_DEGREES)]
    assert covering.never_there((title, kind.value) for title, kind in promised) == (
        f"“Hides opt-out” (A and C): whether somebody in the graph opted out; s{NEVER}. "
        f"“Hides which of two records” (B): which one somebody in the graph gave; s{NEVER}."
    )


def test_a_line_of_edges_is_about_an_edge_also_where_a_relation_is_not_known() -> None:
    mixed = [("A", Neighbours.UNDIRECTED_EDGE.value), ("B", Neighbours.UNKNOWN.value)]
    assert " is right about whether an edge is there, " in covering.short(mixed, "edge")
