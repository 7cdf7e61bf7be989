"""The third number of a setting is one number in all files of a report, whoever has shown it."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack
from tests.workbench.made_reports import opened

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.reporting import Asked
from privgraph_workbench.words.attacks import with_bounds
from privgraph_workbench.words.naming import run_labels, statements_of, unit_of

pytestmark = pytest.mark.usefixtures("undrawn")

SHOWN = 0.5333
"""What an attack has shown of a run that promises nothing."""
TOLD = "at least 0.533"


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def bare(store: RunStore) -> list[RunRecord]:
    """Two seeds of a setting without privacy, the second attacked by two attacks, of which the first shows
    less."""
    said = made_runs.statement((), unit="none")
    runs = [made_runs.finish(store, made_runs.spec("gnn", unit="none", seed=80 + place), 0.8, said) for place in (0, 1)]
    found = replace(attack(memory=2.0), run=runs[1].id, delta=0.0, sound=float("inf"), steps=None)
    store.add_attack(runs[1].id, replace(found, attack="lira", bound=0.2))
    store.add_attack(runs[1].id, replace(found, bound=SHOWN))
    return runs


def private(store: RunStore) -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(store, made_runs.spec(seed=90), 0.7, said)


def archive(store: RunStore, *, share: bool, own: bool) -> dict[str, str]:
    """The text files of a report with a figure of the weaker attack, as it was kept on the page, and one that
    compares settings; the attacked setting stands among its runs (`own`), or in figures alone."""
    open_, hidden = bare(store), private(store)
    weaker = store.attacks(open_[1].id)[:1]
    curves = attack_roc.data(weaker, "log", run_labels([open_[1]]), [unit_of(open_[1])])
    said = statements_of([open_[1]], lambda _, kept: with_bounds(kept, weaker))
    beside = [hidden, *open_]
    figures = [
        reporting.drawn(store, "attack_roc", curves, said, [open_[1].id]),
        reporting.drawn(store, "compare", compare.data(beside), statements_of(beside), [one.id for one in beside]),
    ]
    runs = [reporting.told_of(store, one) for one in ([hidden, open_[0]] if own else [hidden])]
    packed = reporting.build(Asked(title="T", runs=runs, figures=figures, share=share, notebook=False, appendix=False))
    return {name: content.decode() for name, content in opened(packed).items() if not name.endswith((".pdf", ".png"))}


def rows(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content)))


@pytest.mark.parametrize("own", [True, False])
def test_others_get_nothing_that_attacks_on_runs_without_noise_have_shown(store: RunStore, own: bool) -> None:
    """Whoever trains such a model for one seed after another finds of which an attack gave this number."""
    files = archive(store, share=True, own=own)
    assert not [name for name, said in files.items() if "0.533" in said]


@pytest.mark.parametrize("own", [True, False])
def test_what_an_attack_has_shown_of_a_setting_is_one_number_in_all_files(store: RunStore, own: bool) -> None:
    files = archive(store, share=False, own=own)
    of_settings = {row["label"]: row for row in rows(files["tables/settings.csv"])}
    (line,) = [row for label, row in of_settings.items() if label.startswith("Graph network")]
    assert float(line["epsilon_audited_at_least"]) == pytest.approx(SHOWN)
    assert line.get("audit_confidence", "") == "", "the larger of two bounds has none"
    of_runs = [row["epsilon_audited_at_least"] for row in rows(files["tables/runs.csv"]) if row["method"] == "gnn"]
    assert sorted(of_runs) == ["", str(SHOWN)], "of the run that was attacked alone"
    tex = [one for one in files["tables/runs.tex"].splitlines() if one.startswith("Graph network")]
    assert [TOLD in one for one in tex] == [True]
    stated = {name: said for name, said in files.items() if re.match(r"statements/.*\.txt", name)}
    held = {name: said for name, said in stated.items() if said.startswith("Graph network")}
    assert sorted(("at least 0.533" in said, "no attack or audit" in said) for said in held.values()) in (
        [(False, True), (True, False)],  # of its run, and of the other seed
        [(True, False)],
    )
    given = [json.loads(files[name.replace(".txt", ".json")])["epsilon_audited"] for name in held]
    assert max(one for one in given if one is not None) == SHOWN
    for name in ("figures/01-attack_roc", "figures/02-compare"):
        of = next(one for one in files[f"{name}.txt"].splitlines() if one.startswith("Graph network") and "  " in one)
        assert TOLD in of or TOLD in files[f"{name}.txt"], name
        assert f"none yet{' ' * 6}0" not in of
        kept = json.loads(files[f"{name}.json"])["statements"]
        assert [one["epsilon_audited"] for one in kept.values() if one["unit"] == "none"] == [SHOWN], name
        assert r"$\varepsilon$ audited of what guarantees nothing: at least 0.533" in files[f"{name}.tex"], name
    compared = {row["method"]: row["epsilon_audited"] for row in rows(files["figures/02-compare.csv"])}
    assert float(compared["gnn"]) == pytest.approx(SHOWN)
    page = html.unescape(re.sub(r"\s*<[^>]*>\s*", "|", files["report.html"]))
    assert not re.search(r"\|Graph network \(not private\)[^|]*\|+nothing\|+∞\|+none\|+none yet", page)
    assert TOLD in page


def test_no_number_is_told_of_a_setting_that_was_not_attacked(store: RunStore) -> None:
    files = archive(store, share=False, own=False)
    (line,) = [row for row in rows(files["tables/settings.csv"]) if row["method"] == "progap"]
    assert line["epsilon_audited_at_least"] == ""
    kept = json.loads(files["figures/02-compare.json"])["statements"]
    assert [one["epsilon_audited"] for one in kept.values() if one["unit"] == "edge"] == [None]
