"""`import privgraph as pg`: light, lazily imported, no second way of training; a wrong call gets one
sentence, an object one line."""

import inspect
import math
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit

import privgraph as pg
from privgraph.options import Table, parameters
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, StoredEvent
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore

loose: Any = pg
"""Without its types, as somebody calls it who runs no checker."""
NOISE = pg.events.Gaussian(noise_multiplier=1.0)
SMALL: dict[str, Any] = {"on": "social", "data_options": {"nodes": 200}, "epochs": 3, "hidden": 8}


@pytest.fixture(autouse=True)
def _one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_WORKERS", "1")


@pytest.mark.long
def test_nothing_is_imported_before_it_is_used() -> None:
    code = """
        import sys
        import privgraph as pg
        def heavy():
            names = ("torch", "numpy", "pandas", "plotly", "streamlit", "matplotlib", "sqlalchemy")
            return [name for name in names if name in sys.modules]
        assert not heavy(), heavy()
        assert {"load", "figures", "mechanisms"} <= set(dir(pg))
        assert not heavy(), heavy()
        pg.spec("progap", on="social", epsilon=1)
        pg.run, pg.run_all, pg.figures, pg.METHODS
        assert not {"torch", "plotly", "streamlit", "matplotlib"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", inspect.cleandoc(code)], check=True, timeout=60)


@pytest.mark.long
def test_every_room_opens_without_a_further_import() -> None:
    code = """
        import privgraph as pg
        assert pg.papers.progap.theorem_4_1
        assert pg.methods.prompts.dp_gpl.partition.EMPTY
        assert pg.mechanisms.aggregation.aggregate
        from privgraph import data
        assert data.neighbours.edge_neighbours
    """
    subprocess.run([sys.executable, "-c", inspect.cleandoc(code)], check=True, timeout=60)


def test_a_name_that_does_not_exist_is_answered_in_one_sentence() -> None:
    with pytest.raises(AttributeError, match=r"^there is no privgraph\.lod; did you mean load\?$"):
        _ = pg.lod  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^there is no privgraph\.data\.spic; did you mean spec\?$"):
        _ = pg.data.spic  # type: ignore[attr-defined]
    assert not hasattr(pg, "__wrapped__")


def test_a_graph_stands_for_its_data_options_and_split() -> None:
    graph = pg.load("social", nodes=200, split_seed=5)
    found = pg.spec("progap", on=graph)
    assert (found.dataset, found.data_options["nodes"], found.split, found.seed) == ("social", 200, "random", 5)
    assert pg.spec("progap", on=graph, seed=0).seed == 0
    with pytest.raises(pg.OptionError, match="has its options and its split already"):
        pg.spec("progap", on=graph, split="inductive")


def test_a_graph_that_nobody_could_load_again_is_refused() -> None:
    graph = pg.load("karate")
    with pytest.raises(pg.OptionError, match="must be able to load its graph again"):
        pg.spec("progap", on=replace(graph, edge_index=graph.edge_index[:, 2:]))
    graph.x[0, 0] = 7
    with pytest.raises(pg.OptionError, match="was written to after it was loaded"):
        pg.spec("progap", on=graph)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pg.run("progab", on="social"), pg.UnknownName, "did you mean progap"),
        (lambda: pg.run("progap", on="sozial"), pg.UnknownName, "did you mean social"),
        (lambda: pg.run("progap", on="social", epsilom=1), pg.OptionError, "did you mean epsilon"),
        (lambda: pg.run("progap", on="social", epsilon=-1), pg.OptionError, "epsilon must be at least"),
        (lambda: pg.run(pg.spec("gnn", on="social"), seed=1), pg.OptionError, "leave out seed"),
        (lambda: pg.plan(pg.spec("gnn", on="social"), on="social"), pg.OptionError, "leave out on"),
        (lambda: pg.plan("dp-mlp", on=pg.load("karate"), unit="edge"), pg.OptionError, "unit must be"),
        (lambda: pg.load("social", node=3), pg.OptionError, "did you mean nodes"),
        (lambda: pg.load("karate", split="ramdom"), pg.DataError, "did you mean random"),
        (lambda: pg.upload(), pg.OptionError, "files or arrays"),
        (lambda: pg.upload("texts.csv", halves="yes"), pg.DataError, "halves must be true or false"),
        (lambda: pg.upload("/nowhere/graph.npz"), pg.DataError, "graph.npz cannot be used"),
        (lambda: loose.load(3), pg.UnknownName, "there is no "),
        (lambda: loose.plan(["progap"], on="karate"), pg.UnknownName, "there is no "),
        (lambda: loose.upload(3), ValueError, "A graph is files, arrays, .* .got int"),
        (lambda: loose.epsilon(NOISE, "x"), ValueError, "delta must be a number .got x"),
        (lambda: loose.statement_text(3), ValueError, "statement must be that of a plan or a run"),
        (lambda: loose.calibrate(type(NOISE), epsilon=1.0, delta=1e-5), ValueError, "function of the noise scale"),
        (lambda: loose.figures.degrees(pg.load("karate")), ValueError, "degrees needs degrees .got Graph.karate"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as said:
        call()
    assert "\n" not in str(said.value)


def test_no_option_is_called_like_a_parameter() -> None:
    """It would be swallowed by a function that passes options on."""
    taken = {name for function in (pg.run, pg.spec, pg.plan) for name in inspect.signature(function).parameters}
    for name, row in METHODS.items():
        assert not taken & {one.name for one in parameters(row.load_config())}, name
    taken = set(inspect.signature(pg.load).parameters)
    for name, data in pg.DATASETS.items():
        kind = data.load_options()
        assert kind is None or not taken & {one.name for one in parameters(kind)}, name


def test_a_plan_is_that_of_the_split_that_is_asked_for() -> None:
    """Where edges between parts are cut, the sizes are those of that split of that seed."""
    asked: dict[str, Any] = {"unit": "edge", "epsilon": 1.0}
    plans = []
    for split, seed in (("random", 3), ("inductive", 3), ("inductive", 4)):
        graph = pg.load("social", nodes=200, split=split, split_seed=seed)
        plan = pg.plan("progap", on="social", data_options={"nodes": 200}, split=split, seed=seed, **asked)
        assert plan == pg.plan("progap", on=graph, **asked)
        plans.append(plan.facts)
    assert len(set(plans)) == 3


def test_the_epsilon_of_a_run_is_that_of_its_statement() -> None:
    """Neither the one that was asked for, nor the published one; and infinite where nothing is known."""
    store = pg.open_store(":memory:")
    spec = make_spec("gap", "karate", {"unit": "edge", "epsilon": 2.0})
    said = replace(spec.config().plan(pg.load("karate").facts).statement, epsilon=3.0, epsilon_as_published=1.0)
    assert pg.Run(made_runs.record(spec, said), store).epsilon == 3.0
    assert pg.Run(made_runs.record(spec, None), store).epsilon == math.inf


@pytest.mark.long
def test_stores_keep_their_files_apart(tmp_path: Path) -> None:
    """Equal runs in two stores: neither clears the other's files, and neither is in the store of the app."""
    here = pg.run("progap", **SMALL, store=tmp_path / "here")
    there = pg.run("progap", **SMALL, store=":memory:")
    assert here.id == there.id
    assert here.folder == tmp_path / "here" / "runs" / here.id
    assert here.folder != there.folder
    assert (here.folder / "worker.log").is_file()
    assert not RunStore.open().find()
    assert pg.open_store(tmp_path / "here").get(here.id).state == "done"
    assert os.environ.get("PRIVGRAPH_ARTIFACTS") is None
    (tmp_path / "file").touch()
    with pytest.raises(pg.OptionError, match="must be a folder"):
        pg.open_store(tmp_path / "file")


