"""A figure that was kept before one of its runs was trained here: what is drawn, warned of and stated of it
is of the same runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.final_statement import has_public_noise, with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, anew, noises
from privgraph_workbench.words.naming import statements_of

pytestmark = pytest.mark.usefixtures("undrawn")

EPSILONS = (1.0, 2.0, 4.0)
NEW = 0.66


def _kept(*, seeds: int) -> tuple[Drawn, list[RunRecord]]:
    """A trade-off that was kept when all noise was public; since then the first run at ε 4 was trained with
    secret noise. The figure as the report reads it, and the runs as they are."""
    store = RunStore.open()
    secret = made_runs.statement(made_runs.edge_entries(9))
    public = with_public_noise(secret)
    now, before = [], []
    for epsilon in EPSILONS:
        for seed in range(seeds):
            mine = epsilon == EPSILONS[-1] and seed == 0
            said = secret if mine else public
            spec = made_runs.spec("gap", epsilon=epsilon, seed=seed)
            one = made_runs.finish(store, spec, NEW if mine else 0.5 + epsilon / 100, said)
            now.append(one)
            then = replace(
                one, statement_json=statement_to_json(public), metrics={**one.metrics, "test_accuracy": 0.54}
            )
            before.append(then if mine else one)
    return reporting.drawn(store, "tradeoff", tradeoff.data(before), statements_of(before)), now


def _counted(one: Drawn) -> tuple[int, int]:
    """How many settings its statements are of, and of how many of these the noise is public."""
    return len(one.statements), sum(map(has_public_noise, one.statements.values()))


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_kept_figure_states_what_its_runs_are_now(seeds: int) -> None:
    kept, runs = _kept(seeds=seeds)
    fresh = Drawn(figure="tradeoff", rows=tradeoff.data(runs), statements=statements_of(runs), runs=runs)
    one, other = (noises.split(drawn) for drawn in (kept, fresh))
    assert sorted(row["mean"] for row in one.rows) == sorted(row["mean"] for row in other.rows)
    # as many points as statements, and as many of public noise
    public = sum(bool(row["noise_public"]) for row in one.rows)
    assert (len(one.rows), public) == _counted(one) == _counted(other) == (len(EPSILONS) + (seeds > 1), public)
    assert 0 < public < len(one.rows)
    said = notes.warned(one.statements)
    assert said == notes.warned(other.statements)
    assert said[0].startswith(f"As run, {public} of the {len(one.rows)} private settings")


def test_page_and_files_of_a_kept_figure_agree() -> None:
    kept, _ = _kept(seeds=3)
    built = opened(reporting.build(Asked(title="Kept", runs=[], figures=[kept], notebook=False)))
    stated = built["figures/01-tradeoff.txt"].decode()
    assert "As run, 3 of the 4 private settings behind this protect nobody" in stated
    assert "As run, the private settings" not in built["report.html"].decode() + stated
    assert len(built["figures/01-tradeoff.csv"].decode().strip().splitlines()) == 1 + len(EPSILONS) + 1


def test_what_is_gone_stays_as_it_was_kept() -> None:
    kept, runs = _kept(seeds=1)
    gone = replace(runs[0], metrics={**runs[0].metrics, "test_accuracy": 0.2})
    rows, held = anew.made("tradeoff", kept.rows, kept.statements, runs[1:])
    assert [row["mean"] for row in rows] == [row["mean"] for row in kept.rows]
    assert held == dict(kept.statements)
    rows, _ = anew.made("tradeoff", kept.rows, kept.statements, [gone, *runs[1:]])
    assert rows[0]["mean"] == 0.2
