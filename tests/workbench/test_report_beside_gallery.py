"""In a report for others the gallery's runs of a setting that has runs of one's own stand beside these, all
of them: what to take is as sure as it is for oneself, and nothing tells which seed is one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.made_reports import opened

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import NOT_AUDITED
from privgraph.runs import gallery
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.records import RunRecord
from privgraph_workbench import reporting
from privgraph_workbench.facts import advised
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.reporting import Asked, Drawn, Told, findings, first_page, noises, of_gallery, shown
from privgraph_workbench.reporting.anew import DATA
from privgraph_workbench.reporting.behind import commands
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.fixed import UNPAIRED
from privgraph_workbench.reporting.own_setting import PUBLIC, SECRET, noise_of
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.reporting.withholding import decided, without_seeds
from privgraph_workbench.words.naming import statements_of

OWN = 0.7
GALLERY = ("progap", "gap", "mlp")


@pytest.fixture(scope="module")
def shipped() -> dict[str, list[RunRecord]]:
    """The gallery's runs on Cora of three methods, at edge ε 4 or without noise, by their methods."""
    specs = [one["run"]["spec"] | {"id": one["run"]["id"]} for held in gallery.content().values() for one in held]
    ids = {
        spec["id"]
        for spec in specs
        if (spec["dataset"], spec["split"]) == ("cora", "random")
        and (spec["method"] == "mlp" or (spec["options"].get("unit"), spec["options"].get("epsilon")) == ("edge", 4.0))
    }
    runs, _ = gallery.shipped(ids)
    found: dict[str, list[RunRecord]] = {}
    for one in sorted(runs, key=lambda one: one.spec.seed):
        found.setdefault(one.spec.method, []).append(one)
    return {method: found[method] for method in GALLERY}


def _own(like: RunRecord, seed: int) -> RunRecord:
    """A run of one's own of the same setting, with noise of another key."""
    spec, said = replace(like.spec, seed=seed), like.own_statement
    assert said is not None
    said = replace(said, assumptions=tuple(one for one in said.assumptions if one != NOISE_IS_PUBLIC))
    own = replace(
        like,
        id=spec.id,
        stored_spec=spec,
        gallery=False,
        metrics={**like.metrics, "test_accuracy": OWN},
        statement_json=statement_to_json(said),
        **NOT_AUDITED,
    )
    assert (noise_of(like), noise_of(own)) == (PUBLIC, SECRET)
    return own


def _world(
    shipped: dict[str, list[RunRecord]], seed: int, *, figure: str = "tradeoff", methods: Sequence[str] = GALLERY
) -> Asked:
    """A run of one's own beside the gallery's, in the place of that of its seed."""
    runs = [one for method in methods for one in shipped[method]]
    own = _own(shipped["progap"][0], seed)
    runs = [*(one for one in runs if one.id != own.id), own]
    advice = advised.of_runs(runs) if figure == "tradeoff" else ""
    told = Told(record=own, same=[own], seeds={own.id: str(seed)}, mixed=True)
    beside = [
        Told(record=held[0], same=held, seeds={one.id: str(one.spec.seed) for one in held})
        for held in (shipped[method] for method in methods if method != "progap")
    ]
    one = Drawn(
        figure=figure,
        rows=DATA[figure](runs),
        statements=statements_of(runs),
        runs=runs,
        advice=advice,
        beside=[told, *beside],
    )
    return Asked(title="Ours", runs=[told], figures=[one], share=True, notebook=False)


def _means(one: Drawn) -> list[float]:
    return [row.get("mean", row.get("test_accuracy")) for row in one.rows]


def _taken(shipped: dict[str, list[RunRecord]]) -> int:
    return shipped["progap"][3].spec.seed


def test_all_of_the_gallery_stands_beside_ones_own(shipped: dict[str, list[RunRecord]]) -> None:
    (figure,) = without_seeds(noises.apart(_world(shipped, _taken(shipped)))).figures
    rows = {row["variant"]: row for row in figure.rows if row["method"] == "progap"}
    assert rows.keys() == {"", SECRET}, "of GAP the noise is public as well, and nothing says so there"
    reached = [one.metrics["test_accuracy"] for one in shipped["progap"]]
    assert (rows[SECRET]["mean"], rows[SECRET]["seeds"]) == (OWN, 1)
    assert rows[""]["seeds"] == rows[""]["gallery"] == len(reached) == 10
    assert rows[""]["mean"] == pytest.approx(sum(reached) / len(reached))
    assert rows[""]["low"] is not None
    assert (rows[""]["noise_public"], rows[SECRET]["noise_public"]) == (True, False)
    assert noises.ASIDE in figure.left_out
    assert noises.LEFT_OUT not in figure.left_out
    assert noises.BARE_OUT not in figure.left_out, "no run of one's own is without noise"
    assert len([told for told in figure.beside if told.record.spec.method == "progap"]) == 2
    assert len([run for run in figure.runs if run.spec.method == "progap"]) == 11


