"""The Trade-offs page: what one's own runs say beside those that came with the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.conftest import Open
from tests.pages.kept_runs import keep, spec

from privgraph.runs import gallery
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

ACCURACY = {"progap": 0.8, "gap": 0.7, "mlp": 0.4}
"""What each reaches in the gallery."""


@pytest.fixture
def pooled(store: RunStore, tmp_path: Path) -> None:
    """Seven seeds of the gallery at ε 1."""
    asked = [spec(name, seed=seed, epsilon=1.0) for name in ("progap", "gap") for seed in range(3, 10)]
    asked += [make_spec("mlp", "karate", {"unit": "none"}, seed=seed) for seed in range(3)]
    shipped = RunStore.open(f"sqlite:///{tmp_path / 'shipped.sqlite'}")
    for one in asked:
        keep(shipped, one, accuracy=ACCURACY[one.method] + one.seed / 1000)
    gallery.write(shipped, {"karate": asked}, tmp_path / "shipped.json.xz")
    gallery.bring_in(store, tmp_path / "shipped.json.xz")


def _table(app: AppTest) -> str:
    (body,) = (one.proto.body for one in app.get("html") if "carded" in one.proto.body)
    return re.sub(r"(<[^>]*>)+", "|", body).replace("&nbsp;", " ")


def _captions(app: AppTest) -> str:
    return "\n".join(one.value for one in app.caption)


@pytest.mark.usefixtures("pooled")
def test_how_many_of_the_seeds_are_ones_own_stands_in_the_table(opened: Open, store: RunStore) -> None:
    assert "yours" not in _table(opened("tradeoffs", data="karate", fold="")), "none is"
    for seed in range(3):
        keep(store, spec("progap", seed=seed, epsilon=1.0), accuracy=0.79 + seed / 1000)
    app = opened("tradeoffs", data="karate", fold="")
    assert "|10 (3 yours)|" in _table(app)
    app.toggle(key="gallery").set_value(False).run()
    assert "yours" not in "".join(one.proto.body for one in app.get("html") if "carded" in one.proto.body), "all are"


@pytest.mark.usefixtures("pooled")
def test_what_ones_own_runs_reach_alone_is_told_when_a_sweep_is_over(opened: Open, store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", fold="")
    app.session_state["fold.sweep"] = True
    app.run()
    app.multiselect(key="sweep_methods").set_value(["progap"]).run()
    app.text_input(key="sweep_epsilons").set_value("1").run()
    app.button(key="sweep_go").click().run()
    for record in store.find(RunQuery(states=("queued",))):
        keep(store, record.spec, accuracy=0.6)
    app.run()
    assert not app.exception, app.exception
    (said,) = (one.value for one in app.success)
    assert "**Your own runs alone:** ProGAP at ε 1 60.0% over 3 seeds (74.4% with the gallery's 7)" in said


@pytest.mark.usefixtures("pooled")
def test_why_the_figure_counts_more_of_ones_own_runs_is_said(opened: Open, store: RunStore) -> None:
    for seed in range(3):
        keep(store, spec("progap", seed=seed, epsilon=1.0), accuracy=0.79)
    assert "Said from 3 of your own runs and 17 that" in _captions(opened("tradeoffs", data="karate", fold=""))
    for seed in range(2):
        keep(store, spec("gap", seed=seed, epsilon=1.0, hidden=8), accuracy=0.6)
    said = _captions(opened("tradeoffs", data="karate", fold=""))
    assert "Said from 3 of your own runs (2 more of yours, drawn beside, have options that are not compared)" in said
    assert "5 are your own runs" in said


def test_of_what_has_run_so_far_each_budget_is_told(opened: Open, store: RunStore) -> None:
    """Though not enough has run to choose."""
    for seed in range(3):
        for epsilon in (1.0, 4.0):
            keep(store, spec("progap", seed=seed, epsilon=epsilon), accuracy=0.8 + seed / 100)
        keep(store, make_spec("mlp", "karate", {"unit": "none"}, seed=seed), accuracy=0.4)
    app = opened("tradeoffs", data="karate", fold="")
    (said,) = (one.value for one in app.markdown if one.value.startswith("**To hide edges"))
    assert said == "**To hide edges, of what has run here:** ε 1: ProGAP 81.0%; ε 4: ProGAP 81.0%."
    assert app.button(key="absent.edge").label == "GAP, EdgeRand have not run here: train them"
