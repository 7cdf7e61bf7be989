"""Figures that were kept before runs of one's own took places of the gallery's: they show the gallery's
still, and others cannot tell whose seeds are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.privacy.statement import NOT_AUDITED
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import advised, expecting
from privgraph_workbench.figures.named_runs import named
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import Asked, Drawn, noises, of_gallery
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.views.parts.kept_file import Kept
from privgraph_workbench.words.naming import statements_of

REACHED = (0.71, 0.73)


def _gallery(home: Path) -> tuple[RunStore, list[RunRecord]]:
    """A store with the gallery, and its runs of three methods on Cora, at edge ε 4 or without noise."""
    home.mkdir()
    expecting._kept.clear()
    store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
    found = store.find(RunQuery(datasets=("cora",), methods=("progap", "gap", "mlp"), limit=3000))
    return store, [
        one for one in found if one.spec.method == "mlp" or (one.spec.unit, one.spec.asked_epsilon) == ("edge", 4.0)
    ]


def _of(runs: Sequence[RunRecord], method: str) -> list[RunRecord]:
    return sorted((one for one in runs if one.spec.method == method), key=lambda one: one.spec.seed)


def _trained(store: RunStore, runs: Sequence[RunRecord], seeds: Sequence[int]) -> list[RunRecord]:
    """ProGAP trained here with these seeds, with noise of another key."""
    like = _of(runs, "progap")[0]
    said = like.own_statement
    assert said is not None
    said = replace(said, assumptions=tuple(one for one in said.assumptions if one != NOISE_IS_PUBLIC), **NOT_AUDITED)
    own = [
        made_runs.finish(store, replace(like.spec, seed=seed), value, said, more={"test_nodes": 406.0})
        for seed, value in zip(seeds, REACHED, strict=False)
    ]
    assert not any(one.gallery for one in own)
    return own


def _kept(runs: Sequence[RunRecord], kind: str) -> Kept:
    rows = {"tradeoff": tradeoff.data, "compare": compare.data}[kind](runs)
    advice = advised.of_runs(runs) if kind == "tradeoff" else ""
    ids = tuple(one.id for one in runs)
    came = tuple(one.id for one in runs if one.gallery)
    return Kept(figure=kind, rows=rows, statements=statements_of(runs), runs=ids, advice=advice, came=came)


def _drawn(store: RunStore, one: Kept) -> Drawn:
    return reporting.drawn(store, one.figure, one.rows, one.statements, one.runs, advice=one.advice, came=one.came)


def _world(home: Path, seeds: Sequence[int], kind: str) -> Any:
    store, runs = _gallery(home)
    kept = _kept(runs, kind)
    own = _trained(store, runs, seeds)
    told = [reporting.told_of(store, one) for one in own]
    asked = Asked(title="Ours", runs=told, figures=[_drawn(store, kept)], share=True, notebook=False)
    found = ready(asked)
    store.close()
    return found


@pytest.mark.parametrize("kind", ["tradeoff", "compare"])
def test_others_cannot_tell_which_of_ones_own_took_a_place(tmp_path: Path, kind: str) -> None:
    worlds = [_world(tmp_path / str(place), seeds, kind) for place, seeds in enumerate(((3, 77), (77, 3), (76, 77)))]
    (first, together), *others = worlds
    for asked, told in others:
        assert first.figures == asked.figures
        assert together == told
    (figure,) = first.figures
    seeds = [row["seeds"] for row in figure.rows if row["method"] == "progap"]
    assert seeds == ([10] if kind == "tradeoff" else []), "none of one's own was in what was kept"


def test_a_kept_figure_of_attacks_on_the_gallery_is_none_of_ones_own_run(tmp_path: Path) -> None:
    """The run that took the place has the id: the attack on the other was told of it."""
    store, runs = _gallery(tmp_path / "a")
    attacked = next(one for one in _of(runs, "progap") if store.attacks(one.id))
    (usual,) = reporting.usual([reporting.told_of(store, attacked)])
    kept = Kept(
        figure=usual.figure, rows=usual.rows, statements=usual.statements, runs=(attacked.id,), came=(attacked.id,)
    )
    (own,) = _trained(store, runs, [attacked.spec.seed])
    assert own.id == attacked.id
    drawn = _drawn(store, kept)
    assert [(one.id, one.gallery) for one in drawn.runs] == [(f"{of_gallery.MARK}{attacked.id}", True)]
    assert set(named(drawn.rows)) <= {f"{of_gallery.MARK}{attacked.id}"}
    assert not drawn.gone
    assert {attack.run for told in drawn.beside for attack in told.attacks} == {f"{of_gallery.MARK}{attacked.id}"}
    told = reporting.told_of(store, own)
    assert not told.attacks
    shared = noises.apart(Asked(title="Ours", runs=[told], figures=[drawn], share=True))
    assert not shared.figures, "whether it can be found would tell that the seeds are equal"
    again = _drawn(store, replace(kept, rows=drawn.rows, runs=tuple(one.id for one in drawn.runs), came=()))
    assert [one.id for one in again.runs] == [one.id for one in drawn.runs], "kept anew"
    store.close()
