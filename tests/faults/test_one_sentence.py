"""The command line and what it rests on: whatever is wrong outside, one sentence and an exit code, never a
traceback."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.pages.kept_runs import KARATE

from privgraph.options import OptionError, build
from privgraph.registry import METHODS, method
from privgraph_workbench.cli import main
from privgraph_workbench.serving import launcher
from privgraph_workbench.serving.server import Gate

LONG = "x" * 10_000


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert printed.err.startswith("privgraph: ")
    assert printed.err.count("\n") == 1
    assert len(printed.err) < 1000
    return printed.err


@pytest.mark.parametrize(
    ("command", "where"), [(["list", "runs"], "file"), (["list", "datasets"], "file/below"), (["audit", "a"], "file")]
)
def test_a_home_that_cannot_be_made(
    command: list[str], where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / where))
    assert main(command) == 1
    assert str(tmp_path) in refused(capsys)


def test_a_driver_that_is_not_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("PRIVGRAPH_STORE", "postgresql+psycopg://team@127.0.0.1/x")
    assert main(["list", "runs"]) == 1
    assert "install privgraph[postgres]" in refused(capsys)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "gnn", "--data", "karate", "--set", f"epochs={LONG}"],
        ["run", "gnn", "--data", "karate", "--set", f"{LONG}=1"],
        ["run", LONG, "--data", "karate"],
        ["account", "gap", "--unit", "edge", "--epsilon", LONG],
        ["show", LONG],
        [LONG],
    ],
)
def test_no_error_repeats_a_long_value(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) in (1, 2)
    assert "x" * 200 not in refused(capsys)


@pytest.mark.parametrize("name", METHODS)
def test_the_smallest_numbers_of_floats_are_refused_or_accounted(name: str) -> None:
    config = method(name).load_config()
    fields = {"delta": 5e-324}, {"delta": 1e-308}, {"lam": 5e-324}, {"lam": 1e-308}, {"lam": 1e-9}, {"epsilon": 5e-324}
    for unit in METHODS[name].units:
        for values in fields:
            with suppress(OptionError):
                assert build(config, {"unit": unit, **values}).plan(KARATE).statement.epsilon >= 0


def test_an_origin_that_is_no_address_is_refused() -> None:
    gate = Gate(lambda *_: None)  # type: ignore[arg-type, return-value]
    headers = {"host": "localhost:8501"}
    assert gate.refuses(headers) is None
    for origin in ("http://[", "http://[::1", "]", ""):
        assert gate.refuses({**headers, "origin": origin}) == "Requests from another origin are refused."


def test_the_beginning_of_a_proxys_secret_is_not_the_secret() -> None:
    secret = "a secret of a proxy, long enough"
    gate = Gate(lambda *_: None, secret=secret)  # type: ignore[arg-type, return-value]
    for given in ("", secret[:1], secret[:-1], secret + "!", secret.upper()):
        assert gate.refuses({"host": "localhost:8501", "x-privgraph-proxy": given}) is not None
    assert gate.refuses({"host": "localhost:8501", "x-privgraph-proxy": secret}) is None


def test_the_browser_is_shown_no_traceback() -> None:
    assert launcher.settings("127.0.0.1", 8501)["client.showErrorDetails"] == "none"
