"""What attacks found on the runs of a setting: words that need it are explained, and no head is repeated."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.store import RunStore
from privgraph_workbench import report, report_outsiders
from privgraph_workbench.blocks import Table


def test_that_a_bound_does_not_follow_is_explained_with_its_reason() -> None:
    reason = "no bound on epsilon follows: private and public nodes differ"
    bare = replace(made_attack("a"), bound=None, turn=0, notes=(reason, "no more"))
    section = report_outsiders.outsiders([("gap", [bare])])
    table, _, said = section.blocks
    assert isinstance(table, Table)
    assert table.rows[0][-1] == report_outsiders.NOT_FOLLOWS
    assert isinstance(said, str)
    assert said.startswith(report_outsiders.NO_BOUND)
    assert said.endswith("Here: private and public nodes differ.")
    bound = replace(made_attack("a"), bound=0.5, turn=1)
    assert len(report_outsiders.outsiders([("gap", [bound])]).blocks) == 2


def test_a_row_of_seeds_does_not_repeat_its_head() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    runs = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + seed / 100, said) for seed in range(2)]
    for name, told in (("seed {}", False), ("run {}", True)):
        held = [report.Reported(record=one, name=name.format(one.spec.seed)) for one in runs]
        section = report.sections(held, False)[0]
        firsts = [row[0] for one in section.blocks if isinstance(one, Table) for row in one.rows]
        assert ("Seed" in firsts) is told
        assert "Run" in firsts
