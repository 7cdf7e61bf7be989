"""Every figure leaves in its six formats: something is drawn, the numbers can be read, and the privacy
statements of its runs are in it.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from tests.contracts import capabilities_here as here
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble as made_ensemble
from tests.pages.kept_runs import keep, keep_ensemble

import privgraph as pg
from privgraph.methods.gradients.heter_poisson.influence import Influence
from privgraph.runs.questions import Answer, Entity, Near

PATH = [(0, 1), (1, 2)]


@dataclass(frozen=True)
class Examples:
    """Finished runs by what figures need of them: those that came along, and in an `other` store what none of
    these shows."""

    store: Any
    other: Any

    def some(self, count: int, method: str, data: str = "cora", **more: tuple[str, ...]) -> list[pg.Run]:
        return here.examples(self.store, methods=(method,), datasets=(data,), **more)[:count]

    def with_file(self, name: str, method: str) -> pg.Run:
        return next(one for one in self.some(200, method) if (one.folder / name).is_file())

    @cached_property
    def sweep(self) -> list[pg.Run]:
        return self.some(6, "progap", "social", units=("edge",))

    @cached_property
    def attacked(self) -> pg.Run:
        return next(one for one in self.some(200, "gap") if one.attacks and one.attacks[-1].map_nodes)

    @cached_property
    def audited(self) -> pg.Run:
        return next(one for one in self.some(200, "gap") if one.audits)

    @cached_property
    def teachers(self) -> pg.Run:
        return self.with_file("ensemble.npz", "dp-gpl")

    @cached_property
    def answers(self) -> pg.Run:
        return self.with_file("answers.npz", "privgnn")

    @cached_property
    def stopped(self) -> pg.Run:
        run = keep_ensemble(self.other, made_ensemble(limit=0.8), made_answers())
        return pg.Run(self.other.get(run), self.other)

    @cached_property
    def neighbours(self) -> list[pg.Run]:
        pairs = [(trained, asked) for trained in (1, 4) for asked in (1, 13)]
        specs = [pg.spec("heter-poisson", on="karate", neighbours=one, test_neighbours=two) for one, two in pairs]
        return [pg.Run(self.other.get(keep(self.other, one)), self.other) for one in specs]


def nearest() -> Answer:
    """What three texts are to a fourth, before anything was learnt and after."""
    entities = tuple(
        Entity(
            number=at,
            text=f"text {at}",
            partner=at == 1,
            places={"base": at + 1, "own": 3 - at},
            scores={"base": 1 - at / 10, "own": at / 10},
        )
        for at in range(3)
    )
    near = {name: Near(score=0.8, usual=0.7, chance=0.3, nearer=0.1) for name in ("base", "own")}
    return Answer(entities=entities, searched=99, texts=100, text="a text", partners=1, near=near)


def worlds() -> tuple[Any, ...]:
    """A release of a made-up world, that world, and one without a person. Only here a module of the workbench
    is asked."""
    from privgraph_workbench.play import world

    made = world.make_world(60, 0.85)
    return world.published(made, 1.0, 1, 1, np.random.default_rng(0)), made, made.without(3, hint=True)


FIGURES: Mapping[str, Callable[[Examples], tuple[Any, ...]]] = {
    "curves": lambda made: (made.sweep[0],),
    "ledger": lambda made: (made.sweep[0],),
    **dict.fromkeys(("tradeoff", "expected", "standing"), lambda made: (made.sweep,)),
    **dict.fromkeys(("compare", "convergence"), lambda made: (made.sweep[:3],)),
    "depth": lambda made: (made.some(12, "progap", "social", units=("edge",)),),
    "teachers_compared": lambda made: ([*made.some(3, "privgnn"), *made.some(3, "pate"), *made.some(3, "dp-gpl")],),
    "neighbours_heatmap": lambda made: (made.neighbours,),
    **dict.fromkeys(("audit_roc", "audit_scores", "audit_bounds"), lambda made: (made.audited,)),
    **dict.fromkeys(
        ("attack_roc", "attack_areas", "attack_scores", "attack_exposure", "attack_map"), lambda made: (made.attacked,)
    ),
    "answers": lambda made: (made.answers,),
    "one_answer": lambda made: (made.answers, 1),
    "chosen": lambda made: (made.answers, 1),
    **dict.fromkeys(("teacher_epsilons", "budget", "consensus", "teacher_accuracy"), lambda made: (made.teachers,)),
    "stopped": lambda made: (made.stopped,),
    "relation_ranking": lambda made: (
        [*made.some(3, "relational", "products"), *made.some(3, "relation-rand", "products")],
    ),
    "moved": lambda _: (nearest(), {"base": "one", "own": "other"}),
    "price": lambda _: ([(0.1, 0.5, 1.2), (1.0, 9.0, 20.0)], 0.1),
    "cost": lambda _: ([(0.1, 5.0, 4.0), (1.0, 1.0, 0.5)], 1.0, "noise"),
    "entry_costs": lambda _: ([("one", 0.5, 0.7), ("other", 0.6, 0.6)], 1.0),
    "noise_shapes": lambda _: (),
    "terms": lambda _: ([(0.0, 0.0, 0.0, 0.0), (1.0, -2.0, 0.5, 0.1)], 2.0),
    "revealed_scale": lambda _: ([(0.0, 0.5, 0.4, 0.45), (4.0, 0.01, 0.0, 1e-6)],),
    "precision": lambda _: (10, 1e-5, {"one": 2.0}),
    "influence": lambda _: ([Influence("gcn", share, round(10 * share), 0, share) for share in (0.1, 0.5, 0.9)],),
    "degrees": lambda _: ([1, 1, 2, 5, 9],),
    "classes": lambda _: ({"left": 3, "right": 2},),
    "neighbourhood": lambda _: (PATH, [0, 1, 0]),
    "predicted": lambda _: (PATH, {0: 0, 1: 1, 2: 0}, {0: 0, 1: 0}),
    "evidence": lambda _: (np.linspace(-1, 3, 200), np.linspace(-3, 1, 200), 1.0),
    "told_numbers": lambda _: worlds(),
    "friends_tell": lambda _: (0.85, 60),
    "many_releases": lambda _: (0.5, 4),
    "edges_or_people": lambda _: (4.0, 2, 60),
    "many_teachers": lambda _: (2.0, 60),
    "claims_played": lambda _: (1.0, 500),
    **dict.fromkeys(("told_without_noise", "one_number", "one_release"), lambda _: ()),
}
"""What each figure is drawn from."""


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    store, other = here.example_store(), pg.open_store(tmp_path_factory.mktemp("other"))
    yield Examples(store, other)
    store.close()
    other.close()


def stated(subject: Sequence[Any]) -> dict[str, float]:
    """The runs whose statements must leave with a figure of that subject, each with its epsilon."""
    found = [one for part in subject[:1] for one in (part if isinstance(part, list) else [part])]
    return {one.id: one.epsilon for one in found if isinstance(one, pg.Run) and one.statement is not None}


def saved(name: str, kind: str, folder: Path, subject: Sequence[Any]) -> Path:
    path: Path = getattr(pg.figures, name).save(folder / f"{name}.{kind}", *subject)
    return path


def test_every_figure_has_a_row() -> None:
    assert set(pg.figures.names()) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_leaves_as_svg_csv_text_and_json(name: str, examples: Examples, tmp_path: Path) -> None:
    subject = FIGURES[name](examples)
    runs = stated(subject)
    drawn = saved(name, "svg", tmp_path, subject)
    assert len(list(ElementTree.parse(drawn).getroot().iter("{http://www.w3.org/2000/svg}path"))) > 3
    assert all(run in drawn.read_text() for run in runs)
    with saved(name, "csv", tmp_path, subject).open(newline="") as file:
        head, *rows = csv.reader(file)
    assert rows
    assert {len(row) for row in rows} == {len(head)}
    beside = (tmp_path / f"{name}.txt").read_text()
    assert all(run in beside for run in runs)
    record = json.loads(saved(name, "json", tmp_path, subject).read_text())
    assert record["figure"] == name
    assert record["caption"]
    assert isinstance(record["warnings"], dict)
    assert len(record["rows"]) == len(getattr(pg.figures, name).data(*subject)) > 0
    assert set(record["statements"]) == set(runs)
    for run in runs:
        assert float(record["statements"][run]["epsilon"]) == runs[run]


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_leaves_as_pdf_and_png(name: str, examples: Examples, tmp_path: Path) -> None:
    subject = FIGURES[name](examples)
    runs = stated(subject)
    page = saved(name, "pdf", tmp_path, subject).read_bytes()
    assert page.startswith(b"%PDF-")
    assert page.rstrip().endswith(b"%%EOF")
    assert all(run.encode() in page or run.encode("utf-16-be") in page for run in runs)
    with Image.open(saved(name, "png", tmp_path, subject)) as image:
        assert len(image.convert("RGB").getcolors(2**24) or []) > 5
        assert all(any(run in str(held) for held in image.info.values()) for run in runs)


def test_a_figure_is_drawn_and_what_it_cannot_be_drawn_of_is_refused(examples: Examples, tmp_path: Path) -> None:
    assert pg.figures.tradeoff(examples.sweep).data
    assert pg.figures.curves(examples.sweep[0], theme="dark").data
    refused: list[Callable[[], object]] = [lambda: pg.figures.tradeoff("x")]
    refused.append(lambda: pg.figures.tradeoff.save(tmp_path / "a.gif", []))
    for wrong in refused:
        with pytest.raises(pg.OptionError):
            wrong()
    with pytest.raises(AttributeError):
        _ = pg.figures.tradeof