@pytest.mark.long
def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    spec = pg.spec("gnn", on="social", data_options={"nodes": 200}, epochs=3, device="cuda")
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")
    with pytest.raises(pg.RunFailed, match=r"[0-9a-f] failed: the run asks for device cuda") as said:
        pg.run(spec, store=tmp_path)
    assert said.value.runs[0].spec == spec


def test_whoever_interrupts_stops_what_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from privgraph.api import running

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pg.run("progap", **SMALL, store=tmp_path)
    (record,) = pg.open_store(tmp_path).find(RunQuery())
    assert record.state == "stopped"


def test_a_graph_of_ones_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 4)), np.arange(30) % 3
    edges = np.stack([np.arange(29), np.arange(1, 30)])
    name = pg.upload(arrays={"x": x, "y": y, "edge_index": edges}, title="A line")
    assert pg.load(name).num_nodes == 30
    np.savez(tmp_path / "line.npz", x=x, y=y, edge_index=edges)
    assert pg.upload(tmp_path / "line.npz") == name
    graph = pg.load("karate")
    again = pg.upload(arrays={"x": graph.x, "y": graph.y, "edge_index": graph.edge_index})
    assert pg.load(again).edge_index.equal(graph.edge_index)


def test_texts_of_ones_own(tmp_path: Path) -> None:
    texts, relations = tmp_path / "texts.csv", tmp_path / "relations.csv"
    texts.write_text("id,text\n" + "".join(f"{number},text number {number}\n" for number in range(20)))
    relations.write_text("source,target\n" + "".join(f"{one},{other}\n" for one in range(20) for other in range(one)))
    with pytest.raises(pg.DataError, match="The texts have no domain"):
        pg.upload(texts, relations)
    graph = pg.load(pg.upload(texts, relations, halves=True))
    assert graph.domain_names == ("first random half", "second random half")
    assert graph.facts.relations == (45, 45)


