"""Every command of `privgraph` and every option of it is called, on tiny graphs: what it prints as JSON, what
stands in the store and in files afterwards, and with which exit code it ends, also where it is called
wrongly.
"""

import re
import shlex
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from tests.contracts import capabilities_here as here
from tests.contracts.capabilities_here import Told, at_home, privgraph
from tests.data import large_made_here

import privgraph as pg
from privgraph.runs.records import RunQuery

DONE, FAILED, USAGE, STOPPED = 0, 1, 2, 130
SMALL = "--data-set nodes=120 --data-set degree=6"
RUN = (
    f"run progap --data social {SMALL} --unit edge --epsilon 2 --delta 1e-4 --accounting sound --seed 3 "
    "--split random --device cpu --set epochs=3 --set hidden=8 --tag mine --json"
)
ATTACKED = f"run dp-mlp --data social {SMALL} --set epochs=2 --set hidden=8 --json"
EXCLUDED = {"--help", "--for-others", "--share", "--partition", "--cluster", "--address"}
"""Options that no row has here: a report for others is on its way out, and engines are asked in
`test_capabilities_api`."""


@pytest.fixture
def home(pulled: Path) -> Iterator[Path]:
    with at_home(pulled):
        yield pulled


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Path]:
    """An empty home of one's own, for which nobody works."""
    with at_home(tmp_path / "alone") as made:
        yield made


@pytest.fixture(scope="module")
def runs(pulled: Path) -> Mapping[str, str]:
    """Two finished runs by what is told of them: one with a promise for edges, one for nodes."""
    with at_home(pulled):
        told = {"edges": called(RUN), "nodes": called(ATTACKED)}
    return {name: one.json["run"] for name, one in told.items()}


LINES: list[list[str]] = []
"""Every line that was called in this file."""


def called(line: str, code: int = DONE, **named: object) -> Told:
    """What a line comes to, which must end with that code."""
    words = shlex.split(line.format(**named)) if named else shlex.split(line)
    LINES.append(words)
    told = privgraph(*words)
    assert told.code == code, told.err
    return told


# Runs, and what is told of them


def test_a_run_is_trained_and_told_and_the_second_time_it_is_opened(home: Path, runs: Mapping[str, str]) -> None:
    told, again = called(RUN).json, called(RUN).json
    assert told == again
    assert (told["run"], told["method"], told["dataset"], told["seed"]) == (runs["edges"], "progap", "social", 3)
    assert (told["state"], told["device"]) == ("done", "cpu")
    assert (told["privacy"]["unit"], told["privacy"]["delta"]) == ("edge", 1e-4)
    assert 0 <= told["metrics"]["test_accuracy"] <= 1
    assert told["privacy"]["epsilon_as_published"] < told["privacy"]["epsilon"] <= 2
    assert told["privacy"]["epsilon_audited"] is None
    assert told["privacy"]["ledger"]
    assert pg.open_store(home).get(told["run"]).tags == ("mine",)


