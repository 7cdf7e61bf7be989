"""The Trade-offs page once a sweep is over: what it changed is said, and what just ran is drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.pages.conftest import Open
from tests.pages.kept_runs import keep, spec

from privgraph.registry import METHODS
from privgraph.runs import gallery
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.views.tradeoffs import advice


def test_a_sweep_that_is_over_says_what_it_changed(opened: Open, store: RunStore, tmp_path: Path) -> None:
    asked = [spec(name, seed=seed, epsilon=1.0) for name in ("progap", "gap") for seed in range(3)]
    asked += [make_spec("mlp", "karate", {"unit": "none"}, seed=seed) for seed in range(3)]
    accuracy = {"progap": 0.8, "gap": 0.7, "mlp": 0.4}
    shipped = RunStore.open(f"sqlite:///{tmp_path / 'shipped.sqlite'}")
    for one in asked:
        keep(shipped, one, accuracy=accuracy[one.method] + one.seed / 1000)
    gallery.write(shipped, {"karate": asked}, tmp_path / "shipped.json.xz")
    gallery.bring_in(store, tmp_path / "shipped.json.xz")
    app = opened("tradeoffs", data="karate", fold="")
    app.session_state["fold.sweep"] = True
    app.run()
    app.multiselect(key="sweep_methods").set_value(["progap"]).run()
    app.text_input(key="sweep_epsilons").set_value("1 4").run()
    app.button(key="sweep_go").click().run()
    assert not app.exception, app.exception
    assert not app.success, "nothing is over yet"
    for record in store.find(RunQuery(states=("queued",))):
        keep(store, record.spec, accuracy={1.0: 0.6, 4.0: 0.9}[record.spec.options["epsilon"]])
    app.run()
    (said,) = (one.value for one in app.success)
    assert "ProGAP at ε 1 80.1% (gallery) → 60.0%" in said
    assert "ProGAP at ε 4 is new, 90.0%" in said
    assert "- ε 1: ProGAP → GAP" in said


def test_what_just_ran_is_drawn_though_others_wait(opened: Open, store: RunStore) -> None:
    for hidden in range(8, 16):
        for epsilon in (1.0, 4.0):
            keep(store, spec("gap", epsilon=epsilon, hidden=hidden), accuracy=0.5 + hidden / 1000)
    last = keep(store, spec("gap", epsilon=2.0, hidden=20), accuracy=0.3)
    app = opened("tradeoffs", data="karate", fold="")

    def drawn() -> bool:
        return any("30.0%" in one for one in app.selectbox(key="point").options)

    assert not drawn(), "a crowded panel has one curve a method"
    app.session_state["sweep"] = (last,)
    app.run()
    assert drawn()


def _body_of(app: AppTest) -> str:
    return next(one.proto.body for one in app.get("html") if "Graph<" in one.proto.body)


def test_among_all_graphs_what_is_unfinished_stands_below_the_table(opened: Open, store: RunStore) -> None:
    for name in ("gap", "progap"):  # one seed each tells nothing
        keep(store, make_spec(name, "digits", {"unit": "edge", "epsilon": 1.0}), accuracy=0.5)
    for seed in range(3):
        for name in ("gap", "progap"):
            keep(store, spec(name, seed=seed, epsilon=1.0), accuracy=0.5 + seed / 100)
        keep(store, make_spec("mlp", "karate", {"unit": "none"}, seed=seed), accuracy=0.4)
    for first in ("digits", "karate"):
        app = opened("tradeoffs", data=first, everywhere="true", fold="")
        app.session_state["fold.every_graph"] = True
        app.run()
        body = _body_of(app)
        assert "Karate club" in body
        assert "Handwritten digits" not in body
        (said,) = (one.value for one in app.markdown if "Nothing can be said yet" in one.value)
        assert "Handwritten digits (" in said


def test_the_fields_of_ones_own_graph_are_there_only_with_their_switch(opened: Open, store: RunStore) -> None:
    keep(store, spec("gap"), accuracy=0.5)
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")

    def fields() -> list[str]:
        return [str(one.key) for one in app.number_input if str(one.key).startswith("like_")]

    assert not fields()
    app.toggle(key="own").set_value(True).run()
    assert "like_nodes" in fields()
    app.toggle(key="own").set_value(False).run()
    assert not fields()


def test_no_seeds_are_offered_where_methods_are_next_to_equal(opened: Open, store: RunStore) -> None:
    near = {"progap": [0.791, 0.801, 0.811], "gap": [0.80, 0.795, 0.805]}
    for name, values in near.items():
        for seed, value in enumerate(values):
            keep(store, spec(name, seed=seed, epsilon=1.0), accuracy=value)
    for seed in range(3):
        keep(store, make_spec("mlp", "karate", {"unit": "none"}, seed=seed), accuracy=0.3)
    app = opened("tradeoffs", data="karate", fold="")
    app.session_state["fold.compare"] = True
    app.run()
    shown = "\n".join(one.value for one in app.markdown)
    assert "**ε 1: tie.** ProGAP is +0.1 points (" in shown
    assert " above GAP, at most 5 points either way: take either. No more seeds are offered for it." in shown
    assert "may settle" not in shown
    assert not any(one.key == "settle.edge" for one in app.button)


def test_levels_that_were_drawn_stay_when_a_sweep_adds_others(opened: Open, store: RunStore) -> None:
    """A panel has the levels that are compared with, however many there are, and what was just sent."""
    keep(store, spec("gap", epsilon=1.0), accuracy=0.5)
    for name in ("progap", "gnn"):
        keep(store, make_spec(name, "karate", {"unit": "none"}), accuracy=0.9)
    app = opened("tradeoffs", data="karate", fold="")

    def drawn() -> str:
        (one,) = (one.proto.json for one in app.get("bidi_component"))
        return str(json.loads(one))

    network = METHODS["gnn"].title
    assert network in drawn()
    assert "ProGAP, not private" not in drawn()
    new = [keep(store, make_spec(name, "karate", {"unit": "none"}), accuracy=0.4) for name in ("mlp", "gap")]
    app.session_state["sweep"] = tuple(new)
    app.run()
    assert "MLP" in drawn()
    assert "GAP, not private" in drawn(), "which was just sent"
    assert network in drawn()
    app = opened("tradeoffs", data="karate", fold="")
    assert network in drawn()
    assert "MLP" in drawn()
    assert "GAP, not private" not in drawn(), "another day"


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (("failed", "failed"), "**None of the 2 runs that you added got to its end:** nothing has changed."),
        (("done", "failed"), "**With the 1 run that you added (1 more did not get to their end) the verdict is sti"),
    ],
)
def test_seeds_that_did_not_get_to_their_end_are_no_evidence(
    opened: Open, store: RunStore, states: tuple[str, ...], said: str
) -> None:
    for seed in range(3):
        for name in ("gap", "progap", "mlp"):
            keep(
                store,
                spec(name, seed=seed) if name != "mlp" else make_spec("mlp", "karate", {"unit": "none"}, seed=seed),
            )
    added = tuple(keep(store, spec(seed=7 + at), state=state) for at, state in enumerate(states))
    app = opened("tradeoffs", data="karate", fold="")
    app.session_state[advice.SETTLING] = (("karate", ()), "edge", [1.0], added)
    app.run()
    assert any(one.value.startswith(said) for one in app.markdown)


def test_public_noise_is_told_before_the_figure_and_once(opened: Open, store: RunStore) -> None:
    full_gallery.fill(store)
    app = opened("tradeoffs", data="social", fold="")
    (place,) = (at for at, one in enumerate(app.markdown) if one.value.startswith("**:red[As run"))
    said = next(at for at, one in enumerate(app.markdown) if one.value.startswith("**To hide edges"))
    figure = next(at for at, one in enumerate(app.markdown) if one.value.startswith("Choosing by test labels"))
    assert said < place < figure
