"""The command line as other tools use it: JSON keys, sentences, exit codes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.data import large_made_here

from privgraph.data.catalogue import DATASETS
from privgraph.data.large.edges import Adjacency
from privgraph.data.load import load
from privgraph.home import home
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

KEYS = [
    "run",
    "method",
    "dataset",
    "seed",
    "state",
    "metrics",
    "privacy",
    "seconds",
    "peak_memory_mb",
    "device",
    "version",
]
PRIVACY_KEYS = [
    *("unit", "relation", "released", "epsilon", "epsilon_as_published", "epsilon_audited", "delta", "accountant"),
    *("assumptions", "data_dependent", "ledger"),
]
SOCIAL = ["--data-set", "nodes=120", "--data-set", "degree=6"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def privgraph(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "privgraph_workbench.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def strict(line: str) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(line, parse_constant=refuse)


def test_a_private_run_and_everything_after_it(tmp_path: Path) -> None:
    arguments = ["run", "progap", "--data", "social", *SOCIAL, "--unit", "edge", "--epsilon", "2", "--seed", "3"]
    arguments += ["--set", "epochs=5", "--tag", "from a test", "--json"]
    ran = privgraph(*arguments)
    assert ran.returncode == 0, ran.stderr
    summary = strict(ran.stdout.splitlines()[-1])
    assert list(summary) == KEYS
    assert list(summary["privacy"])[: len(PRIVACY_KEYS)] == PRIVACY_KEYS
    assert (summary["method"], summary["dataset"], summary["seed"], summary["state"]) == ("progap", "social", 3, "done")
    assert 0 <= summary["metrics"]["test_accuracy"] <= 1
    assert summary["device"] == "cpu"
    assert summary["seconds"] > 0
    assert summary["peak_memory_mb"] > 0
    assert summary["privacy"]["unit"] == "edge"
    assert 1.9 < summary["privacy"]["epsilon"] <= 2
    assert summary["privacy"]["epsilon_as_published"] < summary["privacy"]["epsilon"]
    assert summary["privacy"]["epsilon_audited"] is None
    assert summary["privacy"]["ledger"]

    # The same run again is opened, not trained.
    again = privgraph(*arguments)
    assert again.returncode == 0
    assert strict(again.stdout.splitlines()[-1]) == summary
    assert "stored result" in again.stderr
    store = RunStore.open()
    assert store.count() == 1
    assert store.get(summary["run"]).tags == ("from a test",)
    assert store.get(summary["run"]).attempt == 1

    shown = privgraph("show", summary["run"][:20], "--log")
    assert shown.returncode == 0
    assert "Sound epsilon: " in shown.stdout
    assert "Protected: a single edge." in shown.stdout
    assert "\nLog\nworker " in shown.stdout
    assert strict(privgraph("show", summary["run"], "--json").stdout.splitlines()[-1]) == summary

    out = tmp_path / "exported"
    formats = [part for name in ("json", "csv", "md", "svg", "pdf", "png") for part in ("--format", name)]
    exported = privgraph("export", summary["run"], "--out", str(out), *formats)
    assert exported.returncode == 0, exported.stderr
    paths = [Path(line) for line in exported.stdout.splitlines()]
    assert sorted(paths) == sorted(out.iterdir())
    record = strict((out / f"{summary['run']}.json").read_text())
    assert {key: record[key] for key in KEYS} == summary
    assert [event["kind"] for event in record["events"]][-1] == "result"
    report = (out / f"{summary['run']}.md").read_text()
    assert "## Privacy statement\n- Protected: a single edge." in report
    curves = (out / f"{summary['run']}-curves.csv").read_text()
    assert "#" not in curves
    stated = (out / f"{summary['run']}-curves.txt").read_text()
    assert f"\n{summary['run']}\n" in stated
    assert "Protected: a single edge." in stated
    assert '{"version"' not in stated, "the words alone: JSON is a format of its own"
    assert ElementTree.parse(out / f"{summary['run']}-curves.svg").getroot().tag.endswith("svg")
    assert (out / f"{summary['run']}-curves.pdf").read_bytes().startswith(b"%PDF")
    assert (out / f"{summary['run']}-curves.png").read_bytes().startswith(b"\x89PNG")

    listed = strict(privgraph("list", "runs", "--text", "from a test", "--json").stdout)
    assert [row["id"] for row in listed] == [summary["run"]]


@pytest.mark.long
def test_a_run_that_fails_says_why_and_exits_with_1(tmp_path: Path) -> None:
    nowhere = {**os.environ, "PRIVGRAPH_DATA": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    ran = privgraph("run", "mlp", "--data", "german", "--json", env=nowhere)
    assert ran.returncode == 1
    summary = strict(ran.stdout.splitlines()[-1])
    assert list(summary) == KEYS
    assert (summary["state"], summary["metrics"]) == ("failed", {})
    assert list(summary["privacy"]) == PRIVACY_KEYS
    assert set(summary["privacy"].values()) == {None}
    assert "german.csv" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.long
def test_ctrl_c_stops_the_run_and_the_bar_is_drawn() -> None:
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    drawn: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(terminal, drawn))
    reader.start()
    command = [sys.executable, "-m", "privgraph_workbench.cli", "run", "gnn", "--data", "digits"]
    command += ["--set", "epochs=5000", "--json"]
    # a shell's background job ignores Ctrl-C, and so would its children: a person's terminal does not
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    store = RunStore.open()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, text=True, preexec_fn=listening) as process:
        os.close(other)
        try:
            deadline = time.monotonic() + 100
            while not any(record.progress > 0 for record in store.find(RunQuery(states=("running",)))):
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.1)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    reader.join()
    bar = b"".join(drawn).decode()
    assert process.returncode == 130
    summary = strict(output.splitlines()[-1])
    assert summary["state"] == "stopped"
    assert summary["privacy"]["epsilon"] == "inf"
    assert store.get(summary["run"]).state == "stopped"
    assert store.events(summary["run"], kinds=["metric"])
    assert re.search(r"training \|.*\|  [ 0-9]\d% \[\d\d:\d\d", bar)
    assert " s left]" in bar
    assert "stopping gnn-digits-" in bar


def _read_all(terminal: int, found: list[bytes]) -> None:
    """What a process draws on its terminal, until it ends (which Linux tells as an input error)."""
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 2**16):
            found.append(piece)
    os.close(terminal)


def usage(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The sentence that bad usage gets; nothing is printed beside it, and no run is stored."""
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("privgraph: ")
    return said.err.removeprefix("privgraph: ").strip()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "say what to do: one of app, run"),
        ("rnu mlp", "there is no command rnu; .*did you mean run"),
        ("run progab --data karate", "there is no method progab; .*did you mean progap"),
        ("run mlp --data karatte", "there is no data set karatte; did you mean karate"),
        ("run mlp", "the following arguments are required: --data"),
        ("run mlp --data karate --epsilon 0", "epsilon must be at least 0.01 .got 0"),
        ("run mlp --data karate --epsilon 1e9", "epsilon must be at most 1000 .got 1e9"),
        ("run mlp --data karate --epsilon much", "epsilon must be a number .got much"),
        ("run mlp --data karate --epsilon nan", "epsilon must be a number .got nan"),
        ("run mlp --data karate --delta 2", "delta must be at most 0.1 .got 2"),
        ("run mlp --data karate --unit egde", "unit must be one of .*did you mean edge"),
        ("run mlp --data karate --accounting publishd", "accounting must be one of .*did you mean published"),
        ("run mlp --data karate --seed x", "seed must be a whole number .got x"),
        ("run mlp --data karate --seed -1", "seed must be at least 0 .got -1"),
        ("run mlp --data karate --seed 99999999999", "seed must be a whole number from 0 to"),
        ("run mlp --data karate --device gpu", "device must be one of auto, cpu, cuda"),
        ("run mlp --data karate --split publik", "split must be one of"),
        ("run mlp --data karate --set epochs", "--set takes KEY=VALUE .got epochs"),
        ("run mlp --data karate --set epoch=3", "there is no option epoch; .*did you mean epochs"),
        ("run mlp --data karate --set epochs=2.5", "epochs must be a whole number .got 2.5"),
        (
            "run mlp --data karate --epochs 3",
            "has no flag --epochs; an option of the method is given as --set epochs=VALUE",
        ),
        ("run mlp --data karate --epsilonn 3", "has no flag --epsilonn; did you mean --epsilon"),
        ("run mlp --data karate more", "does not know what to do with more"),
        ("run mlp --data karate --data-set nodes=3", "has no options of its own"),
        ("run mlp --data social --data-set nodes=3", "nodes must be at least 20"),
        ("list method", "there is no list of method; .*did you mean methods"),
        ("list defences", "there is no list of defences; lists are methods, options, datasets, attacks, audits, runs"),
        ("list options", "list options needs the name of a method .see: privgraph list methods"),
        ("list options progp", "there is no method progp; .*did you mean progap"),
        ("list options progap gap", "privgraph list does not know what to do with gap"),
        ("list methods progap", "privgraph list methods does not know what to do with progap"),
        ("list runs --limit 0", "limit must be at least 1"),
        ("show no-such-run", "there is no run no-such-run"),
        ("export no-such-run", "there is no run no-such-run"),
        ("export x --format svgg", "format must be one of .*did you mean svg"),
        ("data shw", "takes one of list, show, check, path, add .*did you mean show"),
        ("data show", "needs the name of a data set"),
        ("data show karat", "did you mean karate"),
        ("data show karate cora", "privgraph data show takes no cora"),
        ("data list karate", "privgraph data list takes no karate"),
        ("data add", "data add needs files"),
        ("data show karate --directed", "--title and --directed belong to privgraph data add"),
        ("account progap --nodes many", "nodes must be a whole number .got many"),
        ("account progap --nodes 10 --edges 46", "edges must be at most the number of pairs of 10 nodes"),
        ("account progap --nodes 10 --edges 5 --train-nodes 11", "train-nodes must be at most 10"),
        ("account mlp --data-set nodes=50", "--data-set needs --data"),
        ("account relational --data karate", "is for relation prediction, not for node classification"),
        ("app --port x", "invalid int value"),
    ],
)
def test_bad_usage_gets_one_sentence(capsys: pytest.CaptureFixture[str], line: str, sentence: str) -> None:
    assert re.search(sentence, usage(capsys, *line.split()))
    assert RunStore.open().count() == 0