@pytest.mark.long
def test_a_run_that_fails_ends_with_1(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PRIVGRAPH_WORKERS": "1", "PRIVGRAPH_DATA": str(alone)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    told = called("run mlp --data german --json", FAILED).json
    assert (told["state"], told["metrics"], told["privacy"]["epsilon"]) == ("failed", {}, None)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_run_that_is_interrupted_ends_with_130(home: Path) -> None:
    words, store = shlex.split("run gnn --data digits --set epochs=5000 --json"), pg.open_store(home)
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # which a job in the background is not
    with subprocess.Popen([*here.shell(), *words], stdout=subprocess.PIPE, preexec_fn=listening) as process:
        while not store.count(RunQuery(methods=("gnn",), datasets=("digits",), states=("running",))):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert Told(STOPPED, out.decode(), "").json["state"] == "stopped"


def test_what_is_shown_of_a_run(home: Path, runs: Mapping[str, str]) -> None:
    run = runs["edges"]
    assert called("show {run} --json", run=run).json == called(RUN).json
    short, long = called("show {run}", run=run[:18]), called("show {run} --log", run=run)
    assert run in short.out
    assert len(long.lines) > len(short.lines) > 10


@pytest.mark.parametrize(
    ("words", "found"),
    [*((kind, kind) for kind in ("json", "md", "svg", "pdf", "png")), ("csv", "csv txt"), ("", "json csv txt md")],
)
@pytest.mark.usefixtures("home")
def test_a_run_leaves_as_files(words: str, found: str, runs: Mapping[str, str], tmp_path: Path) -> None:
    run = runs["edges"]
    told = called(f"export {run} --out {tmp_path / 'out'}" + (f" --format {words}" if words else ""))
    paths = [Path(line) for line in told.lines]
    assert {path.suffix for path in paths} == {f".{kind}" for kind in found.split()}
    assert sorted(paths) == sorted((tmp_path / "out").iterdir())
    magic = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml", ".json": b"{"}
    for path in paths:
        assert path.read_bytes().startswith(magic.get(path.suffix, b""))
        assert run in path.name
        assert path.suffix not in (".txt", ".md", ".svg") or run in path.read_text()


@pytest.mark.long
def test_runs_leave_as_one_report(home: Path, runs: Mapping[str, str], tmp_path: Path) -> None:
    said = "--title Tried --author Ada --date 2031-02-03 --remark Noted"
    told = called(f"report {' '.join(runs.values())} --out {tmp_path / 'a.zip'} {said} --no-notebook --no-appendix")
    with zipfile.ZipFile(told.lines[-1]) as archive:
        assert archive.testzip() is None
        names = [Path(name) for name in archive.namelist()]
        (page,) = (name for name in archive.namelist() if name.endswith(".html"))
        words = archive.read(page).decode()
        told = [name for name in archive.namelist() for run in runs.values() if run.encode() in archive.read(name)]
    assert {path.suffix for path in names} >= {".html", ".pdf", ".svg", ".png", ".csv", ".txt", ".json"}
    assert not [path for path in names if path.suffix == ".ipynb"]
    assert all(word in words for word in ("Tried", "Ada", "2031-02-03", "Noted"))
    assert {"settings.csv", "settings.tex", "statements.json", "statements.txt", "references.bib"} <= {
        path.name for path in names
    }
    assert not told, "a report names no run"


@pytest.mark.long
def test_a_report_has_a_notebook_that_was_executed(home: Path, runs: Mapping[str, str], tmp_path: Path) -> None:
    called(f"report {runs['edges']} --out {tmp_path / 'a.zip'}")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert [name for name in archive.namelist() if name.endswith(".ipynb")]


@pytest.mark.long
def test_relations_between_texts_are_learnt(home: Path) -> None:
    options = "--data-set products=101 --set encoder=tiny --set steps=2 --epsilon 4 --json"
    told = called(f"run relational --data products {options}").json
    assert (told["state"], told["privacy"]["unit"]) == ("done", "edge")
    assert 0 <= told["metrics"]["test_accuracy"] <= 1
    assert 0 < told["privacy"]["epsilon"] <= 4


# Lists, data, the examples


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("methods", {*pg.METHODS}),
        ("datasets", {*pg.DATASETS}),
        ("attacks", {*pg.ATTACKS}),
        ("audits", {*pg.AUDITS}),
        ("options progap", {"epsilon", "delta", "unit", "accounting", "depth", "epochs", "hidden"}),
    ],
)
def test_there_is_a_list(kind: str, names: set[str], alone: Path) -> None:
    told = called(f"list {kind} --json").json
    assert {one["name"] for one in told} >= names
    assert len(called(f"list {kind}").lines) >= len(told)


def test_runs_are_listed(home: Path, runs: Mapping[str, str]) -> None:
    assert [one["id"] for one in called("list runs --text mine --limit 5 --json").json] == [runs["edges"]]
    assert {one["id"] for one in called("list runs --json").json} >= set(runs.values())
    assert len(called("list runs --limit 1 --json").json) == 1


def test_data_are_looked_at(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(alone))
    assert called("data path").out.strip() == str(alone)
    assert {one["name"] for one in called("data list --json").json} >= {*pg.DATASETS}
    assert len(called("data list").lines) >= len(pg.DATASETS)
    told = called("data show karate --json").json
    assert {34, 78} <= {value for value in told.values() if isinstance(value, int)}
    assert called("data show german").out
    assert called("data check karate --json").json == [{"name": "karate", "problem": ""}]
    assert called("data check german", FAILED).err


