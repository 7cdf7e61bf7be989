"""All attacked runs in one table, and the way from one to the next."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import ahead, box, table_of, unfold
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.attacks.options import AttackOptions
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import without_privacy
from privgraph_workbench.views.attacks import findings, overview, ranking
from privgraph_workbench.words import naming, verdicts

Open = Callable[..., AppTest]


def test_a_row_of_all_attacked_runs_opens_that_very_attack(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = keep(store, spec("dp-mlp", seed=1, epsilon=8.0))
    for name, memory in ((run, 0.5), (other, 3.0), (other, 0.2)):
        store.add_attack(name, made_attack(name, memory=memory, seed=int(10 * memory)))
    draw, ticked = overview.st.dataframe, [0]  # it gives away more than the open run

    def with_a_tick(rows: object, **how: object) -> object:
        shown = draw(rows, **how)
        if how.get("alt") != "Of each attacked run the attack that found most" or not ticked:
            return shown
        return {"selection": {"rows": [ticked.pop()]}}

    monkeypatch.setattr(overview.st, "dataframe", with_a_tick)
    app = opened("attacks", run=run, found="1")
    app.session_state["fold.overview"] = True
    app.run()
    assert app.session_state["run"] == other
    assert app.query_params["found"] in ("1", ["1"]), "the strongest, not the newest"
    assert app.selectbox(key="found").value == "1"
    assert not app.session_state["fold.overview"], "the verdict is what was asked for, and stands below the table"


@pytest.mark.long
def test_all_attacked_runs_stand_in_one_table(opened: Open, store: RunStore, run: str) -> None:
    strong = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(run, made_attack(run, memory=0.2))
    assert "Which run gives away most?" not in str([one.label for one in opened("attacks", run=run).expander])
    store.add_attack(strong, made_attack(strong, memory=0.0))
    store.add_attack(strong, made_attack(strong, memory=2.0))
    table = table_of(opened("attacks", run=run))
    assert list(table.columns[:3]) == ["run", "verdict", "area"], "whose a number is comes before it"
    assert "ε 2" in table["run"].iloc[0]
    assert len(table) == 2, "the strongest attack on each"
    assert [one.startswith("▸ ") for one in table["run"]] == [False, True], "by rank; the open one is marked"
    assert table["at 1% FPR"].iloc[0] == "–", "of so few others none is 1%: another rate is another number"
    app = opened("attacks", run=run)
    table_of(app)
    text = texts(app)
    assert "A dash: of so few others, 1% is less than one, so it cannot be measured." in text
    assert "Number 2 of 2 by what is given away (who was trained on)" in text
    edges = store.get(keep(store, spec("gap", unit="edge")))
    bounds = [
        (store.get(run), replace(made_attack(run), bound=0.0)),
        (edges, replace(made_attack(edges.id), bound=None)),
    ]
    rows = [ranking.Place(run=own, attack=one, alike=None, severe=0) for own, one in bounds]
    why = findings.no_bound(rows[1].attack, "edge")
    assert f"A dash: no bound follows, because {why}." in " ".join(overview._about(rows))
    assert "because" not in " ".join(overview._about(rows[:1]))
    widths = sum(width for name, width in overview.WIDTHS.items() if name not in ("similarity alone", "PREC@1"))
    last = overview.WIDTHS["attack"] + overview.WIDTHS["ε at least"]
    assert widths - last <= 1084, "what tells is as wide as a table in a window of 1280"
    assert overview.WIDTHS["run"] > overview.WIDTHS["attack"], "the name of the run is read whole"
    bare, free = keep(store, spec("mlp", unit="none")), made_attack(memory=4.0)
    store.add_attack(bare, replace(free, run=bare))
    beside = dict(
        zip(*(table_of(opened("attacks", run=run))[name] for name in ("promised", "not private")), strict=True)
    )
    assert beside.pop("nothing") == "", "it is without privacy itself"
    assert set(beside.values()) == {f"{free.found[0]:.3f}"}


@pytest.mark.long
def test_the_table_of_runs_goes_by_the_verdict_and_begins_with_the_question_of_the_shown_attack(
    opened: Open, store: RunStore, run: str
) -> None:
    other = keep(store, spec("gnn", unit="none"))
    similarity = AttackOptions(by="distance")
    for one, memory in ((run, 2.0), (other, 3.0)):
        store.add_attack(one, replace(made_attack(one, memory=memory), bound=0.0))
        store.add_attack(one, replace(made_attack(one, memory=memory), attack="link", options=similarity, bound=None))
    store.add_attack(run, replace(made_attack(run, memory=3.0), attack="link", options=AttackOptions(by="influence")))
    asks = "who is connected to whom"
    app = opened("attacks", run=run, found="2")
    table_of(app)
    assert app.session_state["overview_question"] == asks
    app = opened("attacks", run=run, found="1")
    table = table_of(app)
    assert app.session_state["overview_question"] == "who was trained on"
    assert table["verdict"].tolist() == [["given away"]] * 2
    app.session_state["found"] = "3"
    app.run()
    assert app.session_state["overview_question"] == asks
    mlp = keep(store, spec("mlp", unit="none"))
    store.add_attack(mlp, replace(made_attack(mlp, memory=4.0), attack="link", options=similarity, bound=None))
    table = table_of(opened("attacks", run=run, found="2"), kept_first=False)
    assert table["verdict"].tolist() == [["given away"], ["perhaps similarity alone"], ["no more than similarity"]]
    areas = table["area"].tolist()
    assert areas[0] < areas[2], "the verdict comes first, whatever the area"
    assert areas[1] < areas[2]


@pytest.mark.long
def test_every_column_of_a_table_says_what_it_means(opened: Open, store: RunStore, run: str) -> None:
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    for one in (run, run, elsewhere):
        store.add_attack(one, ahead(made_attack(one, memory=3.0), 40))
    app = opened("attacks", run=run, over=elsewhere)
    app.session_state["fold.overview"] = True
    unfold(app)
    assert len(app.dataframe) == 4
    for table in app.dataframe:
        told = json.loads(table.proto.columns)
        assert all(told[str(name)]["help"] for name in table.value.columns), list(table.value.columns)


def test_the_neighbours_of_the_open_run_are_one_click_away(opened: Open, store: RunStore, run: str) -> None:
    others = [keep(store, spec("dp-mlp", unit="node", seed=seed, epsilon=8.0, batch_size=8)) for seed in (1, 2)]
    for one, memory in zip((others[0], run, others[1]), (3.0, 1.0, 0.0), strict=True):
        store.add_attack(one, made_attack(one, memory=memory))
    app = opened("attacks", run=run)
    assert "Number 2 of 3 by what is given away" in texts(app)
    for label, other in (("The one before", others[0]), ("The next", others[1])):
        app = opened("attacks", run=run)
        (step,) = [one for one in app.button if one.label == label]
        step.click().run()
        assert app.query_params["run"] in (other, [other])
    assert "The next" not in [one.label for one in app.button], "it gives away least"


def test_what_leaks_more_with_privacy_than_without_is_marked_and_explained(
    opened: Open, store: RunStore, run: str
) -> None:
    bare = keep(store, spec("mlp", unit="none"))
    store.add_attack(bare, made_attack(bare, memory=0.2))
    for memory, marked in ((0.3, False), (4.0, True)):
        store.add_attack(run, made_attack(run, memory=memory))
        app = opened("attacks", run=run)
        table = table_of(app)
        assert table["not private"].str.endswith(" ▲").any() == marked
        assert ("▲: clearly more is found than without privacy." in texts(app)) == marked


def test_what_all_rows_have_in_common_is_said_once(store: RunStore, run: str) -> None:
    other = keep(store, spec("gnn", unit="none"))

    def names(*runs: str) -> tuple[dict[str, str], str]:
        return ranking.names(
            [ranking.Place(run=store.get(one), attack=made_attack(one), alike=None, severe=0) for one in runs]
        )

    told, common = names(run, other)
    assert common == f"on {naming.data_title(store.get(run).spec.dataset)}, seed 0"
    assert not [one for one in told.values() if "seed" in one or "Karate" in one]
    apart = keep(store, spec("gnn", unit="none", seed=1))
    told, common = names(run, other, apart)
    assert "seed" not in common
    assert all("seed" in one for one in told.values()), "what tells them apart stays"


def test_what_is_kept_may_stand_first(opened: Open, store: RunStore, run: str) -> None:
    other = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(run, made_attack(run, memory=3.0))
    store.add_attack(other, replace(made_attack(other, memory=0.0), areas=(0.50, 0.51, 0.49), bound=None))
    app = opened("attacks", run=run)
    assert "ε 2" in table_of(app)["run"].iloc[0]
    app.toggle(key="overview_kept_first").set_value(False)
    assert "ε 8" in table_of(app)["run"].iloc[0]


def test_what_is_undecided_has_no_place(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = keep(store, spec("gnn", unit="none"))
    store.add_attack(run, made_attack(run, memory=0.3))
    store.add_attack(other, replace(made_attack(other, memory=3.0), drawn=False))
    monkeypatch.setattr(verdicts, "learnt", lambda record: (0.6, 0.6) if record.id == other else None)
    table = table_of(opened("attacks", run=run))
    assert table["verdict"].tolist()[-1] == ["undecided"], "whatever its area"
    assert "Number 1 of 1 (1 more: undecided) by what is given away" in texts(opened("attacks", run=run))
    assert "Undecided, so not among the 1 ranked" in texts(opened("attacks", run=other))


def test_the_verdict_is_of_the_question_of_the_attack_that_is_shown(opened: Open, store: RunStore, run: str) -> None:
    store.add_attack(run, made_attack(run, memory=3.0))
    link = replace(made_attack(run, memory=0.0), attack="link", options=AttackOptions(by="influence"), bound=None)
    store.add_attack(run, link)
    assert "one node trained on" in box(opened("attacks", run=run, found="1"))
    assert "one node trained on" not in box(opened("attacks", run=run, found="2"))
    store.add_attack(run, replace(made_attack(run, memory=3.0), bound=20.0))
    assert "one of our proofs is wrong" in box(opened("attacks", run=run, found="2")), "that counts, whatever is asked"


def test_a_verdict_says_where_it_is_not_by_the_area_of_all_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interval of the area that holds a guess beside "a little better" would read as a contradiction."""
    torn = replace(made_attack(memory=1.5), areas=(0.3, 0.5, 0.7), bound=None)
    assert not verdicts.on_average(torn)
    assert verdicts.on_own(torn)
    assert verdicts.word(torn, verdicts.severity(torn, None)) == "better on its own nodes"
    monkeypatch.setattr(verdicts, "on_own", lambda _: False)
    monkeypatch.setattr(verdicts, "at_few_alarms", lambda _: True)
    assert verdicts.word(torn, verdicts.severity(torn, None)) == "better at few false alarms"


