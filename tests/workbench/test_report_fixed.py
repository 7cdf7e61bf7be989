"""Whoever trains a model without noise again, seed after seed, finds none of a report's seeds by it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.made_reports import opened

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts.unpaired import is_fixed
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.reporting import Asked, findings, fixed, seedless
from privgraph_workbench.reporting.withholding import numbered, without_seeds

REACHED = {
    "progap": (0.7123, 0.7345, 0.7234),
    "gap": (0.6412, 0.6234, 0.6571),
    "mlp": (0.5234, 0.5678, 0.5851),
    "gnn": (0.8123, 0.8345, 0.8667),
}
AS_THEY_ARE = dict.fromkeys(REACHED, (3, 4, 5))


def _asked(
    home: Path, seeds: Mapping[str, tuple[int, ...]], *, own: tuple[str, ...] = ("progap", "mlp"), runs: int = 3
) -> Asked:
    home.mkdir()
    store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
    told, firsts = {}, {}
    for method, reached in REACHED.items():
        unit = "none" if method in ("mlp", "gnn") else "edge"
        said = made_runs.statement(() if unit == "none" else made_runs.edge_entries(9), unit=unit)
        for seed, accuracy in list(zip(seeds[method], reached, strict=True))[:runs]:
            spec = made_runs.spec(method, unit=unit, seed=seed)
            record = made_runs.finish(store, spec, accuracy, said, (), {"test_nodes": 406.0})
            firsts.setdefault(method, record)
    for method, record in firsts.items():
        told[method] = reporting.told_of(store, record)
    figures = [
        reporting.drawn(store, one.figure, one.rows, one.statements, [run.id for run in one.runs], one.title)
        for one in reporting.usual(list(told.values()))
    ]
    return Asked(
        title="T", runs=[told[name] for name in own], figures=figures, share=True, notebook=False, appendix=True
    )


def _readable(files: Mapping[str, bytes]) -> dict[str, str]:
    """The files that are text, without the pictures of a page."""
    kinds = (".csv", ".json", ".txt", ".tex", ".html", ".svg", ".ipynb")
    return {
        name: re.sub(r"data:image/[^\"]*", "", content.decode())
        for name, content in files.items()
        if name.endswith(kinds)
    }


@pytest.mark.usefixtures("undrawn")
def test_no_result_of_a_single_run_without_noise_leaves_and_its_mean_does(tmp_path: Path) -> None:
    files = opened(reporting.build(_asked(tmp_path / "a", AS_THEY_ARE)))
    texts = _readable(files)
    rows = list(csv.DictReader(io.StringIO(texts["tables/runs.csv"])))
    for method in ("mlp", "gnn"):
        known = dict(zip(AS_THEY_ARE[method], REACHED[method], strict=True))  # who trains these seeds has them
        mean = sum(known.values()) / len(known)
        mine = [row for row in rows if row["method"] == method]
        assert len(mine) == 3
        assert {row["score_percent"] for row in mine} == {""}
        assert {row["mean_score_percent"] for row in mine} == {f"{100 * mean:.4f}".rstrip("0")}
        assert {row["seeds_of_setting"] for row in mine} == {"3"}
        for value in known.values():
            as_told = (f"{100 * value:.2f}", f"{100 * value:.1f}%", f"{value:.4f}")
            told = re.compile(rf"(?<![\d.])(?:{'|'.join(map(re.escape, as_told))})")
            assert {name: found[0] for name, one in texts.items() if (found := told.search(one))} == {}
        assert any(f"{100 * mean:.1f}%" in one for one in texts.values())
    private = sorted(float(row["score_percent"]) for row in rows if row["method"] == "progap")
    assert private == sorted(100 * one for one in REACHED["progap"])
    assert re.search(r"Means? alone|means alone", texts["README.txt"])


def test_seeds_of_one_setting_say_nothing_of_those_of_another(tmp_path: Path) -> None:
    """All seeds of GAP change places: every number of every setting stays."""
    first, other = (
        numbered(seedless.ordered(_asked(tmp_path / name, {**AS_THEY_ARE, "gap": seeds})))
        for name, seeds in (("a", (3, 4, 5)), ("b", (5, 3, 4)))
    )
    assert len(first.seeds) == len(REACHED)
    assert all(set(held.values()) == {"1", "2", "3"} for held in first.seeds.values()), "each from 1 on"
    moved = [key for key in first.seeds if first.seeds[key] != other.seeds[key]]
    assert len(moved) == 1, "of GAP alone"


@pytest.mark.long
@pytest.mark.parametrize("method", ["gap", "mlp"])
def test_seeds_permuted_within_one_setting_change_no_byte(tmp_path: Path, method: str) -> None:
    files = [
        opened(reporting.build(_asked(tmp_path / name, {**AS_THEY_ARE, method: seeds})))
        for name, seeds in (("a", (3, 4, 5)), ("b", (4, 5, 3)))
    ]
    assert {name for name in files[0] if files[0][name] != files[1][name]} == set()


def test_of_one_seed_without_noise_nothing_is_told(tmp_path: Path) -> None:
    given = without_seeds(_asked(tmp_path / "a", AS_THEY_ARE, runs=1))
    bare = next(one for one in given.runs if one.record.spec.method == "mlp")
    assert (bare.record.metrics, bare.over, bare.stands) == ({}, None, [])
    assert "%" not in bare.said
    for figure in given.figures:
        assert figure.rows
        assert {row["unit"] for row in figure.rows} == {"edge"}
    private = next(one for one in given.runs if one.record.spec.method == "progap")
    assert private.record.metrics["test_accuracy"] == REACHED["progap"][0]
    assert not {"blind", "bare"} & {row["kind"] for row in private.stands}
    assert "MLP" not in private.said


def test_attacks_on_models_without_noise_stay(tmp_path: Path) -> None:
    asked = _asked(tmp_path / "a", AS_THEY_ARE)
    told = [replace(one, attacks=[made_attack(one.record.id)]) for one in asked.runs]
    figure = replace(
        asked.figures[0],
        figure="attack_areas",
        rows=attack_areas.data([attack for one in told for attack in one.attacks], ["A", "B"]),
        runs=[one.record for one in told],
    )
    given = without_seeds(replace(asked, runs=told, figures=[figure]))
    assert [len(one.attacks) for one in given.runs] == [1, 0]
    (drawn,) = given.figures
    assert [row["run"] for row in drawn.rows] == [given.runs[0].record.id]
    assert [one.id for one in drawn.runs] == [given.runs[0].record.id], "nothing names what is not drawn"
    assert not any(map(is_fixed, drawn.statements.values()))
    assert fixed.LEFT_OUT in findings.about(drawn)
    assert not without_seeds(replace(asked, runs=told, figures=[replace(asked.figures[0])])).figures[0].left_out


def test_what_its_seed_alone_decides() -> None:
    assert is_fixed(None)
    assert is_fixed(made_runs.statement((), unit="none"))
    assert is_fixed(made_runs.statement((), unit="edge")), "it read nothing that is protected"
    assert not is_fixed(made_runs.statement(made_runs.edge_entries(9)))


def test_a_level_over_several_settings_of_relations_does_not_tell_of_one(tmp_path: Path) -> None:
    """`shots` makes a setting, and no level: the mean over three beside that over two tells the third."""
    told = []
    for place, alone in enumerate((0.37, 0.40)):
        store = RunStore.open(f"sqlite:///{tmp_path / f'{place}.sqlite'}", tmp_path / f"runs{place}")
        runs = []
        for unit, shots, reached in (("none", 0, (0.31, 0.34)), ("none", 4, (alone,)), ("edge", 0, (0.2, 0.21))):
            said = made_runs.statement(() if unit == "none" else made_runs.edge_entries(9), unit=unit)
            for accuracy in reached:
                asked = replace(make_spec("relational", "products", {"unit": unit, "shots": shots}), seed=len(runs))
                runs.append(made_runs.finish(store, asked, accuracy, said))
        private = reporting.told_of(store, runs[-1])
        assert len(private.references["bare"]) == 3, "the level is over both settings"
        bare = reporting.told_of(store, runs[0])
        shared = without_seeds(Asked(title="T", runs=[private, bare], share=True, notebook=False))
        told.append([[row for row in one.stands if row["kind"] != "own"] for one in shared.runs])
    assert told[0] == told[1]