@pytest.mark.parametrize("kind", ["csv", "parquet", "npy", "graphml"])
def test_a_large_graph_is_added_and_loaded_by_its_name(kind: str, alone: Path, tmp_path: Path) -> None:
    files = " ".join(str(path) for path in large_made_here.write(tmp_path, kind))
    told = called(f"data add {files} --title Payments --directed --json").json
    assert (told["nodes"], told["before"]) == (large_made_here.NODES, False)
    assert pg.load(told["name"]).num_nodes == large_made_here.NODES
    again = called(f"data add {files} --directed --describe label=label")
    assert again.out.strip() == told["name"]


def test_the_examples_are_listed_and_one_of_its_runs_is_told(alone: Path) -> None:
    chapters = called("examples --json").json
    assert sum(map(len, chapters.values())) > 1000
    run = chapters["social"][0]
    assert run in called("examples").out
    told = called(f"examples {run} --json").json
    assert told["run"] == run
    assert 0 <= told["kept"]["test_accuracy"] <= 1
    assert run in called(f"examples {run}").out


@pytest.mark.long
def test_an_example_is_run_again(alone: Path) -> None:
    run = next(one for one in called("examples --json").json["social"] if one.startswith("example/mlp-"))
    told = called(f"examples {run} --again --json").json
    assert told["again"]["test_accuracy"] == pytest.approx(told["kept"]["test_accuracy"], abs=0.05)
    assert told["again"]["sound_epsilon"] == told["kept"]["sound_epsilon"]


# What noise costs


def test_noise_is_accounted_without_data(alone: Path) -> None:
    sizes = "--nodes 2000 --edges 20000 --train-nodes 1000 --features 10 --classes 3"
    line = "account progap {sizes} --unit edge --delta 1e-5 --set depth=2 --epsilon {epsilon} --accounting {how} --json"
    sound = called(line, sizes=sizes, epsilon=1, how="sound").json
    published = called(line, sizes=sizes, epsilon=1, how="published").json
    facts = {"nodes": 2000, "edges": 20000, "train_nodes": 1000, "features": 10, "classes": 3, "undirected": True}
    assert facts.items() <= sound["facts"].items()
    assert 0.99 < sound["epsilon"] <= 1 < published["epsilon"]
    assert 0.99 < published["epsilon_as_published"] <= 1
    (name,) = sound["noise"]
    more = called(line, sizes=sizes, epsilon=8, how="sound").json["noise"][name]
    directed = called(line, sizes=f"{sizes} --directed", epsilon=1, how="sound").json["noise"][name]
    assert max(more, directed, published["noise"][name]) < sound["noise"][name]
    assert called("account progap --nodes 4425 --edges 162995 --unit node --epsilon 8").out


def test_sizes_are_taken_from_data(alone: Path) -> None:
    told = called("account gap --unit edge --data social --data-set nodes=500 --data-set degree=8 --json").json
    assert (told["facts"]["nodes"], told["facts"]["edges"]) == (500, 2000)
    assert called("account gnn --data cora --json").json["epsilon"] == "inf"


TUNED = "tune gap --data karate --unit edge --set epochs=3"
ALL_OF_A_TUNING = "--delta 1e-4 --accounting sound --seed 1 --split random --device cpu"


@pytest.mark.parametrize(
    "line",
    [
        f"{TUNED} --over depth=1,2 --epsilon 4 {ALL_OF_A_TUNING}",
        f"{TUNED} --over depth=1,2 --epsilon 4 --law logarithmic --trials 10",
        f"{TUNED} --over depth=1,2 --epsilon 4 --law negative-binomial --shape 2",
        f"{TUNED} --over depth=1,2 --epsilon 4 --law poisson",
        f"{TUNED} --over depth=1,2 --epsilon 4 --law fixed --trials 5 --sampler tpe",
        f"tune gap --data social {SMALL} --unit edge --over depth=1,2 --over hidden=8,16 --epsilon 4",
        "tune dp-mlp --data karate --over learning_rate=0.01,0.1 --epsilon 4 --score-noise 5",
        f"{TUNED} --accuracy 0.8 --lowest 0.5 --highest 4 --steps 3",
    ],
)
def test_what_a_tuning_costs_is_told_and_nothing_is_trained(line: str, home: Path) -> None:
    before = pg.open_store(home).count()
    told = called(f"{line} --price --json").json
    assert told["epsilon"] > 0
    assert "accuracy" in line or told["epsilon"] <= 4
    assert pg.open_store(home).count() == before


