"""Files of settings are called by what the settings are, so that they have one name in every archive."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, archive
from privgraph_workbench.reporting.file_names import beside_names, file_name
from privgraph_workbench.words.naming import statements_of


def _runs(store: RunStore, epsilon: float) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec("gap", seed=seed, epsilon=epsilon), 0.7 + seed / 100, said)
        for seed in (1, 2)
    ]


def test_a_name_says_the_setting_and_no_seed() -> None:
    one, other = _runs(RunStore.open(), 8.0)
    assert file_name(one) == file_name(other) == "figure-gap-made-up-social-network-edge-eps8-secret"
    assert file_name(replace(one, gallery=True)) == "figure-gap-made-up-social-network-edge-eps8"
    assert file_name(_runs(RunStore.open(), 0.25)[0]) == "figure-gap-made-up-social-network-edge-eps0.25-secret"


@pytest.mark.usefixtures("undrawn")
def test_it_is_the_same_for_others_and_says_which_runs_were_audited() -> None:
    store = RunStore.open()
    runs = [*_runs(store, 8.0), *_runs(store, 0.25)]
    figure = reporting.drawn(store, "tradeoff", tradeoff.data(runs), statements_of(runs), [one.id for one in runs])
    shown = figure.beside[0]
    first, *others = shown.same
    first = replace(first, epsilon_audited=0.5, audit_confidence=0.9)
    known = replace(shown, record=first, same=[first, *others])
    figure = replace(figure, beside=[known, *figure.beside[1:]])
    found = []
    for share in (True, False):
        asked = Asked(title="T", runs=[], figures=[figure], share=share, notebook=False, appendix=False)
        files = opened(reporting.build(asked))
        found.append({name for name in files if name.startswith("statements/") and name.endswith(".txt")})
        assert "...-not-audited" in files["README.txt"].decode()
    assert found[0] == found[1]
    ends = sorted(name.removesuffix(".txt").partition("-secret")[2] for name in found[0])
    assert ends == ["", f"-{archive.AUDITED}", f"-{archive.NOT_AUDITED}"]


def test_settings_of_one_name_are_told_apart() -> None:
    """An option that has no word of its own is in no name."""
    store = RunStore.open()
    runs = _runs(store, 8.0)
    figure = reporting.drawn(store, "tradeoff", tradeoff.data(runs), statements_of(runs), [one.id for one in runs])
    (shown,) = figure.beside
    spec = shown.record.spec
    other = replace(shown.record, stored_spec=replace(spec, options={**spec.options, "unknown": 7}))
    asked = Asked(title="T", runs=[], figures=[replace(figure, beside=[shown, replace(shown, record=other)])])
    name = file_name(shown.record)
    assert list(beside_names(asked)) == [name, f"{name}--2"]
    third = replace(shown.record, stored_spec=replace(spec, options={**spec.options, "unknown": 8}))
    many = [shown, *(replace(shown, record=one) for one in (other, third, replace(shown.record, gallery=True)))]
    asked = replace(asked, figures=[replace(figure, beside=many)])
    assert list(beside_names(asked)) == [name, f"{name}--2", f"{name}--3", name.removesuffix("-secret")]


def test_each_bound_of_a_setting_has_a_file() -> None:
    run, _ = _runs(RunStore.open(), 8.0)
    said = made_runs.statement(made_runs.edge_entries(9))
    shown = [replace(said, epsilon_audited=bound, audit_confidence=0.9) for bound in (0.5, 0.7)]
    held = {one: [f"run-{place}"] for place, one in enumerate((said, *shown))}
    names = [name for name, *_ in archive._files_of("setting-01", run, held)]
    assert names == ["setting-01-not-audited", "setting-01-audited", "setting-01-audited-2"]


def test_a_long_name_ends_with_a_whole_option() -> None:
    """A graph of many options is cut between two of them, and no name ends within a word."""
    options = {"nodes": 600, "classes": 3, "degree": 16, "homophily": 0.85}
    asked = replace(made_runs.spec("gap", epsilon=8.0), data_options=options)
    one = made_runs.finish(RunStore.open(), asked, 0.7, made_runs.statement(made_runs.edge_entries(9)))
    name = file_name(one)
    cut = name.removeprefix("figure-gap-made-up-social-network").partition("-edge-")[0]
    assert cut == "-nodes-600", name
