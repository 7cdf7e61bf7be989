"""The Runs page: settings side by side, and what is done with those that are chosen."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec
from tests.pages.run_list import rows_of, table_of

from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import composition
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.views.runs import page
from privgraph_workbench.views.runs.side_by_side import comparison, told_apart


def test_settings_are_compared_by_their_means(opened: Callable[..., AppTest], store: RunStore) -> None:
    groups = [
        [
            store.get(keep(store, spec(epsilon=epsilon, seed=seed, depth=depth), accuracy=start + 0.01 * seed))
            for seed in range(3)
        ]
        for epsilon, depth, start in ((2.0, 1, 0.6), (4.0, 2, 0.7), (8.0, 2, 0.71))
    ]
    records = [one for group in groups for one in group]
    table = comparison(records)
    assert list(table) == ["ProGAP, edge ε 2", "ProGAP, edge ε 4", "ProGAP, edge ε 8"]
    apart, own, same = told_apart(table)
    rows = list(apart["ProGAP, edge ε 2"])
    assert rows[:3] == ["Depth K", "ε asked for", "test accuracy"], "what differs comes first"
    assert apart["ProGAP, edge ε 2"]["test accuracy"] == "61.0% (58.5% to 63.5%)"
    assert (same["seeds"], same["state"]) == ("0, 1, 2", "done")
    assert not any(own.values())
    app = opened("runs", chosen=",".join(one.id for one in records))
    drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    assert any("3 settings side by side" in one.get("summary", "") for one in drawn)


def test_runs_that_protect_nothing_have_no_epsilon_to_compose(store: RunStore) -> None:
    bare = [store.get(keep(store, spec("mlp", seed, unit="none"))) for seed in (0, 1)]
    assert not any("each ε" in badge for badge in compare.chart(compare.data(bare)).badges)
    private = store.get(keep(store, spec("gap")))
    assert any("3 runs on the same data: each ε" in one for one in compare.chart(compare.data([*bare, private])).badges)


def test_a_search_that_parts_a_setting_says_so(opened: Callable[..., AppTest], store: RunStore) -> None:
    for seed, tags in ((0, ["kept"]), (1, ["kept"]), (2, [])):
        keep(store, spec(seed=seed), tags=tags)
    told = "Of 1 setting only some runs match: the mean and interval of such a row are over those alone."
    assert told in [caption.value for caption in opened("runs", find="kept").caption]
    assert told not in [caption.value for caption in opened("runs", find="ProGAP").caption]


def test_options_of_one_method_alone_stand_back(store: RunStore) -> None:
    records = [store.get(keep(store, one)) for one in (spec("gap", unit="edge"), spec("mlp", unit="none"))]
    apart, own, _ = told_apart(comparison(records))
    assert list(apart) == ["GAP, edge ε 1", "MLP (ignores edges), protects no person"]
    assert "Encoder layers" in next(iter(own.values()))
    assert "Encoder layers" not in next(iter(apart.values()))


def test_chosen_runs_are_compared_with_a_warning_for_mixed_units(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    edge = keep(store, spec(epsilon=2.0), accuracy=0.8)
    node = keep(store, spec(unit="node", epsilon=8.0, batch_size=8), accuracy=0.6)
    app = opened("runs", chosen=f"{edge},{node}")
    assert "### Side by side" in {text.value for text in app.markdown}
    said = [text.value for text in app.warning]
    said += [json.loads(one.proto.json).get("summary", "") for one in app.get("bidi_component")]
    assert sum("edge-level and node-level" in text.lower() for text in said) == 1, "said once, where it is drawn"
    table = comparison(store.find(RunQuery(order="test_accuracy")))
    left, right = table.values()
    assert left["test accuracy"] == "80.0%"
    assert (left["protects"], right["protects"]) != (right["protects"], left["protects"])
    assert right["Batch size"] == "8"
    assert "hidden" not in left, "equal settings are not repeated"
    assert not {"Unit", "Delta", "unit", "delta", "Protected unit"} & {*left}, "what is protected, and δ, are said once"


def test_what_chosen_runs_cost_together_counts_all_of_them(opened: Callable[..., AppTest], store: RunStore) -> None:
    """Six of them are drawn; who sees the results of ten has been shown ten."""
    chosen = [keep(store, spec(epsilon=2.0, seed=seed)) for seed in range(10)]
    app = opened("runs", chosen=",".join(chosen))
    assert "**10 runs chosen.** [Side by side](#side-by-side)" in {text.value for text in app.markdown}
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
            figure = json.loads(element.proto.json).get("figure")
            drawn = figure["layout"]["title"]["text"] if figure else drawn
        elif element.type == "html":
            files = [place for label, place in offered_files.links_in(str(element.proto.body)) if label == "SVG"]
            exported += [(drawn, place.rpartition("/")[2]) for place in files]
    assert [title for title, _ in exported] == ["Runs side by side", "Learning curves"]
    assert len({place for _, place in exported}) == 2


def test_graphs_of_one_name_are_told_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    for nodes in (600, 800):
        store.submit(make_spec("gap", "social", data_options={"nodes": nodes, "degree": 8.0}))
    told = [(row["graph"], row["size"]) for row in rows_of(opened("runs"))]
    rest = "classes 4, degree 8, homophily 0.8, signal 1.5"
    assert told == [("Made-up social network", f"nodes {nodes}, {rest}") for nodes in (800, 600)]


def test_deleting_asks_first(opened: Callable[..., AppTest], store: RunStore) -> None:
    run, other = keep(store, spec()), keep(store, spec(seed=1))
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    assert store.count() == 2, "nothing is deleted before the question is answered"
    app.button(key="delete_yes").click().run()
    assert not app.exception, app.exception
    assert [record.id for record in store.find(RunQuery())] == [other]


def test_all_of_a_long_list_do_not_go_into_the_address(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    address: dict[str, str] = {}
    with monkeypatch.context() as patched:
        patched.setattr(page.st, "query_params", address)
        patched.setattr(page.st, "session_state", {})
        page._choose([f"run-{place}" for place in range(600)], [])
        assert page.st.session_state[page._OVER] == 600 - page.MOST_CHOSEN
    assert address["chosen"].count(",") == page.MOST_CHOSEN - 1
    run = keep(store, spec())
    app = opened("runs", chosen=run)
    app.session_state[page._OVER] = 500
    app.run()
    assert "At most 100 runs are chosen at once" in app.info[0].value
    app.button(key="choose_none").click().run()
    assert not app.info


def test_what_was_chosen_elsewhere_stands_first(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=epsilon)) for epsilon in (1.0, 2.0, 4.0)]
    assert table_of(opened("runs")) == runs[::-1]
    app = opened("runs", chosen=runs[0])
    assert table_of(app) == [runs[0], runs[2], runs[1]], "a point of Trade-offs leads here"
    app.query_params["chosen"] = f"{runs[0]},{runs[1]}"
    app.run()
    assert table_of(app) == [runs[0], runs[2], runs[1]], "a tick moves nothing"
    app.selectbox(key="order").set_value("oldest").run()
    assert table_of(app) == runs, "an order that is asked for is kept"


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