def test_what_to_take_is_what_it_is_for_oneself(shipped: dict[str, list[RunRecord]]) -> None:
    (figure,) = without_seeds(noises.apart(_world(shipped, 77))).figures
    (own,) = noises.apart(replace(_world(shipped, 77), share=False)).figures
    assert advised.shortened(figure.advice) == advised.shortened(own.advice) != []
    assert not figure.unpaired
    assert UNPAIRED not in reporting.finding(figure)


@pytest.mark.parametrize("figure", ["tradeoff", "compare"])
def test_nothing_hangs_on_whether_the_gallery_has_the_seed(shipped: dict[str, list[RunRecord]], figure: str) -> None:
    worlds = [_world(shipped, seed, figure=figure) for seed in (_taken(shipped), 77)]
    (first, _), (second, _) = map(ready, worlds)
    assert first == second
    cards = [decided(one, {"a": one.figures[0]})["a"].given for one in worlds]
    assert cards[0] is not None
    assert cards[1] is not None
    assert cards[0].advice == cards[1].advice == first.figures[0].advice
    assert _means(cards[0]) == _means(cards[1]) == _means(first.figures[0])


def test_a_seed_of_ones_own_and_that_of_the_gallery_have_no_number_in_common(
    shipped: dict[str, list[RunRecord]],
) -> None:
    asked = noises.apart(_world(shipped, _taken(shipped)))
    (figure,) = asked.figures
    held = [run for run in figure.runs if run.spec.method == "progap"]
    assert len({run.id for run in held}) == len({run.spec.seed for run in held}) == 11
    names = {(told.record.gallery, seed) for told in without_seeds(asked).figures[0].beside for seed in told.seeds}
    assert len({seed for _, seed in names}) == len(names)


def test_beside_public_noise_the_first_page_names_ones_own_whose_is_secret(
    shipped: dict[str, list[RunRecord]],
) -> None:
    asked, _ = ready(_world(shipped, 77))
    warned = first_page._public(asked)
    assert warned is not None
    assert "Not so ProGAP on Cora, edge ε 4 as reported here: that noise is secret, and its ε holds." in warned.text
    none = first_page._public(replace(asked, runs=[]))
    assert none is not None
    assert none.text == first_page.SUBTRACTED


def test_at_a_glance_what_to_take_comes_before_other_figures(shipped: dict[str, list[RunRecord]]) -> None:
    asked = _world(shipped, 77)
    (figure,) = noises.apart(replace(asked, share=False)).figures
    (first, *_) = shown.of_others([replace(figure, advice=""), figure])
    assert first.startswith("Figure 2: ")


def test_an_attack_on_ones_own_run_is_none_on_the_gallerys(shipped: dict[str, list[RunRecord]]) -> None:
    """Both settings are called alike but for whose noise they have."""
    for seed in (_taken(shipped), 77):
        asked = _world(shipped, seed)
        ((told, *others),) = (one.beside for one in asked.figures)
        attacked = replace(told, attacks=[made_attack(told.record.id)])
        figures = [replace(asked.figures[0], beside=[attacked, *others])]
        given, _ = ready(replace(asked, figures=figures))
        beside = given.figures[0].beside
        assert len({one.record.id for one in beside}) == len(beside) == 4
        for one in beside:
            ids = {run.id for run in one.same}
            assert one.record.id in ids
            assert {attack.run for attack in one.every_attack} <= ids == one.seeds.keys()
            assert {run.gallery for run in one.same} == {one.record.gallery}
        assert sum(one.attacks != [] for one in beside if not one.record.gallery) == 1


@pytest.mark.parametrize("seed", [3, 77])
def test_the_gallery_comes_where_it_stands_in_the_figure_anyway(shipped: dict[str, list[RunRecord]], seed: int) -> None:
    """By settings of which no run is one's own: whether it stands there hangs on no seed."""
    (figure,) = without_seeds(noises.apart(_world(shipped, seed, methods=("progap",)))).figures
    assert [row["seeds"] for row in figure.rows] == [1]
    assert noises.LEFT_OUT in figure.left_out
    assert noises.ASIDE not in figure.left_out


