"""The Runs page: find, choose, compare, tag, stop, repeat, delete."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.run_list import rows_of, table_of

from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph_workbench.views.runs import listed, page
from privgraph_workbench.words.numbers import stated


def test_an_empty_store_leads_to_the_demo(opened: Callable[..., AppTest]) -> None:
    app = opened("runs")
    assert "Nothing has run here yet." in app.info[0].value
    assert app.get("page_link")[0].proto.label == "Start with the demo"


def test_filters_live_in_the_address(opened: Callable[..., AppTest], store: RunStore) -> None:
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
    nothing = opened("runs", find="no such run").info[0].value
    assert nothing.startswith("No run is like that. Every word of a search must be found")
    assert opened("runs", of_state="failed").info[0].value == "No run is like that. Take a filter away."


def test_words_of_the_rows_are_found(opened: Callable[..., AppTest], store: RunStore) -> None:
    edge = keep(store, spec("gap", epsilon=2.0))
    node = keep(store, spec("gap", unit="node", epsilon=8.0, batch_size=8))
    bare = keep(store, spec("gnn", unit="none"))
    voted = keep(store, spec("privgnn", lam=0.4))
    failed = keep(store, spec("progap", epsilon=2.0), state="failed")
    assert table_of(opened("runs", find="GAP edges")) == [failed, edge], "a row says edges, its spec edge"
    assert table_of(opened("runs", find="people")) == [voted, node]
    assert table_of(opened("runs", find="nothing")) == [bare]
    assert table_of(opened("runs", find="failed")) == [failed]


def test_wrong_addresses_are_named(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("runs", of_method="progab", of_state="asleep", order="beauty", chosen=f"{run},gone-0")
    said = "\n".join(text.value for text in app.warning)
    for word in ("progab", "asleep", "beauty", "There is no run gone-0"):
        assert word in said
    assert table_of(app) == [run]


def test_long_lists_have_pages(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE_SIZE", 4)
    for hidden in range(10, 17):
        keep(store, spec("mlp", hidden=hidden, unit="none"), state="queued")
    first, second = table_of(opened("runs")), table_of(opened("runs", page="2"))
    assert (len(first), len(second)) == (4, 3)
    assert not set(first) & set(second)
    wrong = opened("runs", page="9")
    assert "Page must be at most 2 (got 9)." in wrong.error[0].value
    assert table_of(wrong) == first


def test_seeds_of_a_setting_share_a_row(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    other = keep(store, spec(epsilon=4.0), accuracy=0.65)
    two, one = rows_of(opened("runs", order="oldest"))
    assert [run["id"] for run in two["runs"]] == runs, "a click opens the first, the others unfold"
    assert [run["text"] for run in two["runs"]] == ["60.0%", "70.0%", "80.0%"]
    assert (two["accuracy"], two["spread"]) == ("70.0%", "45.2 – 94.8"), "Student's interval of three"
    assert (one["accuracy"], one["spread"], one["runs"][0]["id"]) == ("65.0%", "", other), "one seed has no interval"
    best = rows_of(opened("runs", order="test accuracy"))
    assert [row["accuracy"] for row in best] == ["70.0%", "65.0%"], "ordered by the mean, though a run has 60%"
    assert "2 settings**, 4 runs" in "".join(text.value for text in opened("runs").markdown)


def test_an_audited_epsilon_is_listed_as_a_lower_bound(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    said = store.get(run).statement
    assert said is not None
    store.add_audit(run, made_audit(run, delta=said.delta))
    bound = store.get(run).epsilon_audited
    assert bound is not None
    (row,) = rows_of(opened("runs"))
    assert {one["kind"]: one["text"] for one in row["epsilons"]}["audited"] == f"≥ {stated('audited', bound)} audited"


def test_a_refuted_claim_is_marked_and_can_be_found(opened: Callable[..., AppTest], store: RunStore) -> None:
    run, other = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (8.0, 0.1))
    assert not [one for one in opened("runs").toggle if one.key == page.REFUTED], "nothing is refuted"
    said = store.get(other).statement
    assert said is not None
    store.add_audit(other, made_audit(other, delta=said.delta))
    bound = store.get(other).epsilon_audited
    assert bound is not None
    assert bound > said.epsilon
    app = opened("runs")
    marked = {row["runs"][0]["id"]: [one["kind"] for one in row["epsilons"] if one["refuted"]] for row in rows_of(app)}
    assert marked[run] == []
    assert "sound" in marked[other]
    app.toggle(key=page.REFUTED).set_value(True).run()
    assert table_of(app) == [other]


def test_a_model_that_reads_no_edge_is_not_said_to_protect_nothing(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    keep(store, spec("mlp", unit="none"))
    (row,) = rows_of(opened("runs"))
    assert row["unit"] == "no person; reads no edge"


def test_rows_of_a_method_say_what_tells_them_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    """What all listed ones share is left out, and no two that differ have one label."""
    many: dict[str, object] = {"lam": 0.4, "queries": 20, "release": "posterior", "epochs": 7, "hidden": 17}
    many |= {"rate": 0.21, "common": True}
    for neighbours in (40, 41):
        keep(store, spec("privgnn", **many, neighbours=neighbours))
    keep(store, spec("privgnn", **{**many, "neighbours": 41, "common": False}))
    keep(store, spec("mlp", unit="none", hidden=17))
    told = {
        row["title"]: [one["told"] for one in rows_of(opened("runs")) if one["title"] == row["title"]]
        for row in rows_of(opened("runs"))
    }
    rows = told["PrivGNN"]
    assert len(set(rows)) == len(rows) == 3
    assert all(row.startswith("λ 0.4, with") and "neighbours 4" in row for row in rows), rows
    assert not any("queries" in row or "True" in row or "more" in row for row in rows), rows
    assert sum("with “common samples”" in row for row in rows) == 2
    assert told[METHODS["mlp"].title] == ["hidden 17"], "of its method the only one: all that was changed"


def test_a_setting_says_how_far_its_runs_are(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(seed=0))
    keep(store, spec(seed=1), state="failed", error="no memory")
    keep(store, spec(seed=2), state="running")
    (row,) = rows_of(opened("runs"))
    assert (row["state"], row["look"]) == ("1 done, 1 failed, 1 running", "live")
    assert [run["text"] for run in row["runs"]] == ["80.0%", "failed", "running 50%"]


def test_a_run_that_could_not_be_read_joins_its_setting_when_it_can(store: RunStore) -> None:
    first, second = keep(store, spec(seed=0)), keep(store, spec(seed=1))
    listed._settings.clear()
    rows = store.find_rows()
    with store.database.write() as connection:
        (kept,) = connection.scalars(sa.select(runs.c.spec).where(runs.c.id == second))
        connection.execute(runs.update().where(runs.c.id == second).values(spec="{"))
    assert len(listed.by_setting(store, rows, "newest")) == 2
    with store.database.write() as connection:
        connection.execute(runs.update().where(runs.c.id == second).values(spec=kept))
    (group,) = listed.by_setting(store, rows, "newest")
    assert [one["id"] for one in group] == [first, second]


def test_ticks_are_kept_in_the_address(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    address = {"chosen": "elsewhere-1,a-2"}
    monkeypatch.setattr(page.st, "query_params", address)
    page._choose(["b-3", "a-2"], [])
    assert address["chosen"] == "elsewhere-1,a-2,b-3"
    page._choose([], ["a-2", "b-3"])
    assert address["chosen"] == "elsewhere-1"
    page._choose([], ["elsewhere-1"])
    assert not address


def test_titles_are_found(opened: Callable[..., AppTest], store: RunStore) -> None:
    network, club = keep(store, spec("gnn", unit="none")), store.submit(make_spec("gap", "social"))
    assert opened("runs", find="network house").info, "each of its words must be found"
    assert table_of(opened("runs", find="Graph network karate")) == [network]
    assert table_of(opened("runs", find="made-up")) == [club], "a graph by its title"


def test_filters_are_cleared_by_one_click(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec())
    keep(store, spec("mlp", unit="none"))
    app = opened("runs", of_method="mlp", find="karate", of_unit="none")
    assert len(table_of(app)) == 1
    app.button(key="clear_filters").click().run()
    assert not app.exception, app.exception
    assert len(table_of(app)) == 2
    assert "clear_filters" not in {button.key for button in app.button}


def test_ended_runs_are_repeated_and_tagged(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(), state="lost", error="the worker's process ended")
    app = opened("runs", chosen=run)
    app.text_input[-1].set_value("again")
    next(button for button in app.button if button.label == "Add the tag").click().run()
    assert store.get(run).tags == ("again",)
    app = opened("runs", chosen=run)
    app.button(key="retry_chosen").click().run()
    assert store.get(run).state == "queued"
    app = opened("runs", chosen=run)
    assert any(f"/train?run={run}" in block.value for block in app.code)
    assert any(block.value.startswith("privgraph run progap") for block in app.code)


def test_what_a_stopped_run_has_not_is_a_dash(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec(epsilon=1.0), state="stopped")
    (row,) = rows_of(opened("runs"))
    assert (row["accuracy"], row["mean"], row["spread"]) == ("—", None, "")


def test_graphs_of_two_sizes_are_told_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    for options in ({}, {"degree": 8.0}, {"nodes": 600, "degree": 16.0}):
        store.submit(make_spec("progap", "social", {"epsilon": 1.0}, data_options=options))
    assert {row["size"] for row in rows_of(opened("runs"))} == {
        "nodes 2000",
        "nodes 2000, classes 4, degree 8, homophily 0.8, signal 1.5",
        "nodes 600, classes 4, degree 16, homophily 0.8, signal 1.5",
    }
    start = {one.proto.label for one in opened("start").get("page_link")}
    assert any(label.endswith("on Made-up social network (nodes 2000)") for label in start)


def test_a_run_leads_to_the_other_seeds_of_its_setting(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    app = opened("train", run=runs[0])
    assert "This setting has 3 runs, 70.0% on average:" in [caption.value for caption in app.caption]
    assert "**seed 0: 60.0%**" in [text.value for text in app.markdown]
    links = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert f"run={runs[2]}" in links["seed 2: 80.0%"]
    assert "All runs" in links
