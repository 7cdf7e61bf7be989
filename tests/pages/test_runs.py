"""The page Runs: find, choose, compare, tag, stop, repeat, delete."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.run_list import rows_of, table_of

from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph_workbench import run_list
from privgraph_workbench.facts import composition
from privgraph_workbench.parts import run_rows
from privgraph_workbench.words.numbers import stated

Open = Callable[..., AppTest]


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def columns(app: AppTest, place: int = 0) -> dict[str, dict[str, str]]:
    """A table that is drawn side by side, by its columns."""
    found: dict[str, dict[str, str]] = app.table[place].value.to_dict()
    return found


def test_an_empty_store_leads_to_the_demo(opened: Open) -> None:
    app = opened("runs")
    assert len(app.info) == 1
    assert len(app.get("page_link")) == 1


def test_filters_live_in_the_address(opened: Open, store: RunStore) -> None:
    gap = keep(store, spec("gap", epsilon=2.0), tags=["mine"])
    mlp = keep(store, spec("mlp", unit="none"), accuracy=0.9)
    waiting = keep(store, spec("progap"), state="queued")
    assert table_of(opened("runs")) == [waiting, mlp, gap]
    assert table_of(opened("runs", of_method=["gap", "mlp"])) == [mlp, gap]
    assert table_of(opened("runs", of_state="queued")) == [waiting]
    assert table_of(opened("runs", of_unit="none")) == [mlp]
    assert table_of(opened("runs", tagged="mine")) == [gap]
    assert table_of(opened("runs", find="mine")) == [gap]
    assert table_of(opened("runs", order="test accuracy"))[0] == mlp
    assert table_of(opened("runs", find="epsilon=2 method=gap")) == [gap]
    nothing = opened("runs", find="no such run")
    assert not nothing.get("bidi_component")
    nothing.button(key="clear_filters").click().run()
    assert len(table_of(nothing)) == 3
    assert "clear_filters" not in keys(nothing)


@pytest.mark.parametrize(
    ("words", "place"), [("GAP edges", 0), ("people", 1), ("nothing", 2), ("failed", 3), ("Graph network karate", 2)]
)
def test_words_of_the_rows_are_found(opened: Open, store: RunStore, words: str, place: int) -> None:
    kept = [
        keep(store, spec("gap", epsilon=2.0)),
        keep(store, spec("gap", unit="node", epsilon=8.0, batch_size=8)),
        keep(store, spec("gnn", unit="none")),
        keep(store, spec("mlp", unit="none", hidden=17), state="failed"),
    ]
    assert kept[place] in table_of(opened("runs", find=words))


def test_wrong_addresses_are_told(opened: Open, store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("runs", of_method="progab", of_state="asleep", order="beauty", chosen=f"{run},gone-0")
    said = "\n".join(text.value for text in app.warning)
    assert all(word in said for word in ("progab", "asleep", "beauty", "gone-0"))
    assert table_of(app) == [run]
    assert "![x]" not in opened("runs", run="![x](http://evil.example)").warning[0].value


def test_long_lists_have_pages(opened: Open, store: RunStore) -> None:
    for hidden in range(10, 28):
        store.submit(spec("mlp", hidden=hidden, unit="none"))
    first, second = table_of(opened("runs")), table_of(opened("runs", page="2"))
    assert (len(first), len(second)) == (15, 3)
    assert not set(first) & set(second)
    wrong = opened("runs", page="9")
    assert len(wrong.error) == 1
    assert table_of(wrong) == first


def test_seeds_of_a_setting_share_a_row(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    other = keep(store, spec(epsilon=4.0), accuracy=0.65)
    two, one = rows_of(opened("runs", order="oldest"))
    assert [run["id"] for run in two["runs"]] == runs
    assert [run["text"] for run in two["runs"]] == ["60.0%", "70.0%", "80.0%"]
    assert (two["accuracy"], two["spread"]) == ("70.0%", "45.2 – 94.8"), "Student's interval of three"
    assert (one["accuracy"], one["spread"], one["runs"][0]["id"]) == ("65.0%", "", other), "one seed has no interval"
    best = rows_of(opened("runs", order="test accuracy"))
    assert [row["accuracy"] for row in best] == ["70.0%", "65.0%"], "ordered by the mean, though a run has 60%"


def test_audits_are_listed_and_what_they_refute_is_found(opened: Open, store: RunStore) -> None:
    run, other = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (8.0, 0.1))
    assert not [one for one in opened("runs").toggle if one.key == "refuted"]
    said = store.get(other).statement
    assert said is not None
    store.add_audit(other, made_audit(other, delta=said.delta))
    bound = store.get(other).epsilon_audited
    assert bound is not None
    assert bound > said.epsilon
    app = opened("runs")
    by_run = {row["runs"][0]["id"]: {one["kind"]: one for one in row["epsilons"]} for row in rows_of(app)}
    assert stated("audited", bound) in by_run[other]["audited"]["text"]
    assert by_run[other]["sound"]["refuted"]
    assert not by_run[run]["sound"]["refuted"]
    app.toggle(key="refuted").set_value(True).run()
    assert table_of(app) == [other]


def test_rows_of_a_method_say_what_tells_them_apart(opened: Open, store: RunStore) -> None:
    many: dict[str, object] = {"lam": 0.4, "queries": 20, "release": "posterior", "epochs": 7, "hidden": 17}
    many |= {"rate": 0.21, "common": True}
    for neighbours in (40, 41):
        keep(store, spec("privgnn", **many, neighbours=neighbours))
    keep(store, spec("privgnn", **{**many, "neighbours": 41, "common": False}))
    keep(store, spec("mlp", unit="none", hidden=17))
    rows = rows_of(opened("runs"))
    told = [row["told"] for row in rows if row["title"] == "PrivGNN"]
    assert len(set(told)) == len(told) == 3
    (bare,) = [row for row in rows if row["title"] == METHODS["mlp"].title]
    assert bare["told"] == "hidden 17"


def test_a_setting_says_how_far_its_runs_are(opened: Open, store: RunStore) -> None:
    for seed, state in enumerate(("done", "failed", "running")):
        keep(store, spec(seed=seed), state=state)
    keep(store, spec(epsilon=3.0), state="stopped")
    stopped, row = rows_of(opened("runs"))
    assert (row["state"], row["look"]) == ("1 done, 1 failed, 1 running", "live")
    assert [run["text"] for run in row["runs"]] == ["80.0%", "failed", "running 50%"]
    assert (stopped["accuracy"], stopped["mean"], stopped["spread"]) == ("—", None, "")


def test_graphs_of_two_sizes_are_told_apart(opened: Open, store: RunStore) -> None:
    for options in ({}, {"degree": 8.0}, {"nodes": 600, "degree": 16.0}):
        store.submit(make_spec("progap", "social", {"epsilon": 1.0}, data_options=options))
    assert len({row["size"] for row in rows_of(opened("runs"))}) == 3


def test_a_run_that_could_not_be_read_joins_its_setting_when_it_can(store: RunStore) -> None:
    first, second = keep(store, spec(seed=0)), keep(store, spec(seed=1))
    run_rows._settings.clear()
    rows = store.find_rows()
    with store.database.write() as connection:
        (kept,) = connection.scalars(sa.select(runs.c.spec).where(runs.c.id == second))
        connection.execute(runs.update().where(runs.c.id == second).values(spec="{"))
    assert len(run_rows.by_setting(store, rows, "newest")) == 2
    with store.database.write() as connection:
        connection.execute(runs.update().where(runs.c.id == second).values(spec=kept))
    (group,) = run_rows.by_setting(store, rows, "newest")
    assert [one["id"] for one in group] == [first, second]


def test_ticks_are_kept_in_the_address_as_far_as_it_has_room(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep(store, spec())
    ticks: list[tuple[list[str], list[str]]] = [([], [])]
    honest = run_list.show

    def show(*asked: object) -> None:
        honest(*asked)  # type: ignore[arg-type]
        asked[4](*ticks.pop() if ticks else ([], []))  # type: ignore[operator]

    monkeypatch.setattr(run_list, "show", show)
    app = opened("runs", chosen="elsewhere-1,a-2")
    ticks.append((["b-3", "a-2"], ["elsewhere-1"]))
    app.run()
    assert app.query_params["chosen"] in ("a-2,b-3", ["a-2,b-3"])
    ticks.append(([f"run-{place}" for place in range(600)], ["a-2"]))
    app.run()
    assert str(app.query_params["chosen"]).count(",") == 99
    app.run()
    assert any("501" in one.value for one in app.info), "what was left out is counted"
    assert run
    app.button(key="choose_none").click().run()
    assert "chosen" not in app.query_params


def test_chosen_settings_stand_side_by_side_by_their_means(opened: Open, store: RunStore) -> None:
    chosen = [
        keep(store, spec(epsilon=epsilon, seed=seed, depth=depth), accuracy=start + 0.01 * seed)
        for epsilon, depth, start in ((2.0, 1, 0.6), (4.0, 2, 0.7))
        for seed in range(3)
    ]
    app = opened("runs", chosen=",".join(chosen))
    first, second = columns(app).values()
    assert first["test accuracy"] == "61.0% (58.5% to 63.5%)"
    assert (first["depth"], second["depth"]) == ("1", "2")
    records = [store.get(run) for run in chosen[:3]]
    assert first["sound ε"] == stated("sound", max(one.statement.epsilon for one in records if one.statement))
    names = {json.loads(one.proto.json).get("name") for one in app.get("bidi_component")}
    assert {"compare.bars", "compare.curves"} <= names


def test_what_chosen_runs_cost_together_counts_all_of_them(opened: Open, store: RunStore) -> None:
    """Six of them are drawn; whoever sees the results of ten has been shown ten."""
    chosen = [keep(store, spec(epsilon=2.0, depth=depth % 5 + 1, seed=depth)) for depth in range(10)]
    app = opened("runs", chosen=",".join(chosen))
    (told,) = composition.together([store.get(run) for run in chosen])
    assert told["private runs"] == "10"
    shown = app.table[1].value.to_dict("records")[0]
    assert shown["sound ε of all"] == told["sound ε of all"]
    assert not opened("runs", chosen=keep(store, spec("mlp", unit="none"))).table


def test_two_units_are_no_price_together(opened: Open, store: RunStore) -> None:
    node = keep(store, spec(unit="node", epsilon=8.0, batch_size=8), accuracy=0.6)
    edge, bare = keep(store, spec()), keep(store, spec("gnn", unit="none"), accuracy=0.9)
    app = opened("runs", chosen=f"{node},{edge},{bare}")
    assert len(app.table) == 1, "no two of them share a promise"
    assert {column["unit"] for column in columns(app).values()} == {"node", "edge", "none"}
    (open_,) = [one for one in columns(app).values() if one["unit"] == "none"]
    assert open_["sound ε"] == stated("sound", math.inf)


def test_deleting_asks_first(opened: Open, store: RunStore) -> None:
    run, other = keep(store, spec()), keep(store, spec(seed=1))
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    assert store.count() == 2
    app.button(key="delete_yes").click().run()
    assert not app.exception, app.exception
    assert [record.id for record in store.find(RunQuery())] == [other]


def test_a_live_run_is_not_deleted_but_stopped(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(), state="running")
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    app.button(key="delete_yes").click().run()
    assert len(app.error) == 1
    assert store.count() == 1
    app = opened("runs", chosen=run)
    app.button(key="stop_chosen").click().run()
    assert store.get(run).state == "stopping"


def test_ended_runs_are_repeated_and_tagged(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(), state="lost", error="the worker's process ended")
    app = opened("runs", chosen=run)
    app.text_input[-1].set_value("again")
    next(button for button in app.button if str(button.key).startswith("FormSubmitter:tag_chosen")).click().run()
    assert store.get(run).tags == ("again",)
    app = opened("runs", chosen=run)
    assert any(f"/train?run={run}" in block.value for block in app.code)
    assert any(block.value.startswith("privgraph run progap") for block in app.code)
    app.button(key="retry_chosen").click().run()
    assert store.get(run).state == "queued"


def test_what_was_chosen_elsewhere_stands_first(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0, 4.0)]
    assert table_of(opened("runs")) == runs[::-1]
    app = opened("runs", chosen=runs[0])
    assert table_of(app) == [runs[0], runs[2], runs[1]]
    app.query_params["chosen"] = f"{runs[0]},{runs[1]}"
    app.run()
    assert table_of(app) == [runs[0], runs[2], runs[1]], "a tick moves nothing"
    app.selectbox(key="order").set_value("oldest").run()
    assert table_of(app) == runs


def test_examples_are_read_only(opened: Open) -> None:
    row = rows_of(opened("runs", store="examples", of_method="gap"))[0]
    app = opened("runs", chosen=row["runs"][0]["id"])
    assert "collect_chosen" in keys(app) or app.get("page_link")
    assert not {"delete_chosen", "stop_chosen", "retry_chosen"} & keys(app)
