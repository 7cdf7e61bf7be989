"""What is written wrongly in Python is told in one sentence of our own errors, and nothing is trained."""

import pickle
from typing import Any

import pytest

import privgraph as pg
from privgraph.options import Table

loose: Any = pg
"""Without its types, as somebody calls it who runs no checker."""
SPEC = pg.spec("progap", on="karate")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: loose.run(), "run needs method (A method of privgraph.METHODS"),
        (lambda: loose.run("progap"), 'on= takes the name of a data set, such as on="karate"'),
        (lambda: loose.run("progap", "karate"), "run takes 1 argument by position (method); write the others with"),
        (lambda: loose.spec("progap", on=5), "on must be the name of a data set, or a graph that"),
        (lambda: loose.spec("progap", on="social", data_options=[3]), "data_options must be a mapping, such as"),
        (lambda: loose.plan("progap", on=5), "on must be the name of a data set, a graph, or privgraph.PublicFacts"),
        (lambda: loose.load("karate", "public"), "such as split=... (got public as well)"),
        (lambda: loose.upload(arrays=3), "arrays must be a mapping with x, y and edge_index (got 3)"),
        (lambda: loose.open_store(5), "store must be a folder, a database URL or a store (got 5)"),
        (lambda: loose.sweep("progap"), "base must be a spec, which privgraph.spec makes (got progap)"),
        (lambda: loose.sweep(SPEC, base=SPEC), "sweep was given base twice"),
        (lambda: loose.sweep(SPEC, {"epsilon": 1}), "over['epsilon'] must be a list of values, such as [1, 2] (got 1)"),
        (lambda: loose.sweep(SPEC, {"epsilon": []}), "over['epsilon'] must hold at least one value"),
        (lambda: loose.sweep(SPEC, {"seed": [1]}), "write seeds=range(3) beside over"),
        (lambda: loose.sweep(SPEC, seeds=3), "seeds must be a list of values, such as range(3) (got 3)"),
        (lambda: loose.run_all(SPEC), "write run_all([spec]), or run(spec) for one run"),
        (
            lambda: loose.run_all([SPEC, "progap"]),
            "specs must hold specs alone, which privgraph.spec makes (got pro",
        ),
        (lambda: loose.run_all([SPEC], tags="mine"), 'tags must be a list of words, such as tags=["mine"] (got mine)'),
        (lambda: loose.run_all([SPEC], tags=[3]), "tags must be words (got 3 among them)"),
        (lambda: loose.audit("progap-karate"), "audit takes a run, as privgraph.run returns it (got progap-karate)"),
    ],
)
def test_a_wrong_call_gets_one_sentence(call: Any, words: str) -> None:
    with pytest.raises(pg.OptionError) as said:
        call()
    assert words in str(said.value)
    assert "\n" not in str(said.value)
    assert said.value.__suppress_context__ or said.value.__context__ is None


@pytest.mark.parametrize(
    ("table", "name", "words"),
    [
        ("METHODS", "progp", "there is no method progp; methods are progap, gap, "),
        ("DATASETS", "karatte", "there is no data set karatte; data sets are social, "),
        ("AUDITS", "mechanim", "there is no audit mechanim; audits are mechanism, white-box; did you mean mechanism?"),
    ],
)
def test_tables_offer_the_nearest_name_and_are_mappings(table: str, name: str, words: str) -> None:
    rows = getattr(pg, table)
    with pytest.raises(pg.UnknownName) as said:
        rows[name]
    assert str(said.value).startswith(words)
    assert "; did you mean " in str(said.value)
    assert isinstance(said.value, KeyError)
    assert rows.get(name) is None
    assert rows.get(name, 3) == 3
    assert name not in rows
    assert [name] not in rows
    assert str(pickle.loads(pickle.dumps(said.value))) == str(said.value)
    with pytest.raises(pg.UnknownName, match=r"there is no (method|data set|audit) 3;"):
        rows[3]
    first = next(iter(rows))
    assert repr(rows).startswith(f"<{len(rows)} {words.split()[3] if table != 'DATASETS' else 'data set'}s: {first}, ")
    assert len(repr(rows)) < 400


@pytest.mark.parametrize("ask", [lambda: loose.load(3), lambda: loose.plan(["progap"], on="karate")])
def test_what_is_no_name_is_no_name_of_a_table(ask: Any) -> None:
    with pytest.raises(pg.UnknownName, match="there is no "):
        ask()


def test_a_table_is_read_when_somebody_first_asks_and_once() -> None:
    read: list[int] = []

    def rows() -> dict[str, int]:
        read.append(1)
        return {"one": 1, "two": 2}

    table = Table("row", rows)
    assert not read
    assert dict(table) == {"one": 1, "two": 2}
    assert table["two"] == 2
    assert len(read) == 1


def test_seeds_and_values_may_be_given_once_only() -> None:
    """Generators, ranges and arrays are lists of values."""
    specs = loose.sweep(SPEC, {"epsilon": (one for one in (0.5, 2))}, seeds=iter(range(2)))
    assert [(one.options["epsilon"], one.seed) for one in specs] == [(0.5, 0), (0.5, 1), (2.0, 0), (2.0, 1)]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: loose.upload(3), "A graph is files, arrays, .* .got int"),
        (lambda: loose.epsilon(pg.events.Gaussian(noise_multiplier=1.0), "x"), "delta must be a number .got x"),
        (lambda: loose.statement_text(3), "statement must be that of a plan or a run"),
        (lambda: loose.calibrate(pg.events.Gaussian, epsilon=1.0, delta=1e-5), "must be a function of the noise scale"),
        (lambda: loose.figures.degrees(pg.load("karate")), "the figure degrees needs degrees .got Graph.karate"),
    ],
)
def test_the_rest_of_the_api_says_what_it_takes(ask: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask()
