"""Whoever watches a run shares one look at the store and one figure, which grows by what is new."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.pages.kept_runs import keep, spec

from privgraph.progress import Metric
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import UnknownRun
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.jobs import watching


@pytest.fixture
def store() -> Iterator[RunStore]:
    opened = RunStore.open()
    yield opened
    opened.close()
    watching._watched.clear()


@pytest.fixture
def run(store: RunStore) -> tuple[str, str]:
    """A run that trains, and its worker."""
    run, worker = store.submit(spec()), new_worker()
    assert store.leases.claim([run], worker) == [run]
    _feed(store, run, worker, 0, 300)
    return run, worker


def _feed(
    store: RunStore, run: str, worker: str, first: int, count: int, name: str = "train_loss", stage: str = ""
) -> None:
    steps = range(first, first + count)
    store.leases.append(
        run, [Metric(name=name, value=1 / (1 + step), step=step, stage=stage) for step in steps], worker
    )


def _whole(drawing: watching.Drawing) -> list[int]:
    """The steps of the first curve, as a browser puts them together."""
    trace = drawing.figure["data"][0]
    return [*trace["x"], *drawing.tail.get(trace["name"], {"x": []})["x"]]


def test_all_who_watch_share_one_look_and_one_figure(
    store: RunStore, run: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = watching.watch(store, run[0])
    drawn = first.drawing("light")
    _feed(store, *run, 300, 1)
    monkeypatch.setattr(watching, "LOOK_EVERY", 3600.0)
    for _ in range(3):
        assert watching.watch(store, run[0]).drawing("light") is drawn
    assert watching.watch(store, run[0], fresh=True).drawing("light") is not drawn
    assert first.drawing("dark").base != first.drawing("light").base


def test_what_is_new_follows_the_figure_until_it_is_as_much(
    store: RunStore, run: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MOST_NEW", 1000)
    bases = set()
    for step in range(300, 800, 50):
        _feed(store, *run, step, 50)
        drawing = watching.watch(store, run[0], fresh=True).drawing("light")
        bases.add(drawing.base)
        assert _whole(drawing) == list(range(step + 50))
    assert len(bases) == 2


@pytest.mark.parametrize("news", [{"name": "val_accuracy"}, {"stage": "stage 1"}])
def test_a_new_curve_or_stage_makes_the_figure_anew(
    store: RunStore, run: tuple[str, str], news: dict[str, str]
) -> None:
    before = watching.watch(store, run[0]).drawing("light")
    _feed(store, *run, 300, 5, **news)
    after = watching.watch(store, run[0], fresh=True).drawing("light")
    assert after.base != before.base
    assert not after.tail


def test_the_figure_of_an_ended_run_is_whole(store: RunStore, run: tuple[str, str]) -> None:
    watching.watch(store, run[0]).drawing("light")
    _feed(store, *run, 300, 5)
    store.leases.finish(*run, Outcome(state="stopped"))
    watched = watching.watch(store, run[0], fresh=True)
    drawing = watched.drawing("light")
    assert not drawing.tail
    assert _whole(drawing) == list(range(305))
    again = new_worker()
    store.retry(run[0])
    assert store.leases.claim([run[0]], again) == [run[0]]
    _feed(store, run[0], again, 0, 20)
    assert _whole(watching.watch(store, run[0], fresh=True).drawing("light")) == list(range(20))


def test_a_run_that_was_deleted_and_made_again_begins_anew(store: RunStore) -> None:
    old = keep(store, spec())
    assert watching.watch(store, old).events
    store.delete(old)
    with pytest.raises(UnknownRun):
        watching.watch(store, old, fresh=True)
    assert store.submit(spec()) == old
    assert not watching.watch(store, old, fresh=True).events


def test_few_runs_are_kept(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_RUNS", 2)
    runs = [store.submit(spec(seed=seed)) for seed in range(4)]
    for run in runs:
        watching.watch(store, run)
    assert [key[1] for key in watching._watched] == runs[2:]


def test_new_points_are_those_that_the_figure_would_have(store: RunStore, run: tuple[str, str]) -> None:
    events = store.events(run[0])
    (trace,) = figure_of("curves").plot(curves.data(events)).data
    ((name, points),) = curves.points(curves.data(events)).items()
    assert (name, points["x"], points["y"]) == (trace.name, list(trace.x), list(trace.y))
    assert points["text"] == list(trace.text)