def test_a_row_a_setting(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(4.0))
    for seed in range(3):
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + 0.01 * seed, said)
    table = pg.table(store)
    assert len(table) == 1
    assert (table.seeds[0], table.source[0]) == (3, "own")
    assert table["mean"][0] == pytest.approx(0.71)
    assert table.low[0] < 0.71 < table.high[0]
    assert table.epsilon[0] == said.epsilon
    assert "runs" not in table
    run = pg.Run(store.find()[0], store)
    assert list(pg.table(run).seeds) == list(pg.table([run]).seeds) == [1]


def shown() -> dict[str, str]:
    """By what it begins with, the repr of an object of each kind."""
    graph, spec = pg.load("karate"), made_runs.spec()
    plan = pg.plan("progap", on=graph, unit="edge", epsilon=1.0)
    record = made_runs.record(spec, made_runs.statement(made_runs.edge_entries(9.0)))
    return {
        "Graph(karate: 34 nodes, 78 edges, ": repr(graph),
        "Plan(progap: unit edge, sound epsilon 0.99": repr(plan),
        "PrivacyStatement(unit edge, ": repr(plan.statement),
        "RunSpec(progap on social: unit edge, epsilon 2.0, ": repr(
            pg.spec("progap", on="social", unit="edge", epsilon=2)
        ),
        "RunSpec(of-old on elsewhere: ": repr(RunSpec(method="of-old", dataset="elsewhere", options={"width": 4})),
        f"RunRecord({spec.id}: failed, ": repr(replace(record, state="failed", error="no memory " * 30)),
        f"<Run {spec.id}": repr(pg.Run(record, pg.open_store(":memory:"))),
        "StoredEvent(7, spent: ": repr(
            StoredEvent(sequence=7, attempt=1, time=0.0, kind="spent", payload={"entry": "x" * 1000})
        ),
        "AuditRecord(": repr(made_audit(trials=400)),
        "MethodSpec(progap: ": repr(pg.METHODS["progap"]),
        "DatasetSpec(cora: ": repr(pg.DATASETS["cora"]),
    }


def test_an_object_is_one_short_line() -> None:
    for begins, said in shown().items():
        assert said.startswith(begins), said
        assert len(said) < 400
        assert "\n" not in said
        assert "tensor" not in said


def test_an_epsilon_is_rounded_to_the_safe_side() -> None:
    said = pg.plan("progap", on="karate", unit="edge", epsilon=1.0).statement
    told = repr(replace(said, epsilon=1.00001, epsilon_audited=0.98769))
    assert "sound epsilon 1.001, " in told
    assert "audited epsilon at least 0.9876, " in told
    assert pytest.approx(1.0, abs=0.01) == said.epsilon


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
        (lambda: loose.run_all([SPEC, "progap"]), "specs must hold specs alone, which privgraph.spec makes (got pro"),
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


README = Path(__file__).resolve().parents[2] / "README.md"


def example() -> str:
    found = re.search(
        r"<!-- python example -->\s*```python\n(.*?)```\s*<!-- end of python example -->", README.read_text(), re.DOTALL
    )
    return found[1]


def test_it_is_short() -> None:
    lines = [line for line in example().splitlines() if line.strip()]
    assert len(lines) <= 10
    assert all(len(line) <= 110 for line in lines)
    assert [line for line in lines if "import" in line] == ["import privgraph as pg"]


def test_it_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import plotly.graph_objects as go

    shown: list[go.Figure] = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
    told: dict[str, object] = {}
    exec(compile(example(), str(README), "exec"), told)
    assert "{'aggregation_std'" in capsys.readouterr().out
    assert shown
    assert shown[0].data