@pytest.mark.long
def test_options_are_chosen_and_the_release_holds_the_price(home: Path) -> None:
    told = called(f"{TUNED} --over depth=1,2 --epsilon 3 --law fixed --trials 2 --json").json
    assert told["released"]["privacy"]["epsilon"] == told["terms"]["epsilon"] <= 3
    rows = {one["id"]: one["tuning"] for one in called("list runs --json").json}
    assert rows[told["released"]["run"]]
    unreached = TUNED.replace("karate", "social")  # chance puts no 200 validation nodes right
    called(f"{unreached} --accuracy 0.999 --lowest 0.1 --highest 0.2 --steps 2", FAILED)


def test_the_methods_that_fit_a_graph_are_compared(home: Path) -> None:
    line = f"compare social --unit edge --epsilons 2 --seeds 1 --methods gap {SMALL}"
    told = called(f"{line} --json").json
    assert {one["method"] for one in told["rows"]} >= {"gap"}
    assert all(one["epsilon"] <= 2 for one in told["rows"] if one["unit"] == "edge")
    assert all(pg.open_store(home).get(run).state == "done" for run in told["runs"])
    assert len(called(line).lines) > len(told["rows"])


# Audits and attacks


@pytest.mark.parametrize(
    ("name", "words", "trials"),
    [("mechanism", "--trials 400", 400), pytest.param("white-box", "--canaries 20", 20, marks=pytest.mark.long)],
)
def test_a_run_is_audited(name: str, words: str, trials: int, home: Path, runs: Mapping[str, str]) -> None:
    run = runs["nodes"]
    told = called(f"audit {run} --audit {name} {words} --confidence 0.9 --delta 1e-3 --seed 2 --json").json
    assert (told["run"], told["audit"], told["trials"], told["confidence"]) == (run, name, trials, 0.9)
    assert 0 <= told["epsilon"] < 20
    assert name in [one.audit for one in pg.open_store(home).audits(run)]
    assert called("show {run} --json", run=run).json["privacy"]["epsilon_audited"] is not None


def test_a_run_is_attacked(home: Path, runs: Mapping[str, str]) -> None:
    asked = {
        **{"shadows": 14, "targets": 2, "query": "linked", "shots": 3, "online": False, "scaled": False},
        **{"setting": "attack-2", "ordered": True, "by": "influence", "distance": "cosine", "pairs": 50},
        **{"unlinked": "alike", "candidates": 20, "signal": "likeness", "variance": "each", "confidence": 0.9},
        "seed": 2,
    }
    said = {name: {False: "no", True: "yes"}.get(value, value) for name, value in asked.items()}  # type: ignore[call-overload]
    run = runs["nodes"]
    told = called(f"attack {run} rmia {' '.join(f'--{name} {value}' for name, value in said.items())} --json").json
    assert (told["run"], told["attack"], told["models"]) == (run, "rmia", 16)
    assert told["options"] == asked
    assert 0 <= told["outcome"]["area"] <= 1
    assert [one.attack for one in pg.open_store(home).attacks(run)] == ["rmia"]


# Sweeps, workers, the queue


def test_a_sweep_waits_for_workers_and_is_seen_and_stopped(alone: Path) -> None:
    line = f"sweep gap,progap --data social {SMALL} --unit edge --over epsilon=1,2 --seeds 0-1 --retries 1 --tag night"
    ids = called(f"{line} --detach").lines
    assert len(ids) == 8
    assert len(called("watch --tag night --once").lines) == 8
    (told,) = (Told(DONE, one, "").json for one in called(f"watch {ids[0]} --once --json").lines)
    assert (told["run"], told["state"]) == (ids[0], "queued")
    called(f"stop {ids[0]}")
    called("stop --tag night")
    assert set(pg.open_store(alone).states(ids).values()) == {"stopped"}
    called("watch --tag night", FAILED)


def test_a_sweep_is_trained_and_told_run_by_run(home: Path) -> None:
    options = "--split random --device cpu --on local --workers 1 --cpus 1 --gpus 0 --memory 8GB --minutes 5"
    line = f"sweep mlp --data karate --unit edge --epsilon 1 --delta 1e-4 --accounting sound --set epochs=3 {options}"
    told = called(f"{line} --seeds 0,2 --json")
    rows = [Told(DONE, one, "").json for one in told.lines]
    assert [(one["state"], one["seed"]) for one in rows] == [("done", 0), ("done", 2)]
    assert len(called(f"{line} --seeds 0,2").lines) >= 2


