"""What came with the program can be looked up by anybody: a report for others tells it as it is, unless one's
own runs share its setting. What it leaves out of one's own it calls left out, and not missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import compact_table, reporting, tables
from privgraph_workbench.blocks import Table
from privgraph_workbench.facts import unpaired
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, findings, fixed, noises, shown
from privgraph_workbench.reporting.chapters import chapters_of
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.first_page import all_settings, lines_of
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.reporting.withholding import without_seeds
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.statements import LEFT_OUT

SHOWN = 1.4711


def _runs(
    store: RunStore, method: str, seeds: Sequence[int], reached: Sequence[float], *, gallery: Sequence[bool]
) -> list[RunRecord]:
    unit = "none" if method in ("mlp", "gnn") else "edge"
    said = made_runs.statement(() if unit == "none" else made_runs.edge_entries(9), unit=unit)
    return [
        replace(made_runs.finish(store, made_runs.spec(method, unit=unit, seed=seed), value, said), gallery=came)
        for seed, value, came in zip(seeds, reached, gallery, strict=True)
    ]


def _attacked(runs: Sequence[RunRecord], which: Sequence[int] = (0,)) -> tuple[Drawn, reporting.Told]:
    """A figure of attacks on these of the runs, and the first run with them."""
    found = [replace(made_attack(runs[at].id), bound=SHOWN) for at in which]
    figure = Drawn(
        figure="attack_areas",
        rows=attack_areas.data(found, [f"{at}: BaVarIA" for at in which]),
        statements={},
        runs=[runs[at] for at in which],
    )
    store = RunStore.open()
    told = replace(reporting.told_of(store, runs[0]), record=runs[0], same=list(runs), attacks=found, mixed=False)
    return replace(figure, beside=[told]), told


def _asked(runs: Sequence[reporting.Told], figures: Sequence[Drawn] = ()) -> Asked:
    return Asked(title="Ours", runs=runs, figures=figures, share=True, notebook=False)


def test_attacks_on_the_gallery_alone_are_drawn_and_told() -> None:
    runs = _runs(RunStore.open(), "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(True, True, True))
    figure, told = _attacked(runs)
    given = without_seeds(noises.apart(_asked([told], [figure])))
    (drawn,) = given.figures
    assert [row["area"] for row in drawn.rows] == [figure.rows[0]["area"]]
    assert fixed.LEFT_OUT not in findings.about(drawn)
    assert len(given.runs[0].attacks) == 1


@pytest.mark.parametrize("own", [2, 77])
def test_attacks_on_the_gallery_go_where_ones_own_share_the_setting(own: int) -> None:
    """Whether or not the seed of one's own is one of the gallery's, in whose place it stands then."""
    seeds = [seed for seed in (1, 2, 3) if seed != own]
    reached = [0.6 + seed / 100 for seed in seeds]
    came = [True] * len(seeds)
    store = RunStore.open()
    runs = _runs(store, "mlp", [*seeds, own], [*reached, 0.7], gallery=[*came, False])
    private = reporting.told_of(store, _runs(store, "progap", (4,), (0.5,), gallery=(False,))[0])
    figure, told = _attacked(runs)
    given = without_seeds(noises.apart(_asked([replace(told, record=runs[-1]), private], [figure])))
    assert not given.figures
    assert not given.runs[0].attacks
    assert not given.runs[0].record.metrics


def _of_own(which: Sequence[int]) -> Asked:
    store = RunStore.open()
    runs = _runs(store, "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False, False, False))
    _, told = _attacked(runs, which)
    private = reporting.told_of(store, _runs(store, "progap", (4,), (0.5,), gallery=(False,))[0])
    return _asked([told, private])


def test_what_is_left_out_is_not_called_missing() -> None:
    asked, _ = ready(_of_own((0,)))
    chapters = chapters_of(asked)
    bare = next(one for one in all_settings(asked, chapters) if one.record.spec.method == "mlp")
    assert tables.in_words([bare], {}).rows[0][4] == LEFT_OUT
    told = compact_table.told([bare], {})
    (table,) = (one for one in told if isinstance(one, Table))
    assert LEFT_OUT in table.rows[0]
    assert f"Attacks on {bare.label}: {LEFT_OUT}." in " ".join(one for one in told if isinstance(one, str))
    said = bare.record.statement
    assert said is not None
    assert "left out for others" in statement_text(said)
    assert "no attack or audit" not in statement_text(said)
    kept = statement_to_json(said)
    assert kept["audit_withheld"] is True
    assert statement_from_json(kept) == said
    for lines in (tables.settings_csv([bare]), tables.as_csv(lines_of(asked))):
        assert "epsilon_audited attacks" in lines.decode()
        assert str(SHOWN) not in lines.decode()
    other = next(one for one in all_settings(asked, chapters) if one.record.spec.method == "progap")
    assert tables.in_words([other], {}).rows[0][4] == "none yet"


def test_a_statement_with_a_bound_withholds_none() -> None:
    said = made_runs.statement((), unit="none")
    assert "audit_withheld" not in statement_to_json(said)
    with pytest.raises(ValueError, match="audit_withheld"):
        replace(said, epsilon_audited=1.0, audit_withheld=True)


@pytest.mark.parametrize(("which", "words"), [((0,), ""), ((0, 1), fixed.MEANS)])
def test_means_of_attacks_are_promised_where_they_stand(which: Sequence[int], words: str) -> None:
    store = RunStore.open()
    bare = _runs(store, "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False, False, False))
    private = _runs(store, "progap", (4,), (0.5,), gallery=(False,))
    first, told = _attacked(bare, which)
    second, _ = _attacked(private)
    figure = replace(
        first,
        rows=[*first.rows, *second.rows],
        runs=[*first.runs, *second.runs],
        beside=[told, reporting.told_of(store, private[0])],
    )
    asked, _ = ready(_asked([reporting.told_of(store, private[0])], [figure]))
    (drawn,) = asked.figures
    assert fixed.LEFT_OUT in drawn.left_out
    assert {one for one in (fixed.MEANS, fixed.SOME_MEANS) if one in drawn.left_out} == set(filter(None, [words]))
    lines = [one for one in all_settings(asked, chapters_of(asked)) if one.record.spec.method == "mlp"]
    assert [bool(one.attacked) for one in lines] == [True] * bool(words)
    assert [b"mean_auc" in tables.settings_csv([one]) for one in lines] == [True] * bool(words)


def test_a_setting_of_one_seed_is_no_ghost() -> None:
    store = RunStore.open()
    bare = _runs(store, "mlp", (1,), (0.6137,), gallery=(False,))
    private = _runs(store, "progap", (4, 5), (0.5, 0.52), gallery=(False, False))
    every = [*bare, *private]
    figure = reporting.drawn(store, "tradeoff", tradeoff.data(every), statements_of(every), [one.id for one in every])
    asked, _ = ready(_asked([], [figure]))
    assert {one.spec.method for one in asked.figures[0].runs} == {"progap"}
    assert len(asked.figures[0].statements) == 1
    assert Counts.of(asked).words == "2 runs of 1 setting, all private"
    asked, _ = ready(_asked([reporting.told_of(store, one) for one in (*bare, private[0])], [figure]))
    line = next(one for one in all_settings(asked, chapters_of(asked)) if one.record.spec.method == "mlp")
    assert tables.accuracy(line) == tables.SINGLE
    for content in (tables.settings_csv([line]), tables.as_csv(lines_of(asked)[:1])):
        (row,) = csv.DictReader(io.StringIO(content.decode()))
        assert (row["withheld"], row["seeds_of_setting"]) == ("score", "1")
        assert "61" not in content.decode()


def test_of_one_other_run_it_is_said_in_the_singular() -> None:
    store = RunStore.open()
    runs = _runs(store, "progap", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False,) * 3)
    for used, words in ((2, "the other one has further"), (1, "the others have further")):
        one = Drawn(figure="tradeoff", rows=[], runs=runs, advice=f"**In short.** X.\n\nBy {used} runs on Social.")
        assert words in findings.advice(one)


def test_runs_are_counted_as_others_get_them() -> None:
    store = RunStore.open()
    bare = _runs(store, "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(True, True, False))
    private = reporting.told_of(store, _runs(store, "progap", (4,), (0.5,), gallery=(False,))[0])
    figure = Drawn(figure="tradeoff", rows=tradeoff.data(bare), runs=bare)
    asked = _asked([replace(private, references={})], [figure])
    assert Counts.of(asked).words == "4 runs: 1 private (of 1 setting), 3 without privacy"
    assert Counts.told(asked) == Counts.of(ready(asked)[0])
    assert Counts.told(asked).runs == 1, "the gallery's go where one's own share the setting"
    assert Counts.told(replace(asked, share=False)) == Counts.of(asked)


def _verdict(monkeypatch: pytest.MonkeyPatch, *, gallery: bool) -> tuple[Drawn, list[Any]]:
    store = RunStore.open()
    runs = _runs(store, "progap", (1, 2, 3), (0.6, 0.61, 0.62), gallery=[gallery] * 3)
    runs += _runs(store, "gap", (1, 2, 3), (0.61, 0.62, 0.63), gallery=[True] * 3)
    seen: list[Any] = []

    def taken(records: Sequence[RunRecord]) -> str:
        seen.append([one.spec.seed for one in records])
        return "**In short.** Take it."

    monkeypatch.setattr("privgraph_workbench.facts.advised.of_runs", taken)
    figure = Drawn(
        figure="tradeoff", rows=tradeoff.data(runs), statements=statements_of(runs), runs=runs, advice="**In short.** x"
    )
    (drawn,) = without_seeds(_asked([], [figure])).figures
    return drawn, seen


def test_where_all_is_of_the_gallery_a_verdict_is_seed_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, seen = _verdict(monkeypatch, gallery=True)
    assert sorted(seen[-1]) == [1, 1, 2, 2, 3, 3]
    assert fixed.UNPAIRED not in findings.of(drawn)


def test_else_no_two_settings_share_a_seed_and_the_verdict_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, seen = _verdict(monkeypatch, gallery=False)
    assert sorted(seen[-1]) == [1, 2, 3, 4, 5, 6], "no setting of one's own shares a seed with another"
    assert findings.of(drawn).endswith(fixed.UNPAIRED)
    assert shown.LESS in shown.of_others([drawn])[0], "at a glance, too"
    assert shown.LESS not in shown.of_others([replace(drawn, unpaired="")])[0]


def _with_seed(run: RunRecord, seed: int) -> RunRecord:
    return replace(run, stored_spec=replace(run.spec, seed=seed))


def test_one_run_of_ones_own_is_enough_to_part_seeds() -> None:
    runs = _runs(RunStore.open(), "progap", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(True, True, False))
    assert unpaired.apart(runs[:2]) == runs[:2]
    found = {(one.gallery, one.spec.seed) for one in unpaired.apart([*runs[:2], _with_seed(runs[2], 1)])}
    assert found == {(True, 1), (True, 2), (False, 3)}, "one's own has a number that nothing else has"
    assert unpaired.public(runs[:2])
    assert not unpaired.public(runs)


def test_settings_of_the_gallery_alone_keep_their_seeds_beside_runs_of_ones_own() -> None:
    store = RunStore.open()
    came = _runs(store, "progap", (1, 2, 3), (0.6, 0.62, 0.61), gallery=(True, True, True))
    own = _runs(store, "gap", (1, 2, 3), (0.7, 0.5, 0.6), gallery=(False, False, False))
    found = {(one.spec.method, one.spec.seed) for one in unpaired.apart([*own, *came])}
    assert found == {("progap", 1), ("progap", 2), ("progap", 3), ("gap", 4), ("gap", 5), ("gap", 6)}
    by_seed = [one.metrics["test_accuracy"] for one in unpaired.apart([*came, *own]) if one.spec.method == "gap"]
    assert by_seed == [0.5, 0.6, 0.7], "in the order of results"


def test_a_row_without_its_bound_says_so() -> None:
    store = RunStore.open()
    runs = _runs(store, "mlp", (1, 2), (0.6, 0.61), gallery=(False, False))
    runs = [replace(one, epsilon_audited=SHOWN) for one in runs]
    figure = Drawn(figure="tradeoff", rows=tradeoff.data(runs), statements=statements_of(runs), runs=runs)
    (drawn,) = without_seeds(_asked([], [figure])).figures
    assert [(row["epsilon_audited"], row["withheld"]) for row in drawn.rows] == [(None, fixed.AUDITED)]
    assert [one.audit_withheld for one in drawn.statements.values()] == [True]
