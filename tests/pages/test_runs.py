"""The Runs page: find, choose, compare, tag, stop, repeat, delete."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec

from privgraph.registry import METHODS
from privgraph.runs import gallery
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph_workbench.facts import composition
from privgraph_workbench.facts.ahead import ahead
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.views.runs import listed, page, searching
from privgraph_workbench.views.runs.side_by_side import comparison, told_apart
from privgraph_workbench.words.numbers import stated


def _rows(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the list."""
    found = next(data for one in app.get("bidi_component") if "rows" in (data := json.loads(one.proto.json)))
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def _table(app: AppTest) -> list[str]:
    """The ids in the list, in order."""
    return [run["id"] for row in _rows(app) for run in row["runs"]]


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
    assert _table(opened("runs", find="asked=2 method=gap")) == [gap]
    nothing = opened("runs", find="no such run").info[0].value
    assert nothing.startswith("No run is like that. Every word of a search must be found")
    assert opened("runs", of_state="failed").info[0].value == "No run is like that. Take a filter away."


def test_numbers_beside_words_bound_a_setting_as_the_list_shows_it(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    near = keep(store, spec("gap", epsilon=2.0), accuracy=0.7)
    far = [keep(store, spec("gap", seed, epsilon=8.0), accuracy=accuracy) for seed, accuracy in ((0, 0.78), (1, 0.84))]
    open_ = keep(store, spec("mlp", unit="none"), accuracy=0.9)
    assert _table(opened("runs", find="GAP epsilon<=2")) == [near]
    app = opened("runs", find="epsilon > 4")
    assert _table(app) == far, "what protects nothing has no ε to compare"
    assert searching.NO_GUARANTEE in [caption.value for caption in app.caption]
    assert _table(opened("runs", find="accuracy>0.8")) == [open_, *far], "the mean over the seeds, with all of them"
    assert _table(opened("runs", find="accuracy≥70% accuracy<80%")) == [near]
    app = opened("runs", find="GAP epsilon<2,5 epochs>100 accuracy>")
    assert [warning.value for warning in app.warning] == [
        r"epsilon\<2,5 is left out of the search: a decimal has a point, as in epsilon<2.5.",
        r"epochs\>100 is left out of the search: compared with a number are epsilon, published, accuracy and time; an "
        "option is found as name=value.",
        r"accuracy\> is left out of the search: behind \> stands a number, as in accuracy>0.8.",
    ]
    assert _table(app) == [*far, near], "the rest is searched for"


def test_words_of_the_rows_are_found(opened: Callable[..., AppTest], store: RunStore) -> None:
    edge = keep(store, spec("gap", epsilon=2.0))
    node = keep(store, spec("gap", unit="node", epsilon=8.0, batch_size=8))
    bare = keep(store, spec("gnn", unit="none"))
    voted = keep(store, spec("privgnn", lam=0.4))
    failed = keep(store, spec("progap", epsilon=2.0), state="failed")
    assert _table(opened("runs", find="GAP edges epsilon<=2")) == [edge], "a row says edges, its spec edge"
    assert _table(opened("runs", find="people")) == [voted, node]
    assert _table(opened("runs", find="nothing")) == [bare]
    assert _table(opened("runs", find="λ=0.4")) == _table(opened("runs", find="λ 0.4")) == [voted]
    assert _table(opened("runs", find="failed")) == [failed]


def test_an_equals_sign_means_the_number_that_the_list_shows(opened: Callable[..., AppTest], store: RunStore) -> None:
    sound = keep(store, spec("gap", epsilon=2.0), accuracy=0.803)
    other = keep(store, spec("gap", epsilon=1.0), accuracy=0.81)
    published = keep(store, spec("privgnn", epsilon=2.0, accounting="published", release="posterior"), accuracy=0.7)
    assert _table(opened("runs", find="epsilon=2")) == _table(opened("runs", find="ε = 2")) == [sound]
    assert _table(opened("runs", find="asked=2")) == [published, sound]
    assert _table(opened("runs", find="accuracy=0.8")) == _table(opened("runs", find="accuracy=80%")) == [sound]
    assert _table(opened("runs", find="accuracy=81.0%")) == _table(opened("runs", find="acc>80.5%")) == [other]


@pytest.mark.long
def test_the_search_that_is_given_as_an_example_finds_runs_of_the_gallery(store: RunStore) -> None:
    gallery.bring_in(store)
    search = searching.read(searching.EXAMPLE)
    assert not search.complaints
    groups = listed.by_setting(store, store.find_rows(RunQuery(text=search.words), graphs=True), "newest")
    assert [group for group in groups if all(bound.holds(group) for bound in search.bounds)]


def test_wrong_addresses_are_named(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec())
    app = opened("runs", of_method="progab", of_state="asleep", order="beauty", chosen=f"{run},gone-0")
    said = "\n".join(text.value for text in app.warning)
    for word in ("progab", "asleep", "beauty", "There is no run gone-0"):
        assert word in said
    assert _table(app) == [run]


def test_long_lists_have_pages(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE_SIZE", 4)
    for hidden in range(10, 17):
        keep(store, spec("mlp", hidden=hidden, unit="none"), state="queued")
    first, second = _table(opened("runs")), _table(opened("runs", page="2"))
    assert (len(first), len(second)) == (4, 3)
    assert not set(first) & set(second)
    wrong = opened("runs", page="9")
    assert "Page must be at most 2 (got 9)." in wrong.error[0].value
    assert _table(wrong) == first


def test_seeds_of_a_setting_share_a_row(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    other = keep(store, spec(epsilon=4.0), accuracy=0.65)
    two, one = _rows(opened("runs", order="oldest"))
    assert [run["id"] for run in two["runs"]] == runs, "a click opens the first, the others unfold"
    assert [run["text"] for run in two["runs"]] == ["60.0%", "70.0%", "80.0%"]
    assert (two["accuracy"], two["spread"]) == ("70.0%", "45.2 – 94.8"), "Student's interval of three"
    assert (one["accuracy"], one["spread"], one["runs"][0]["id"]) == ("65.0%", "", other), "one seed has no interval"
    best = _rows(opened("runs", order="test accuracy"))
    assert [row["accuracy"] for row in best] == ["70.0%", "65.0%"], "ordered by the mean, though a run has 60%"
    assert "2 settings**, 4 runs" in "".join(text.value for text in opened("runs").markdown)


def test_an_audited_epsilon_is_listed_as_a_lower_bound(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    said = store.get(run).statement
    assert said is not None
    store.add_audit(run, made_audit(run, delta=said.delta))
    bound = store.get(run).epsilon_audited
    assert bound is not None
    (row,) = _rows(opened("runs"))
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
    marked = {row["runs"][0]["id"]: [one["kind"] for one in row["epsilons"] if one["refuted"]] for row in _rows(app)}
    assert marked[run] == []
    assert "sound" in marked[other]
    app.toggle(key=page.REFUTED).set_value(True).run()
    assert _table(app) == [other]


def test_a_model_that_reads_no_edge_is_not_said_to_protect_nothing(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    keep(store, spec("mlp", unit="none"))
    (row,) = _rows(opened("runs"))
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
        row["title"]: [one["told"] for one in _rows(opened("runs")) if one["title"] == row["title"]]
        for row in _rows(opened("runs"))
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
    (row,) = _rows(opened("runs"))
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
    assert _table(opened("runs", find="Graph network karate")) == [network]
    assert _table(opened("runs", find="made-up")) == [club], "a graph by its title"


def test_filters_are_cleared_by_one_click(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec())
    keep(store, spec("mlp", unit="none"))
    app = opened("runs", of_method="mlp", find="karate", of_unit="none")
    assert len(_table(app)) == 1
    app.button(key="clear_filters").click().run()
    assert not app.exception, app.exception
    assert len(_table(app)) == 2
    assert "clear_filters" not in {button.key for button in app.button}


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
    said = ahead(groups, list(table))
    assert said == (
        "**ProGAP, edge ε 8** has the highest mean accuracy, 72.0%. **ProGAP, edge ε 4** cannot be told from it: "
        "1.0 points below, 95% interval −1.3 to 3.3, all seeds differ alike. **ProGAP, edge ε 2** is 11.0 points below "
        "(95% interval 8.7 to 13.3, all seeds differ alike)."
    )
    app = opened("runs", chosen=",".join(one.id for one in records))
    assert said in {text.value for text in app.markdown}
    drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    assert any("3 settings side by side" in one.get("summary", "") for one in drawn)


def test_of_one_setting_the_mean_is_told_and_no_seed_is_ahead(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [store.get(keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed)) for seed in range(3)]
    said = (
        "**ProGAP, edge ε 2** has a mean accuracy of 70.0% over 3 seeds (95% interval 45.2% to 94.8%); single seeds "
        "reached 60.0% to 80.0%."
    )
    assert ahead([[one] for one in runs], ["seed 0", "seed 1", "seed 2"]) == said
    app = opened("runs", chosen=",".join(one.id for one in runs))
    assert said in {text.value for text in app.markdown}


def test_a_mean_has_its_number_behind_its_interval_and_curves_say_that_they_are_means(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    means = [store.get(keep(store, spec("gap", seed=seed), accuracy=0.7 + 0.01 * seed)) for seed in range(3)]
    one = store.get(keep(store, spec("mlp", unit="none"), accuracy=0.6))
    drawn = compare.chart(compare.data([*means, one])).series
    assert [(mark.x, mark.text) for mark in drawn if mark.name == "mean test accuracy"] == [
        ((pytest.approx(0.7348, abs=1e-3),), (" 71.0%",))
    ]
    figure = str(compare.plot(compare.data([*means, one])).to_json())
    assert "markers+text" in figure
    app = opened("runs", chosen=",".join(record.id for record in (*means, one)))
    shown = "".join(one.proto.json for one in app.get("bidi_component"))
    assert "(mean of 3 seeds): validation accuracy" in shown
    assert "MLP (ignores edges), protects no person: validation accuracy" in shown


def test_graphs_are_compared_each_by_itself(store: RunStore) -> None:
    made = [make_spec(*one) for one in (("gap", "karate"), ("progap", "karate"), ("gap", "social"))]
    records = [store.get(keep(store, one, accuracy=0.6 + 0.1 * at)) for at, one in enumerate(made)]
    said = ahead([[one] for one in records], ["A", "B", "C"])
    assert said.startswith("On Karate club: **B** has the highest accuracy, 70.0%. **A** is 10.0 points below.")
    assert "**GAP, edge ε 1** reached 80.0%, with one seed. Accuracies on different graphs" in said
    again = store.get(keep(store, spec("gap", seed=1)))
    told = composition.together([*records[1:], again])
    assert "- Karate club, edge-level: 2 private runs have shown ε = " in told
    assert told.count("1 private run has shown ε = ") == 1, "the other graph has a line of its own"


def test_unlike_guarantees_are_not_ranked(store: RunStore) -> None:
    """Each is compared within its unit and relation, beside what has no privacy."""
    asked = [("gap", "edge"), ("progap", "edge"), ("gap", "node"), ("gnn", "none")]
    made = [
        store.get(keep(store, spec(method, unit=unit), accuracy=0.6 + 0.1 * at))
        for at, (method, unit) in enumerate(asked)
    ]
    labels = ["A", "B", "C", "D"]
    said = ahead([[one] for one in made[:3]], labels[:3])
    assert said == (
        "Edge-level: **B** has the highest accuracy, 70.0%. **A** is 10.0 points below. With fewer than three seeds of "
        "each, other seeds may turn this round. Node-level: **GAP, node ε 1** reached 80.0%, with one seed. Different "
        "guarantees are not ranked."
    )
    said = ahead([[one] for one in made], labels)
    edge, _, node = said.partition("Node-level: ")
    assert "**C**" not in edge
    assert "**D** has the highest accuracy, 90.0%" in edge
    assert "**D** has the highest accuracy, 90.0%. **C** is 10.0 points below" in node


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
    told = [(row["graph"], row["size"]) for row in _rows(opened("runs"))]
    assert told == [("Made-up social network", f"nodes {nodes}, degree 8") for nodes in (800, 600)]


def test_deleting_asks_first(opened: Callable[..., AppTest], store: RunStore) -> None:
    run, other = keep(store, spec()), keep(store, spec(seed=1))
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    assert store.count() == 2, "nothing is deleted before the question is answered"
    app.button(key="delete_yes").click().run()
    assert not app.exception, app.exception
    assert [record.id for record in store.find(RunQuery())] == [other]


@pytest.mark.long
def test_runs_of_the_gallery_are_not_offered_for_deletion(opened: Callable[..., AppTest], store: RunStore) -> None:
    gallery.bring_in(store)
    shipped = [record.id for record in store.find(RunQuery(limit=2))]
    keys = {button.key for button in opened("runs", chosen=",".join(shipped)).button}
    assert "choose_none" in keys
    assert "delete_chosen" not in keys
    own = keep(store, spec())
    app = opened("runs", chosen=",".join([*shipped, own]))
    assert app.button(key="delete_chosen").label == "Delete your own run"
    app.button(key="delete_chosen").click().run()
    app.button(key="delete_yes").click().run()
    assert not app.exception, app.exception
    assert not store.find(RunQuery(ids=(own,)))
    assert len(store.find(RunQuery(ids=tuple(shipped)))) == 2


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
    assert _table(opened("runs")) == runs[::-1]
    app = opened("runs", chosen=runs[0])
    assert _table(app) == [runs[0], runs[2], runs[1]], "a point of Trade-offs leads here"
    app.query_params["chosen"] = f"{runs[0]},{runs[1]}"
    app.run()
    assert _table(app) == [runs[0], runs[2], runs[1]], "a tick moves nothing"
    app.selectbox(key="order").set_value("oldest").run()
    assert _table(app) == runs, "an order that is asked for is kept"


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
    (row,) = _rows(opened("runs"))
    assert (row["accuracy"], row["mean"], row["spread"]) == ("—", None, "")


def test_graphs_of_two_sizes_are_told_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    for options in ({}, {"degree": 8.0}, {"nodes": 600, "degree": 16.0}):
        store.submit(make_spec("progap", "social", {"epsilon": 1.0}, data_options=options))
    assert {row["size"] for row in _rows(opened("runs"))} == {
        "nodes 2000",
        "nodes 2000, degree 8",
        "nodes 600, degree 16",
    }
    start = {one.proto.label for one in opened("start").get("page_link")}
    assert any(label.endswith("on Made-up social network (nodes 2000)") for label in start)


@pytest.mark.long
def test_what_models_of_relations_reach_is_not_called_accuracy(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec())
    gallery.bring_in(store)
    rows = _rows(opened("runs", of_method=["relational", "progap"]))
    assert {row["measure"] for row in rows if row["title"] == METHODS["relational"].title} == {"PREC@1"}
    assert {row["measure"] for row in rows if row["title"] == METHODS["progap"].title} == {""}
    shipped = [row["when"] for row in rows if row["title"] == METHODS["relational"].title]
    assert all(when.startswith("gallery, ") for when in shipped), "when it was made, by which the list is ordered"


def test_a_run_leads_to_the_other_seeds_of_its_setting(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    app = opened("train", run=runs[0])
    assert "This setting has 3 runs, 70.0% on average:" in [caption.value for caption in app.caption]
    assert "**seed 0: 60.0%**" in [text.value for text in app.markdown]
    links = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert f"run={runs[2]}" in links["seed 2: 80.0%"]
    assert "All runs" in links
