"""The page Report names and counts what others are not given, as the archive that it makes leaves it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec
from tests.pages.report_list import listed
from tests.workbench.made_reports import opened as files_of

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import placing
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.runs import expected, tradeoff
from privgraph_workbench.reporting import leaving, withholding
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import making, sharing
from privgraph_workbench.words.naming import statements_of

Open = Callable[..., AppTest]
GALLERY = 2
"""The least seed of what came with the program."""


@pytest.fixture
def mixed(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    """Own runs and the gallery's of one setting without noise, and own ones with noise: a run, and four
    figures of which others are given two."""
    bare = [keep(store, spec("gnn", seed=seed), accuracy=0.8 + seed / 100) for seed in range(4)]
    own = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.7 + seed / 100) for seed in range(2)]
    find = RunStore.find
    monkeypatch.setattr(
        RunStore,
        "find",
        lambda *given: [replace(one, gallery=one.spec.seed >= GALLERY) for one in find(*given)],
    )
    held, private = ([store.get(run) for run in runs] for runs in (bare, own))
    known, _ = placing.outlook(store, held[0])
    return [
        Kept(run=own[0]),
        Kept(run=bare[GALLERY]),
        collected.figure("tradeoff", tradeoff.data(private), statements_of(private), own),
        collected.figure("expected", expected.data(known), statements_of(held[:1]), bare),
        Kept(figure="curves"),
        collected.figure("tradeoff", tradeoff.data(private[:1]), statements_of(private[:1]), own[:1]),
    ]


def _captions(app: AppTest, part: str) -> list[str]:
    return [one.value for one in app.caption if part in one.value]


def test_what_is_left_out_is_named_with_its_reason_and_counted_everywhere_as_the_archive_has_it(
    opened: Open, mixed: list[Kept]
) -> None:
    app = opened("report")
    app.session_state["collected"] = mixed
    app.run()
    app.toggle(key="report_notebook").set_value(False).run()
    app.toggle(key="report_appendix").set_value(False).run()
    assert not app.exception, app.exception
    (card,) = _captions(app, "Left out of a report for others: they show means")
    assert card == f"Left out of a report for others: {withholding.TOGETHER}."
    assert not _captions(app, "for others: .")
    (beside,) = _captions(app, "Left out are ")
    assert f"({withholding.TOGETHER})" in beside
    assert f"({for_others.why_not('curves')})" in beside
    assert "on Karate club** (a run that came with the program" in beside
    (bar,) = [one.value for one in app.markdown if one.value.startswith("**4 figures")]
    assert bar == "**4 figures, 2 settings (2 runs), for others; 2 figures and 1 run left out**"
    assert [one[:3] for one in listed(app)[:4]].count("1: ") == 1
    app.button(key="report_make").click().run()
    app.session_state[making.BUILDING][1].wait(60) if making.BUILDING in app.session_state else None
    app.run()
    assert not app.exception, app.exception
    (about,) = _captions(app, "made ")
    assert ", 2 figures, 2 figures and 1 run left out; zip" in about
    made = next(reversed(making._made().values()))
    names = {name for name in files_of(made.packed) if name.startswith("figures/") and name.endswith(".csv")}
    assert len(names) == 2


def test_a_preview_of_a_report_of_which_nothing_is_left_says_so(opened: Open, mixed: list[Kept]) -> None:
    app = opened("report")
    app.session_state["collected"] = mixed[3:4]
    app.run()
    assert "**1 figure, for others; 1 figure left out**" in [one.value for one in app.markdown]
    app.button(key="report_preview").click().run()
    assert not app.exception, app.exception
    assert "a report for others leaves out" in app.error[0].value.lower()


def test_for_oneself_nothing_is_left_out(opened: Open, mixed: list[Kept]) -> None:
    app = opened("report")
    app.session_state["collected"] = mixed[:4]
    app.run()
    app.radio(key=collected.SHARE).set_value(False).run()
    assert not app.exception, app.exception
    assert "**2 figures, 2 settings (2 runs), for myself**" in [one.value for one in app.markdown]
    assert not _captions(app, "Left out")


def test_exactly_what_goes_stands_below_the_columns_in_groups_and_for_others_alone(
    opened: Open, mixed: list[Kept]
) -> None:
    app = opened("report")
    app.session_state["collected"] = mixed[:1]
    app.session_state["fold.exactly"] = True
    app.run()
    assert not app.exception, app.exception
    told = "\n".join(one.value for one in app.markdown)
    for groups in (leaving.GONE, leaving.TOLD):
        for name, lines in groups.items():
            assert f"**{name}**" in told
            assert all(one[1:] in told for one in lines)
    assert [one.label for one in app.expander].count(sharing.EXACTLY) == 1
    beside = [one.label for column in app.columns for one in column.expander]
    assert sharing.EXACTLY not in beside, "a column is too narrow for it"
    app.radio(key=collected.SHARE).set_value(False).run()
    assert sharing.EXACTLY not in [one.label for one in app.expander]