@pytest.mark.long
def test_a_worker_ends_when_nothing_is_left(alone: Path) -> None:
    (run,) = called("sweep mlp --data karate --set epochs=3 --detach").lines
    LINES.append(["worker", "--forever"])
    LINES.append(words := ["worker", "--idle=0", "--device=cpu", "--memory=8GB", "--fetch"])
    assert subprocess.run([*here.shell(), *words], check=False, capture_output=True, timeout=120).returncode == DONE
    assert pg.open_store(alone).get(run).state == "done"


def test_keys_of_two_homes_are_told_apart(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = called("key").out.split()
    called("sweep mlp --data karate --detach")
    assert called("key").out.split().count(next(one for one in own if re.search(r"\d", one))) == 2
    monkeypatch.setenv("PRIVGRAPH_STORE", f"sqlite:///{alone / 'runs.sqlite'}")
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "other"))
    called("key", FAILED)
    called("key --renew")
    called("key")


# What is wrong


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", USAGE),
        ("rnu mlp", USAGE),
        ("run progab --data karate", USAGE),
        ("run mlp --data karatte", USAGE),
        ("run mlp", USAGE),
        ("run mlp --data karate --epsilon 0", USAGE),
        ("run mlp --data karate --unit person", USAGE),
        ("run mlp --data karate --seed -1", USAGE),
        ("run mlp --data karate --device gpu", USAGE),
        ("run mlp --data karate --set epoch=3", USAGE),
        ("run mlp --data karate --data-set nodes=3", USAGE),
        ("list method", USAGE),
        ("list options", USAGE),
        ("list runs --limit 0", USAGE),
        ("show nowhere", USAGE),
        ("export nowhere", USAGE),
        ("report nowhere", USAGE),
        ("data show", USAGE),
        ("data add", USAGE),
        ("account progap --nodes 10 --edges 46", USAGE),
        ("account mlp --data-set nodes=50", USAGE),
        ("audit nowhere", USAGE),
        ("attack nowhere", USAGE),
        ("examples --again", USAGE),
        ("examples nowhere", USAGE),
        ("compare social --unit person", USAGE),
        ("compare social --unit edge --epsilons -1", USAGE),
        ("tune gap --data karate --epsilon 2", USAGE),
        ("tune gap --data karate --over depth=1,2 --epsilon 2 --sampler tpe", USAGE),
        ("tune gap --data karate --over depth=1,2 --epsilon 2 --law uniform", USAGE),
        ("sweep mlp --data karate --on moon", USAGE),
        ("sweep mlp --data karate --seeds x", USAGE),
        ("sweep mlp --data karate --on slurm --detach", FAILED),
        ("worker --device gpu", USAGE),
        ("worker --memory lots", USAGE),
        ("watch --tag nothing", USAGE),
        ("stop", USAGE),
        ("app --port x", USAGE),
        ("app --port 70000 --no-browser", USAGE),
        ("app --host 0.0.0.0 --no-browser", USAGE),
    ],
)
def test_what_is_called_wrongly_ends_with_its_code_and_one_line(line: str, code: int, alone: Path) -> None:
    told = called(line, code)
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert pg.open_store(alone).count() == 0


@pytest.mark.parametrize("name", ["PRIVGRAPH_TOKEN", "PRIVGRAPH_PROXY_SECRET"])
def test_the_app_takes_no_short_secret(name: str, alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "short")
    assert called("app --no-browser", USAGE).out == ""


@pytest.mark.long
def test_every_option_of_every_help_was_called(alone: Path, request: pytest.FixtureRequest) -> None:
    """An option that is new has no row yet."""
    ran = {item.name.partition("[")[0] for item in request.session.items if item.path == Path(__file__)}
    if ran != {name for name in globals() if name.startswith("test_")}:
        pytest.skip("not all of this file is run")
    known = re.search(r"^(?: {4}\w+ .*\n(?: {5,}.*\n)*)+", called("--help").out, re.M)
    assert known is not None
    commands = re.findall(r"^ {4}(\w+) ", known[0], re.M)
    assert len(commands) >= 18
    for command in commands:
        offered = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", called(f"{command} --help").out.partition("\n\n")[0])}
        words = {word.partition("=")[0] for line in LINES if line and line[0] == command for word in line}
        assert offered - EXCLUDED <= words, command
