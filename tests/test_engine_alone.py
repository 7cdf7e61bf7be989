"""The engine installs and works without a browser's libraries, and says what to install for the rest."""

import inspect
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BLOCKED = (
    "IPython",
    "ipykernel",
    "jupyter_core",
    "jupyterlab",
    "matplotlib",
    "plotly",
    "starlette",
    "streamlit",
    "uvicorn",
)
BLOCKER = f"""
    import sys

    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {BLOCKED}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

    sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes that are started, workers among them, nothing of the extras can be imported."""
    (tmp_path / "sitecustomize.py").write_text(inspect.cleandoc(BLOCKER))
    there = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(there))
    monkeypatch.setenv("PRIVGRAPH_WORKERS", "1")


def process(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of Python with these words."""
    done = subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout, done.stderr


def python(code: str) -> str:
    """What a process of its own prints."""
    returned, out, said = process("-c", inspect.cleandoc(code))
    assert returned == 0, said
    return out


def command(*words: str) -> tuple[int, str, str]:
    return process("-m", "privgraph_workbench.cli", *words)


@pytest.mark.usefixtures("without")
@pytest.mark.long
def test_every_module_of_the_engine_is_imported() -> None:
    output = python(
        """
        import importlib, pkgutil
        import privgraph
        found = [one.name for one in pkgutil.walk_packages(privgraph.__path__, "privgraph.")]
        for name in found:
            importlib.import_module(name)
        print(len(found))
        """
    )
    assert int(output) > 150


@pytest.mark.long
@pytest.mark.usefixtures("without")
def test_the_engine_trains_a_run_and_names_the_extra_for_its_figures() -> None:
    output = python(
        """
        import privgraph as pg
        run = pg.run("progap", on="social", data_options={"nodes": 200}, epochs=2, hidden=8, epsilon=1.0)
        print(run.record.state, 0.99 < run.epsilon <= 1)
        try:
            pg.figures.tradeoff([run])
        except ImportError as error:
            print(error)
        """
    )
    state, sentence = output.splitlines()
    assert state == "done True"
    assert sentence == "figures need the extra app, for plotly is missing: pip install 'privgraph[app]'"


@pytest.mark.usefixtures("without")
@pytest.mark.long
def test_the_command_line_works_and_names_the_extra_for_the_app() -> None:
    code, out, _ = command("--help")
    assert code == 0
    assert "pip install 'privgraph[app]'" in " ".join(out.split())
    options = ("--data", "karate", "--set", "epochs=2", "--set", "hidden=8", "--json")
    assert command("run", "progap", *options)[0] == 0
    assert command("list", "runs")[0] == 0
    for words in (("app", "--no-browser"), ("export", "progap", "--format", "csv")):
        code, out, said = command(*words)
        assert (code, out) == (1, "")
        (line,) = said.splitlines()
        assert line.startswith("privgraph: this needs ")
        assert line.endswith(", which comes with the extra app: pip install 'privgraph[app]'")


def names(requirements: list[str]) -> set[str]:
    return {one.partition("[")[0].split(">")[0].split("=")[0].strip() for one in requirements}


def test_the_base_is_the_engine() -> None:
    assert not names(PROJECT["dependencies"]) & {"streamlit", "plotly", "matplotlib", "jupyterlab"}
    extras = PROJECT["optional-dependencies"]
    assert names(extras["app"]) == {"streamlit", "plotly", "matplotlib", "jinja2", "pybtex", "typst"}
    assert "jupyterlab" in names(extras["notebooks"])
    assert {"privgraph[app,docs,excel,notebooks,postgres,ray,remote,slurm,text,tune]"} <= set(extras["test"])
    assert not names(PROJECT["dependencies"]) & names(extras["text"]), "language models are an extra"
    assert {"privgraph[app,notebooks]"} <= set(extras["docs"]), "the site executes the notebooks"


def test_who_imports_what_streamlit_has_for_itself_names_a_last_version() -> None:
    private = ("streamlit.components.v2.", "streamlit.runtime", "streamlit.elements")
    pages = [*(ROOT / "workbench").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    importing = [path.name for path in pages if any(f"from {name}" in path.read_text() for name in private)]
    (wanted,) = [one for one in PROJECT["optional-dependencies"]["app"] if one.startswith("streamlit")]
    assert not importing or ",<" in wanted, importing