def test_for_oneself_the_run_in_whose_place_ones_own_stands_is_back(shipped: dict[str, list[RunRecord]]) -> None:
    """A page has one run of each seed; its mean over ten of two keys is told nowhere else."""
    taken = shipped["progap"][3]
    for seed in (taken.spec.seed, 77):
        asked = noises.apart(noises.apart(replace(_world(shipped, seed), share=False)))
        (figure,) = asked.figures
        rows = {row["variant"]: row for row in figure.rows if row["method"] == "progap"}
        assert (rows[SECRET]["mean"], rows[SECRET]["seeds"], rows[""]["seeds"]) == (OWN, 1, 10)
        assert rows[""]["mean"] == pytest.approx(fmean(one.metrics["test_accuracy"] for one in shipped["progap"]))
        held = [run for run in figure.runs if run.spec.method == "progap"]
        assert len({run.id for run in held}) == 11
        marked = {run.id for run in held if run.id.startswith(of_gallery.MARK)}
        assert marked == ({f"{of_gallery.MARK}{taken.id}"} if seed == taken.spec.seed else set())
        lines = commands(asked)
        assert of_gallery.MARK not in lines
        assert f"privgraph gallery {taken.id} --again" in lines or seed == 77
        told = advised.shortened(figure.advice)
        assert told == advised.shortened(without_seeds(noises.apart(_world(shipped, seed))).figures[0].advice)
        assert "noise of another key, and stands apart here" in findings.advice(figure)
        assert figure.left_out.count(noises.STANDS_APART) == 1
        page = replace(_world(shipped, seed), share=False)
        assert Counts.told(page) == Counts.of(ready(page)[0]), "the page counts as the archive"


@pytest.mark.parametrize("share", [False, True])
def test_where_a_run_stands_is_beside_runs_with_noise_of_its_kind(
    shipped: dict[str, list[RunRecord]], share: bool
) -> None:
    """A page has the mean of all; the statement below it is that of the run alone."""
    found = []
    for seed in (_taken(shipped), 77):
        own = _own(shipped["progap"][0], seed)
        every = [*(one for one in shipped["progap"] if one.id != own.id), own]
        rows = standing.data(own, every, Outlook())
        assert {row["seeds"] for row in rows if row["kind"] == "own"} == {len(every)}
        told = [
            Told(record=held[0], same=held, stands=standing.data(held[0], held, Outlook()), mixed=True)
            for held in ([own], every[:-1])
        ]
        figure = Drawn(figure="standing", rows=rows, statements=statements_of([own]), runs=every, beside=told)
        given = noises.apart(Asked(title="Ours", runs=[], figures=[figure], share=share, notebook=False))
        (drawn,) = (without_seeds(given) if share else given).figures
        (level,) = (row for row in drawn.rows if row["kind"] == "own")
        assert (level["value"], level["seeds"]) == (OWN, 1)
        assert [row["mine"] for row in drawn.rows if row["kind"] == "seed"] == [True]
        assert len(drawn.runs) == 1
        found.append(replace(drawn, runs=[], beside=[]))
    assert found[0] == found[1] or not share


def test_runs_as_they_came_have_ids_and_seeds_that_no_store_has(shipped: dict[str, list[RunRecord]]) -> None:
    runs, attacks = of_gallery.shipped([_own(shipped["progap"][0], 77)])
    assert len(runs) == len(shipped["progap"])
    assert not {run.id for run in runs} & {run.id for run in shipped["progap"]}
    assert all(run.spec.seed >= of_gallery.BEYOND for run in runs)
    assert attacks
    assert {one.run for one in attacks} <= {run.id for run in runs}
    other = replace(shipped["progap"][0].spec, options={**shipped["progap"][0].spec.options, "hidden": 17})
    assert of_gallery.shipped([replace(shipped["progap"][0], stored_spec=other)]) == ([], [])


@pytest.mark.long
def test_files_of_two_worlds_are_the_same(shipped: dict[str, list[RunRecord]]) -> None:
    first, second = (opened(reporting.build(_world(shipped, seed))) for seed in (_taken(shipped), 77))
    assert {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)} == set()
    assert b"secret noise" in first["figures/01-tradeoff.csv"]


def test_the_gallerys_runs_beside_ones_own_are_compared_by_the_seeds_that_they_came_with(
    shipped: dict[str, list[RunRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = noises.apart(_world(shipped, 4242))
    (line,) = (one for one in first_page.ahead(asked).splitlines() if one.startswith("| ProGAP") and PUBLIC in one)
    assert "10 shared seeds" in line
    seen: list[RunRecord] = []

    def taken(one: Drawn, runs: Sequence[RunRecord]) -> Drawn:
        seen.extend(runs)
        return one

    monkeypatch.setattr("privgraph_workbench.reporting.advice_again.by", taken)
    without_seeds(asked)
    came = [one.spec.seed for one in seen if one.gallery and one.spec.method == "progap"]
    assert sorted(came) == sorted(one.spec.seed for one in shipped["progap"])