def test_what_is_not_private_and_as_accurate_is_compared_with(store: RunStore, run: str) -> None:
    """Of prompts of one shot and of five the one that is as good; never what is undecided."""
    bare = [keep(store, spec("mlp", unit="none", hidden=hidden)) for hidden in (8, 16, 32)]
    store.add_attack(run, replace(made_attack(run), said=0.6))
    for one, said, memory in zip(bare, (0.3, 0.58, 0.6), (4.0, 2.0, 4.0), strict=True):
        store.add_attack(one, replace(made_attack(one, memory=memory), said=said, attack="lira"))
    found = without_privacy.beside(store, store.get(run), store.attacks(run)[0])
    assert found is not None
    assert found[0].id == bare[2]
    store.add_attack(bare[0], replace(made_attack(bare[0], memory=0.5), said=0.3))
    found = without_privacy.beside(store, store.get(run), store.attacks(run)[0])
    assert found is not None
    assert found[1].attack == "bavaria", "the same attack tells most"

    rows = ranking.by_question(store.all_attacks())["who was trained on"]
    (own,) = [one for one in rows if one.run.id == run]
    assert own.bare is not None
    assert own.bare.run == bare[2]
    unsure = [replace(one, severe=verdicts.UNDECIDED) if one.run.id == bare[2] else one for one in rows]
    (own,) = [one for one in ranking._ordered(unsure) if one.run.id == run]
    assert own.bare is not None
    assert own.bare.run == bare[1]


def test_the_question_is_chosen_at_the_top_and_drives_answer_and_table(opened: Open, store: RunStore, run: str) -> None:
    edges = keep(store, spec("gap", unit="edge"))
    link = replace(made_attack(edges, memory=2.0), attack="link", options=AttackOptions(by="influence"), bound=None)
    for one in (run, edges):
        store.add_attack(one, made_attack(one, memory=2.0))
    store.add_attack(edges, link)
    app = opened("attacks", run=run)
    assert "**The one method that hides people on Karate club does not keep secret who was trained on.**" in texts(app)
    app.session_state["overview_question"] = "who is connected to whom"
    table = table_of(app)
    assert len(table) == 1
    assert "**The one method that hides edges on Karate club does not keep secret who is connected to whom.**" in texts(
        app
    )
    app.session_state["overview_question"] = "who was trained on"
    app.run()
    assert len(next(one.value for one in app.dataframe if "verdict" in one.value.columns)) == 2, "it stays open"