def account(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["account", *arguments, "--json"]) == 0
    told: dict[str, Any] = strict(capsys.readouterr().out.splitlines()[-1])
    return told


@pytest.mark.long
def test_an_account_needs_no_data(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--nodes", "2000", "--edges", "20000"]
    sound = account(capsys, "progap", *sizes, "--epsilon", "1")
    published = account(capsys, "progap", *sizes, "--epsilon", "1", "--accounting", "published")
    assert sound["facts"] == {
        "nodes": 2000, "edges": 20000, "entries": 40000, "features": 100, "classes": 10, "train_nodes": 1500,
        "undirected": True, "domains": ["one half", "other half"], "entities": [1000, 1000],
        "relations": [10000, 10000],
    }  # fmt: skip
    assert 0.99 < sound["epsilon"] <= 1
    assert 0.99 < published["epsilon_as_published"] <= 1
    assert published["epsilon"] > 1
    (name,) = sound["noise"]
    assert published["noise"][name] < sound["noise"][name]
    assert sound["delta"] == 1e-5
    assert [key for key in sound if key in PRIVACY_KEYS] == PRIVACY_KEYS
    # More budget, less noise; a directed edge is one entry, and needs less noise than a friendship.
    assert account(capsys, "progap", *sizes, "--epsilon", "8")["noise"][name] < sound["noise"][name]
    assert account(capsys, "progap", *sizes, "--epsilon", "1", "--directed")["noise"][name] < sound["noise"][name]
    social = account(capsys, "progap", "--data", "social", "--data-set", "nodes=500", "--data-set", "degree=8")
    assert (social["facts"]["nodes"], social["facts"]["edges"]) == (500, 2000)
    products = account(capsys, "relational", "--data", "products", "--data-set", "products=101", "--epsilon", "1")
    read = replace(load("products", data_options={"products": 101}).facts, domains=("one half", "other half"))
    assert json.dumps(products["facts"]) == json.dumps(asdict(read))
    assert 0.9 < products["epsilon"] <= 1
    assert 3.9 < account(capsys, "relational", *sizes, "--epsilon", "4")["epsilon"] <= 4
    cora = account(capsys, "mlp", "--data", "cora")
    assert (cora["facts"]["nodes"], cora["epsilon"]) == (2708, 0)
    assert account(capsys, "gnn")["epsilon"] == "inf"
    assert main(["account", "progap", *sizes]) == 0
    text = capsys.readouterr().out
    assert "Noise aggregation std: " in text
    assert "Sound epsilon: " in text


def test_data_says_what_is_at_hand(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    assert main(["data", "path"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path)
    assert main(["data", "check", "karate"]) == 0
    assert capsys.readouterr().out == "karate: fine\n"
    assert main(["data", "check", "german"]) == 1
    assert "german.csv" in capsys.readouterr().err
    assert main(["data", "show", "german"]) == 0
    assert "german.csv" in capsys.readouterr().out
    for path, digest in DATASETS["cora"].files:
        assert digest
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("something else")
    assert main(["data", "check", "cora"]) == 1
    assert "its checksum differs" in capsys.readouterr().err
    assert main(["data", "check", "karate", "--json"]) == 0
    assert strict(capsys.readouterr().out) == [{"name": "karate", "problem": ""}]


@pytest.mark.long
def test_a_large_graph_is_added_and_chosen_by_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [str(path) for path in large_made_here.write(tmp_path, "csv")]
    assert main(["data", "add", *files, "--title", "People who pay each other", "--directed"]) == 0
    said = capsys.readouterr()
    name = said.out.strip()
    assert re.fullmatch("upload:[0-9a-f]{16}", name)
    assert "400 nodes and" in said.err
    assert "Every edge is read as directed, from source to target.\n" in said.err
    assert main(["data", "add", *files, "--directed", "--json"]) == 0
    again = strict(capsys.readouterr().out)
    assert (again["name"], again["before"], again["nodes"]) == (name, True, 400)
    assert main(["data", "show", name]) == 0
    assert "People who pay each other" in capsys.readouterr().out
    assert main(["list", "datasets"]) == 0
    assert name in capsys.readouterr().out
    ran = privgraph("run", "gap", "--data", name, "--unit", "edge", "--epsilon", "1", "--set", "epochs=2", "--json")
    assert ran.returncode == 0, ran.stderr
    summary = strict(ran.stdout.splitlines()[-1])
    assert (summary["dataset"], summary["state"]) == (name, "done")
    assert "directed" in summary["privacy"]["relation"]
    Path(files[0]).write_text("source,target\n")
    Path(files[1]).write_text("id,label\n")
    assert main(["data", "add", *files]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert (
        said.err.rpartition("\r")[2]
        == "privgraph: The nodes have no feature column besides id and label, and at least one is needed\n"
    )


def test_a_graph_that_is_not_added_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    files = [str(path) for path in large_made_here.write(tmp_path, "csv")]
    monkeypatch.setattr(Adjacency, "write", interrupted)
    assert main(["data", "add", *files]) == 130
    assert capsys.readouterr().err.endswith("privgraph: stopped; nothing of the graph was kept\n")
    assert list(home().glob("cache/large/*")) == []


def test_the_real_files_are_those_that_were_pinned(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "check", "fb100-reed98"]) == 0
    assert capsys.readouterr().out == "fb100-reed98: fine\n"


def test_a_store_that_cannot_be_used_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for url, sentence in (
        ("mysql://here/runs", "must be SQLite or PostgreSQL (got mysql)"),
        ("nonsense", "must be a database URL"),
        ("postgresql+psycopg://me:secret@127.0.0.1:9/runs", "does not answer"),
    ):
        monkeypatch.setenv("PRIVGRAPH_STORE", url)
        assert main(["list", "runs"]) == 1
        said = capsys.readouterr().err
        assert sentence in said
        assert "secret" not in said
        assert said.count("\n") == 1


@pytest.mark.long
def test_no_command_that_trains_nothing_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from privgraph_workbench.cli import main; assert main(sys.argv[1:]) == 0; "
        "assert not {'torch', 'streamlit', 'plotly', 'matplotlib'} & set(sys.modules), 'slow imports'"
    )
    for line in ("list datasets", "list methods", "list runs", "account progap", "data list"):
        ran = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_error() -> None:
    ran = subprocess.run(
        f"{sys.executable} -m privgraph_workbench.cli list datasets --json | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert ran.stderr == ""


def test_help_is_printed() -> None:
    ran = privgraph("run", "--help")
    assert ran.returncode == 0
    assert "--data-set KEY=VALUE" in ran.stdout
    assert "Exit codes: 0 done" in ran.stdout
