"""The Runs page: find, choose, compare, tag, stop, repeat, delete."""

from __future__ import annotations

import json
from collections.abc import Callable

from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.views.parts import composition
from privgraph_workbench.views.runs.page import PAGE_SIZE, comparison


def _table(app: AppTest) -> list[str]:
    """The ids in the table, in order."""
    return [link.removeprefix("/train?run=") for link in app.dataframe[0].value["open"]]


def test_an_empty_store_leads_to_the_demo(opened: Callable[..., AppTest]) -> None:
    app = opened("runs")
    assert "Nothing has run here yet." in app.info[0].value
    assert app.get("page_link")[0].proto.label == "Start with the demo"


def test_filters_live_in_the_address(opened: Callable[..., AppTest], store: RunStore) -> None:
    gap = keep(store, spec("gap", epsilon=2.0), tags=["mine"])
    mlp = keep(store, spec("mlp", unit="none"), accuracy=0.9)
    waiting = keep(store, spec("progap"), state="queued")
    assert _table(opened("runs")) == [waiting, mlp, gap]
    assert _table(opened("runs", of_method=["gap", "mlp"])) == [mlp, gap]
    assert _table(opened("runs", of_state="queued")) == [waiting]
    assert _table(opened("runs", of_unit="none")) == [mlp]
    assert _table(opened("runs", tagged="mine")) == [gap]
    assert _table(opened("runs", find="mine")) == [gap]
    assert _table(opened("runs", order="test accuracy"))[0] == mlp
    assert _table(opened("runs", find="epsilon=2 method=gap")) == [gap]
    nothing = opened("runs", find="no such run").info[0].value
    assert nothing.startswith("No run is like that. Every word of a search must be found")
    assert opened("runs", of_state="failed").info[0].value == "No run is like that. Take a filter away."


def test_wrong_addresses_are_named(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("runs", of_method="progab", of_state="asleep", order="beauty", chosen=f"{run},gone-0")
    said = "\n".join(text.value for text in app.warning)
    for word in ("progab", "asleep", "beauty", "There is no run gone-0"):
        assert word in said
    assert _table(app) == [run]


def test_long_lists_have_pages(opened: Callable[..., AppTest], store: RunStore) -> None:
    for seed in range(PAGE_SIZE + 3):
        keep(store, spec("mlp", seed=seed, unit="none"), state="queued")
    first, second = _table(opened("runs")), _table(opened("runs", page="2"))
    assert len(first) == PAGE_SIZE
    assert len(second) == 3
    assert not set(first) & set(second)
    wrong = opened("runs", page="9")
    assert "Page must be at most 2 (got 9)." in wrong.error[0].value
    assert _table(wrong) == first


def test_chosen_runs_are_compared_with_a_warning_for_mixed_units(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    edge = keep(store, spec(epsilon=2.0), accuracy=0.8)
    node = keep(store, spec(unit="node", epsilon=8.0, batch_size=8), accuracy=0.6)
    app = opened("runs", chosen=f"{edge},{node}")
    assert "### Side by side" in {text.value for text in app.markdown}
    said = [text.value for text in app.warning]
    said += [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert sum("edge-level and node-level" in text.lower() for text in said) == 1, "said once, where it is drawn"
    table = comparison(store.find(RunQuery(order="test_accuracy")))
    left, right = table.values()
    assert left["test accuracy"] == "80.0%"
    assert (left["protects"], right["protects"]) != (right["protects"], left["protects"])
    assert right["Batch size"] == "8"
    assert "hidden" not in left, "equal settings are not repeated"


def test_what_chosen_runs_cost_together_counts_all_of_them(opened: Callable[..., AppTest], store: RunStore) -> None:
    """Six of them are drawn; who sees the results of ten has been shown ten."""
    chosen = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in range(10)]
    app = opened("runs", chosen=",".join(chosen))
    assert any(text.value.startswith("**10 runs are chosen.** [Side by side](#side-by-side)") for text in app.markdown)
    labels = [button.label for button in app.button]
    assert labels.index("Delete these 10 runs") > labels.index("Add to report"), "what destroys comes last"
    (told,) = (text.value for text in app.caption if "together" in text.value)
    assert told == composition.together([store.get(run) for run in chosen])
    assert told != composition.together([store.get(run) for run in chosen[:6]])


def test_the_reference_without_privacy_raises_no_alarm(opened: Callable[..., AppTest], store: RunStore) -> None:
    node = keep(store, spec(unit="node", epsilon=8.0, batch_size=8), accuracy=0.6)
    open_ = keep(store, spec("gnn", unit="none"), accuracy=0.9)
    assert not opened("runs", chosen=f"{node},{open_}").warning


def test_each_figure_has_its_own_export(opened: Callable[..., AppTest], store: RunStore) -> None:
    chosen = [keep(store, spec(seed=seed)) for seed in (0, 1)]
    drawn = ""
    exported = []
    for element in opened("runs", chosen=",".join(chosen)).main:
        if element.type == "bidi_component":
            drawn = json.loads(element.proto.json)["figure"]["layout"]["title"]["text"]
        elif element.type == "html":
            files = [place for label, place in offered_files.links_in(str(element.proto.body)) if label == "SVG"]
            exported += [(drawn, place.rpartition("/")[2]) for place in files]
    assert [title for title, _ in exported] == ["Runs side by side", "Learning curves"]
    assert len({place for _, place in exported}) == 2


def test_graphs_of_one_name_are_told_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    for nodes in (600, 800):
        store.submit(make_spec("gap", "social", data_options={"nodes": nodes, "degree": 8.0}))
    table = opened("runs").dataframe[0].value
    assert table["dataset"].tolist() == [f"Made-up social network (nodes {nodes}, degree 8)" for nodes in (800, 600)]


def test_deleting_asks_first(opened: Callable[..., AppTest], store: RunStore) -> None:
    run, other = keep(store, spec()), keep(store, spec(seed=1))
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    assert store.count() == 2, "nothing is deleted before the question is answered"
    app.button(key="delete_yes").click().run()
    assert not app.exception, app.exception
    assert [record.id for record in store.find(RunQuery())] == [other]


def test_a_live_run_is_not_deleted_but_stopped(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec(), state="running")
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    app.button(key="delete_yes").click().run()
    assert "stop it before you delete it" in app.error[0].value
    assert store.count() == 1
    app = opened("runs", chosen=run)
    app.button(key="stop_chosen").click().run()
    assert store.get(run).state == "stopping"


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
    (table,) = opened("runs").dataframe
    assert table.value["test_accuracy"].isna().all()
    assert table.proto.placeholder == "—", "Streamlit would write None"


def test_graphs_of_two_sizes_are_told_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    for options in ({}, {"degree": 8.0}, {"nodes": 600, "degree": 16.0}):
        store.submit(make_spec("progap", "social", {"epsilon": 1.0}, data_options=options))
    (table,) = opened("runs").dataframe
    assert set(table.value["dataset"]) == {
        "Made-up social network (nodes 2000)",
        "Made-up social network (nodes 2000, degree 8)",
        "Made-up social network (nodes 600, degree 16)",
    }
    assert sorted(table.value["nodes"]) == [600, 2000, 2000], "a narrow column cuts the words off"
    start = {one.proto.label for one in opened("start").get("page_link")}
    assert any(label.endswith("on Made-up social network (nodes 2000)") for label in start)
