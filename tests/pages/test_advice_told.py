"""Trade-offs says whom a protection covers, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

COVERED = (
    "right about whether a person who is in the graph takes part or has opted out, where both were equally likely "
    "before (a coin: 50%). Somebody who was"
)


def _captions(app: AppTest) -> str:
    return "\n".join(one.value for one in app.caption)


def test_it_says_whom_the_number_of_a_protection_covers(opened: Callable[..., AppTest], store: RunStore) -> None:
    for seed in (0, 1, 2):
        for method, mean in (("gap", 0.8), ("progap", 0.6), ("dp-mlp", 0.5)):
            keep(store, spec(method, unit="node", epsilon=1.0, seed=seed), accuracy=mean + seed / 1000)
    app = opened("tradeoffs", data="karate", protects="node", fold="")
    assert "Protection: how often, at most, somebody who knows all else is right about" in _captions(app)
    assert "(a coin: 50%). “Hides opt-out” (GAP): whether somebody in the graph opted out; " in _captions(app)
    app.session_state["fold.why.node"] = True
    app.run()
    assert f"Protection: how often, at most, somebody who knows all else is {COVERED}" in _captions(app)
    app.toggle(key="everywhere").set_value(True).run()
    assert f"Protection: how often, at most, somebody who knows all else is {COVERED}" in _captions(app)


def test_where_nodes_are_public_it_says_what_is_left_out(opened: Callable[..., AppTest], store: RunStore) -> None:
    """By the published formula, asked 1 is far more."""
    for seed in (0, 1, 2):
        keep(store, spec("dp-mlp", unit="node", epsilon=1.0, seed=seed), accuracy=0.5)
        keep(store, spec("privgnn", unit="node", epsilon=8.0, seed=seed), accuracy=0.6)
        options = {"accounting": "published", "weighting": "centrality"}
        run = store.get(keep(store, spec("dp-gpl", unit="node", epsilon=1.0, seed=seed, **options), accuracy=0.9))
        assert run.statement is not None
        assert run.statement.epsilon > 1
    app = opened("tradeoffs", data="karate", protects="node", fold="")
    said = "\n".join(one.value for one in app.markdown)
    assert "The highest means:\n\n- PrivGNN: 60.0%" in said
    assert "DP-GPL" not in said
    assert "Left out: 1 more, whose sound ε is larger than the one asked for." in _captions(app)
