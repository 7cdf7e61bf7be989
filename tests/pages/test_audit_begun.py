"""A new audit: what its form proposes, how it says that it has begun, and which run is shown first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.audits.options import AuditOptions
from privgraph.registry import AUDITS
from privgraph.runs import auditing
from privgraph.runs.auditing import Auditing
from privgraph.runs.store import RunStore

Open = Callable[..., AppTest]


@pytest.fixture
def run(store: RunStore) -> str:
    """A run that was audited once, by counting alone."""
    kept = keep(store, spec("edge-rand", epsilon=8.0))
    said = store.get(kept).statement
    assert said is not None
    made = made_audit(kept, claimed=8.0, published=8.0, delta=said.delta)
    store.add_audit(kept, replace(made, bounds=made.bounds[:1], turn=store.begin_audit(kept)))
    return kept


def _drawn(app: AppTest, *kinds: str) -> list[str]:
    """Keys of buttons, progress bars and tables, in the order of the page."""
    found = [one for one in app.main if one.type in kinds]
    return [str(one.key) if one.type == "button" else str(one.type) for one in found]


@pytest.mark.parametrize("pressed", ["start_audit", "next.mechanism"])
def test_progress_stands_where_the_start_was_pressed(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch, pressed: str
) -> None:
    going: list[Auditing] = []

    def start(_: RunStore, __: str, name: str, options: AuditOptions) -> str:
        going.append(Auditing(token="ab12", name=name, options=options, started=0.0, progress=0.4))
        return "ab12"

    monkeypatch.setattr(auditing, "states", lambda *_: list(going))
    monkeypatch.setattr(auditing, "start", start)
    app = opened("audit", run=run)
    app.button(key=pressed).click().run()
    assert not app.exception, app.exception
    assert [one.value for one in app.toast] == ["The audit has begun."]
    drawn = _drawn(app, "progress", "arrow_data_frame")
    assert drawn.count("progress") == 1
    assert drawn[-1 if pressed == "start_audit" else 0] == "progress"
    assert "start_audit" not in {one.key for one in app.button}
    assert "stop_audit.ab12" in {one.key for one in app.button}
    app.run()
    assert not app.toast, "told once"


def test_too_few_trials_are_not_the_first_choice(opened: Open, store: RunStore, run: str) -> None:
    app = opened("audit", run=run)
    assert app.number_input(key="audit.trials").value == 16_000, "could show more than the audit before"
    take, start = app.button(key="take_more"), app.button(key="start_audit")
    subject = auditing.subject(store.get(run))
    time = AUDITS["mechanism"].time(subject, AuditOptions(trials=256_000))
    assert take.label == f"Take 256,000 trials (about {time}), which could refute it"
    assert start.label == "Start all the same"
    take.click().run()
    assert not app.exception, app.exception
    assert app.number_input(key="audit.trials").value == 256_000
    assert app.button(key="start_audit").label == "Start the audit"
    assert "take_more" not in {one.key for one in app.button}


@pytest.mark.long
def test_a_claim_of_the_paper_that_is_out_of_reach_is_named(opened: Open, store: RunStore, run: str) -> None:
    (made,) = store.audits(run)
    store.add_audit(run, replace(made, published=7.0, turn=store.begin_audit(run)))
    app = opened("audit", run=run, audit__trials="16000")
    assert any("they cannot refute the paper's 7, nor the sound 8." in one.value for one in app.markdown)


def test_the_first_run_is_one_whose_claim_fell_else_the_newest(opened: Open, store: RunStore) -> None:
    kept = [keep(store, spec("progap", unit="edge", epsilon=one)) for one in (8.0, 9.0, 10.0)]
    for noise, one in zip((2.0, 1.5, 4.0), kept, strict=True):
        said = store.get(one).statement
        assert said is not None
        store.add_audit(one, made_audit(one, noise=noise, delta=said.delta))
    assert opened("audit").selectbox(key="run").value == kept[-1], "not that of the largest bound"
    said = store.get(kept[0]).statement
    assert said is not None
    assert said.epsilon_as_published is not None
    more = said.epsilon_as_published + 0.1
    made = made_audit(kept[0], delta=said.delta)
    store.add_audit(kept[0], replace(made, epsilon=more, turn=store.begin_audit(kept[0])))
    assert opened("audit").selectbox(key="run").value == kept[0]
