"""The page Report: a row has a picture or a score, its epsilons by name, and a title of its own."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import listed

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import thumbnail
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import looks, setting_rows, thumbnails

Open = Callable[..., AppTest]


def _stamps(app: AppTest) -> list[str]:
    """What stands at the left of each row."""
    found = [one.proto.body for one in app.get("html")]
    return [one for one in found if one.startswith(f'<div class="{looks.STAMP}">')]


def test_a_run_has_its_score_and_every_epsilon_by_its_name(opened: Open, store: RunStore) -> None:
    private = keep(store, spec(epsilon=2.0), accuracy=0.75)
    bare = keep(store, spec("gnn"), accuracy=0.9)
    blind = keep(store, spec("mlp", unit="none"), accuracy=0.5)
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in (private, bare, blind)]
    app.run()
    assert not app.exception, app.exception
    assert [one.split("</b>")[0].rpartition("<b>")[2] for one in _stamps(app)] == ["75.0%", "90.0%", "50.0%"]
    assert all("test accuracy" in one for one in _stamps(app))
    said = store.get(private).statement
    assert said is not None
    assert said.epsilon_as_published not in (None, said.epsilon)
    told = [one.value for one in app.caption if EPSILONS["sound"].label in one.value]
    sound, published = (EPSILONS[kind].label for kind in ("sound", "published"))
    assert told[0] == setting_rows.epsilons([store.get(private)])
    assert told[0].startswith(f"{sound}: ")
    assert f" · {published}: " in told[0]
    assert EPSILONS["audited"].label not in told[0], "nothing was audited"
    assert told[1:] == [f"{sound}: ∞", f"{sound}: edges 0, people ∞"]


def test_an_audited_epsilon_is_a_lower_bound_and_the_largest_counts(store: RunStore) -> None:
    held = [store.get(keep(store, spec(epsilon=2.0, seed=seed))) for seed in (0, 1)]
    shown = [replace(one, epsilon_audited=bound) for one, bound in zip(held, (0.25, 0.5), strict=True)]
    assert setting_rows.epsilons(shown).endswith(f" · {EPSILONS['audited'].label}: at least 0.5, of seed 1")


def test_runs_of_a_setting_have_the_mean_of_their_scores(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=score) for seed, score in ((0, 0.7), (1, 0.8))]
    app = opened("report")
    app.session_state["collected"] = [Kept(run=run) for run in runs]
    app.run()
    (stamp,) = _stamps(app)
    assert "<b>75.0%</b><span>mean of 2</span>" in stamp


def test_a_thumbnail_is_drawn_beside_the_page_and_once(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    png = thumbnail.png

    def counted(figure: str, *given: object) -> bytes:
        drawn.append(figure)
        return png(figure, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(thumbnail, "png", counted)
    run = keep(store, spec(epsilon=1.5))
    app = opened("report")
    app.session_state["collected"] = [collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run])]
    app.run()
    thumbnails.drawn().finish()
    app.run()
    assert not app.exception, app.exception
    (stamp,) = _stamps(app)
    assert 'src="data:image/png;base64,iVBOR' in stamp
    assert 'alt=""' in stamp, "its title stands beside it"
    app.run()
    assert drawn == ["tradeoff"]


def test_what_cannot_be_drawn_is_logged_and_leaves_the_list(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> bytes:
        raise RuntimeError("no glyphs")

    monkeypatch.setattr(thumbnail, "png", fail)
    held, key = thumbnails.Thumbnails(), ("mark", "light")
    with caplog.at_level(logging.ERROR):
        assert held.of(key, "tradeoff", []) is None
        held.finish()
    assert held.of(key, "tradeoff", []) == b""
    assert held.lacks([key]) == 0, "it is not waited for"
    assert "no thumbnail of tradeoff" in caplog.text


def test_figures_of_one_kind_have_titles_of_their_own_in_list_and_report(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(method, epsilon=2.0, unit="edge")) for method in ("progap", "gap")]
    app = opened("report")
    app.session_state["collected"] = [
        collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run]) for run in runs
    ]
    app.run()
    title = "Accuracy against privacy, hiding edges, Karate club"
    assert listed(app) == [f"1: {title}: ProGAP", f"2: {title}: GAP"]


def test_a_figure_is_unfolded_and_folded_by_its_button(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0))
    figure = collected.figure("tradeoff", tradeoff.data([store.get(run)]), {}, runs=[run])
    app = opened("report")
    app.session_state["collected"] = [figure]
    app.run()
    key = f"look.{figure.mark}"
    names = {one.label for one in app.button if one.key in (key, "arrow_upward.0", "close.0")}
    assert names == {"Look at it, name it, caption it", "Move up", "Take out"}, "icons have names to be heard"
    app.button(key=key).click().run()
    assert "Title of this figure" in [one.label for one in app.text_input]
    app.button(key=key).click().run()
    assert "Title of this figure" not in [one.label for one in app.text_input]


def test_a_figure_counts_its_own_runs_as_its_archive_does(opened: Open, store: RunStore) -> None:
    """And not those beside which another page had drawn it."""
    runs = [keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0, 4.0)]
    rows = [{**row, "composed": 7} for row in tradeoff.data([store.get(run) for run in runs])]
    figure = collected.figure("tradeoff", rows, {}, runs=runs)
    app = opened("report")
    app.session_state["collected"] = [figure]
    app.run()
    app.button(key=f"look.{figure.mark}").click().run()
    (drawn,) = [json.dumps(json.loads(one.proto.json)) for one in app.get("bidi_component")]
    assert "3 runs on the same data" in drawn
    assert "7 runs on the same data" not in drawn
