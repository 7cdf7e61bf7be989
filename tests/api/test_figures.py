"""Figures by name, drawn by whoever registered them."""

import inspect
import pydoc
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import privgraph as pg
from privgraph import figures
from privgraph.runs import examples
from privgraph.runs.records import RunQuery
from privgraph_workbench.figures import catalogue, figure_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def runs() -> list[pg.Run]:
    """Two examples that nobody has audited."""
    store = examples.open_store()
    query = RunQuery(methods=("progap",), datasets=("social",), units=("edge",))
    found = [pg.Run(one, store) for one in store.find(query)]
    return [one for one in found if not one.audits][:2]


def test_the_project_registers_its_figures() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for place in project["entry-points"][figures.GROUP].values():
        drawer = import_module(place)
        assert set(drawer.names()) == set(catalogue())
    assert set(figures.names()) == set(catalogue()) <= set(dir(figures))


@cache
def documentation() -> str:
    return pydoc.render_doc(figures, renderer=pydoc.plaintext).partition("\nDATA\n")[2]


@pytest.mark.parametrize("name", catalogue())
def test_every_figure_says_what_it_needs(name: str) -> None:
    """In its repr, and in the documentation of the module, together with the columns of its rows."""
    drawn: Any = getattr(figures, name)
    assert (drawn.name, drawn.title) == (name, catalogue()[name].title)
    assert repr(drawn) == f"<figure {name}: {catalogue()[name].title}; needs {drawn.needs}>"
    required = [
        one.name
        for one in inspect.signature(figure_of(name).make).parameters.values()
        if one.default is inspect.Parameter.empty
    ]
    if drawn.reads:
        assert "privgraph.Run" in drawn.needs
        assert ("place" in required) == ("place" in drawn.needs)
    else:
        assert drawn.needs.startswith(", ".join(required) or "nothing")
    shown = documentation()
    place = shown.index(f"\n    {name} = <figure {name}: ")
    assert f"It needs {drawn.needs}." in shown[place : place + 500]
    told = inspect.cleandoc(figure_of(name).make.__doc__ or "").splitlines()[0]
    assert f"Rows: {told}" in shown[place : place + 800]
    assert inspect.getdoc(type(drawn)) != drawn.__doc__


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda runs: pg.figures.tradeof, AttributeError, r"did you mean tradeoff\?"),
        (lambda runs: pg.figures.curves(runs), pg.OptionError, r"of one run \(got 2\)"),
        (lambda runs: pg.figures.curves(None), pg.OptionError, r"curves needs one privgraph.Run, or its .*got None"),
        (lambda runs: pg.figures.tradeoff(), pg.OptionError, r"tradeoff needs runs: a list of privgraph\.Run, or one"),
        (lambda runs: pg.figures.tradeoff("x"), pg.OptionError, r"tradeoff needs runs: .*\(got x\)"),
        (lambda runs: pg.figures.tradeoff([runs[0].spec]), pg.OptionError, r"needs runs: .*\(got RunSpec\(progap"),
        (lambda runs: pg.figures.degrees(), pg.OptionError, r"degrees needs degrees \(missing a required argument"),
        (lambda runs: pg.figures.degrees([1], bins=2), pg.OptionError, "unexpected keyword argument 'bins'"),
        (lambda runs: pg.figures.answers(runs[0]), pg.OptionError, "kept no answers of teachers: a run of progap"),
        (lambda runs: pg.figures.consensus(runs[0]), pg.OptionError, "kept no teachers: a run of progap"),
        (lambda runs: pg.figures.audit_roc(runs[0]), pg.OptionError, "no audit of"),
        (lambda runs: pg.figures.tradeoff.save("tradeoff.gif", runs), pg.OptionError, "is saved as svg"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_sentence(
    runs: list[pg.Run], call: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call(runs)


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name = "workbench"

        @staticmethod
        def load() -> None:
            raise ModuleNotFoundError("No module named 'plotly'", name="plotly")

    for there in ([Entry()], []):
        figures.drawers.cache_clear()
        monkeypatch.setattr(figures, "entry_points", lambda group, there=there: there)
        with pytest.raises(figures.NoFigures, match=r"pip install 'privgraph\[app\]'"):
            _ = pg.figures.tradeoff
    monkeypatch.undo()
    figures.drawers.cache_clear()
    assert pg.figures.tradeoff.name == "tradeoff"
