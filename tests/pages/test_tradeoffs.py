"""The Trade-offs page: the curve, its warning, its exports, and the sweep with its price."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.figures import made_runs
from tests.pages import offered_files
from tests.pages.kept_runs import keep, spec
from tests.pages.tradeoff_pages import (
    advice_of,
    captions_of,
    tables_of,
    titles_of,
    unfolding,
)

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks, tradeoff_shown
from privgraph_workbench.parts import cart
from privgraph_workbench.views.tradeoffs import files


@pytest.fixture
def opened(opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page; of this one, after somebody has opened the form of the sweep."""
    return unfolding(opened)


def test_an_empty_page_offers_to_compare_what_fits(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("tradeoffs", data="karate", fold="")
    assert "The comparison below makes the curve" in app.info[0].value
    assert app.button(key="compare_go.edge").label == "Compare what fits (42 runs)"
    assert [one.key for one in app.button if one.proto.type == "primary"] == ["compare_go.edge"]
    assert "**What it takes.** 42 runs, about" in "\n".join(text.value for text in app.markdown)
    keep(store, spec(epsilon=1.0))
    full = opened("tradeoffs", data="karate", fold="")
    assert not any(one.key in ("sweep_go", "compare_go.edge") for one in full.button), "made when somebody asks for it"


@pytest.mark.parametrize(("protects", "mixed"), [("edge", False), ("node", False), ("both", True)])
def test_mixed_units_carry_a_warning(
    opened: Callable[..., AppTest], store: RunStore, protects: str, mixed: bool
) -> None:
    for seed in (0, 1):
        keep(store, spec(epsilon=1.0, seed=seed), accuracy=0.7 + seed / 10)
        keep(store, spec(unit="node", epsilon=8.0, batch_size=8, seed=seed), accuracy=0.6)
    app = opened("tradeoffs", data="karate", protects=protects, fold="numbers")
    said = [text.value for text in app.markdown]
    said += [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert sum("do not compare them" in text for text in said) == mixed, "said once, where it is drawn"
    numbers = next(table.value for table in app.dataframe if "sound ε" in table.value)
    assert len(numbers) == 1 + mixed
    axes = [
        re.split(r" \((?:privacy|log)", axis["title"]["text"])[0]
        for plot in app.get("bidi_component")
        for name, axis in json.loads(plot.proto.json)["figure"]["layout"].items()
        if name.startswith("xaxis")
    ]
    shown = {"edge": ["ε per edge"], "node": ["ε per person (node)"], "both": ["ε per edge", "ε per person (node)"]}
    assert axes == shown[protects], "never on one axis"
    if protects == "edge":
        assert numbers["accuracy (mean)"].tolist() == ["75.0%"]
        assert numbers["seeds"].tolist() == [2]
    labels = set(offered_files.labels(app))
    assert {"SVG", "PDF", "PNG", "CSV", "JSON"} <= labels


def test_runs_of_the_other_unit_are_pointed_to(opened: Callable[..., AppTest], store: RunStore) -> None:
    keep(store, spec("gnn", unit="none"), accuracy=0.9)
    keep(store, spec(unit="node", epsilon=8.0, batch_size=8), accuracy=0.6)
    said = [text.value for text in opened("tradeoffs", data="karate", fold="").info]
    assert said == ["1 finished run here protects a unit that is not shown: node."]
    app = opened("tradeoffs", data="karate", fold="")
    app.button(key="other_unit").click().run()
    assert not app.exception, app.exception
    assert app.segmented_control(key="protects").value == "node"
    assert not app.info, "the way leads to the figure"
    assert not opened("tradeoffs", data="karate", protects="node", fold="").info


def test_two_graphs_of_one_name_have_two_entries_and_two_panels_among_all(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for method, nodes in (("progap", 600), ("gap", 1500)):
        asked = make_spec(method, "social", {"unit": "edge"}, data_options={"nodes": nodes, "degree": 8.0})
        made_runs.finish(store, asked, 0.7, said)
    app = opened("tradeoffs", data="social", protects="edge", fold="numbers")
    titles = ["Made-up social network, 1,500 nodes", "Made-up social network, 600 nodes"]
    options = app.selectbox(key="data").options
    assert {f"{title} · 1 run" for title in titles} <= set(options)
    assert any(one.endswith(" · no runs yet") for one in options), "which have something to see"
    assert [one for one in titles_of(app) if one.startswith("Made-up")] == titles[:1], "one graph, and no other"
    other = next(name for name in files.choices() if "nodes=600" in name)
    app.selectbox(key="data").set_value(other).run()
    assert not app.exception, app.exception
    assert [one for one in titles_of(app) if one.startswith("Made-up")] == titles[1:]
    app.toggle(key="everywhere").set_value(True).run()
    assert sorted(one for one in titles_of(app) if one.startswith("Made-up")) == titles


def test_wrong_addresses_are_named(opened: Callable[..., AppTest]) -> None:
    app = opened("tradeoffs", data="karat", curve="progab", protects="everybody", fold="")
    said = "\n".join(text.value for text in app.warning)
    assert "did you mean karate" in said
    assert "progab" in said
    assert "everybody" in said


@pytest.mark.long
def test_numbers_of_neighbours_are_a_table_where_runs_tell(opened: Callable[..., AppTest], store: RunStore) -> None:
    pairs = [(m, n) for m in (1, 2) for n in (1, 4)]
    for m, n in pairs[:-1]:
        _keep_neighbours(store, m, n)
    assert not tables_of(opened("tradeoffs", data="karate", protects="edge")), "these runs protect nodes"
    assert len(tables_of(opened("tradeoffs", data="karate", protects="node"))) == 1
    _keep_neighbours(store, *pairs[-1], accuracy=0.9)
    (said,) = tables_of(opened("tradeoffs", data="karate", protects="node"))
    assert "Highest: 90.0% at M = 2 and N_test = 4" in said


def _keep_neighbours(store: RunStore, m: int, n: int, accuracy: float = 0.5) -> None:
    said = made_runs.statement(made_runs.node_entries(2.0), unit="node")
    asked = made_runs.spec("heter-poisson", "karate", unit="node", neighbours=m, test_neighbours=n)
    made_runs.finish(store, asked, accuracy, said)


def test_all_graphs_stand_side_by_side(opened: Callable[..., AppTest], store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for data in ("karate", "digits"):
        made_runs.finish(store, make_spec("gap", data, {"unit": "edge"}), 0.7, said)
    app = opened("tradeoffs", data="karate", fold="")
    (alone,) = [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert "digits" not in alone
    app.toggle(key="everywhere").set_value(True).run()
    (together,) = [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    assert "on Karate club, Handwritten digits" in together, "the chosen graph first"
    assert any("The parts below are about Karate club. Turn All graphs off" in one.value for one in app.caption)


@pytest.mark.long
def test_graphs_like_ones_own_stand_first_with_what_they_differ_in(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    full_gallery.fill(store)
    app = opened("tradeoffs", data="cora", everywhere="true", fold="every_graph")

    def rows() -> list[str]:
        return re.findall(
            r"<tbody.*?</tbody>", next(one.proto.body for one in app.get("html") if "Graph<" in one.proto.body)
        )  # a body of the table for each graph

    def of(title: str) -> str:
        return next(re.sub(r"(<[^>]*>)+", "|", one) for one in rows() if title in one).replace("&nbsp;", " ")

    cora = of("Cora")
    assert cora == (
        "|Cora|2,708 nodes, mean degree 3.9, homophily 0.81|▸ 0.25 to 4|MLP (ignores edges)|74.6% (72.5% to 76.7%)|10|"
        "13 (11 to 14)|tie|every edge (ε 0), no person|87.1% (86.4% to 87.8%)|74.6% (72.5% to 76.7%)|Tie| with "
        "EdgeRand (75.8% at ε 1); EdgeRand is higher, but not clearly|8|EdgeRand|83.0% (81.7% to 84.4%)|10|4 (2 to 6)|"
        "clear|next to none: ≤ 99.97%|"
    ), "with its cost, what it protects, and what is had without privacy and without edges"
    made_up = of("Made-up social network")
    assert made_up.startswith("|Made-up social network|600 nodes, mean degree 16.0, homophily 0.85|0.25 to 0.5|MLP")
    assert "|▸ 2|ProGAP|76.6% (69.1% to 84.0%)|10|22 (15 to 29)|clear|moderate: ≤ 88.1%|" in made_up
    for said in ("|4|ProGAP|91.2% (", "|Not told apart| from EdgeRand (90.8%)|"):
        assert said in made_up, "every one by its name, with its accuracy"
    assert "guesses right about it, where a coin is right in 50%" in captions_of(app)
    assert "at ε 1 that is 73.2% at most" in captions_of(app), "what the number of a protection is"
    assert not any("nearest measured graph" in one.value for one in app.markdown)
    assert not [one for one in app.number_input if str(one.key).startswith("like_")], (
        "the fields of one's own graph wait for their switch"
    )
    app.toggle(key="own").set_value(True).run()
    app.number_input(key="like_nodes").set_value(30_000).run()
    assert "Facebook pages" in rows()[0]
    assert "You have not typed mean degree and homophily, in which it may still be too far." in advice_of(app)
    app.number_input(key="like_nodes").set_value(700).run()
    assert "Made-up social network" in rows()[0]
    assert "**The nearest measured graph is Made-up social network**, judged by nodes alone" in advice_of(app)
    assert "Nodes 600, yours 700 (factor 1.2)" in advice_of(app)
    assert not app.warning


def test_a_crowd_of_settings_is_drawn_on_request(opened: Callable[..., AppTest], store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for hidden in range(16, 24):
        made_runs.finish(store, spec(hidden=hidden), 0.7, said)
    app = opened("tradeoffs", data="karate", fold="numbers")
    assert app.toggle(key="tradeoff_every").label == "Draw 7 more"
    assert app.toggle(key="tradeoff_every").help.startswith("ProGAP with other options. At first ")
    assert len(app.selectbox(key="point").options) == 1
    numbers = next(table.value for table in app.dataframe if "sound ε" in table.value)
    assert len(numbers) == 8, "the table has all"
    app.toggle(key="tradeoff_every").set_value(True).run()
    assert len(app.selectbox(key="point").options) == 8
    app.toggle(key="tradeoff_every").set_value(False).run()
    assert len(app.selectbox(key="point").options) == 1
    next(one for one in app.button if str(one.key).startswith("collect.tradeoff")).click().run()
    (kept,) = cart.entries()
    assert len(kept.rows) == len(kept.statements) == 1, "it tells the promises of what it draws"


def test_everything_is_no_more_than_can_be_read(opened: Callable[..., AppTest], store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for hidden in range(16, 20 + tradeoff_shown.LINES):
        made_runs.finish(store, spec(hidden=hidden), 0.5 + hidden / 100, said)
    app = opened("tradeoffs", data="karate", fold="numbers")
    assert app.toggle(key="tradeoff_every").label == f"Draw {tradeoff_shown.LINES - 1} more"
    app.toggle(key="tradeoff_every").set_value(True).run()
    points = app.selectbox(key="point").options
    assert len(points) == tradeoff_shown.LINES
    assert not any("66.0%" in point for point in points), "the least accurate are left to the table"
    texts = "\n".join(text.value for text in app.caption)
    assert (
        "A panel holds 8 curves and 4 levels; the other 4 points and levels stand only in the numbers below." in texts
    )
    numbers = next(table.value for table in app.dataframe if "sound ε" in table.value)
    assert len(numbers) == 4 + tradeoff_shown.LINES


def test_a_point_is_chosen_by_its_words_and_opens_its_runs(opened: Callable[..., AppTest], store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=1.0, seed=seed), accuracy=0.7) for seed in (0, 1)]
    app = opened("tradeoffs", data="karate", fold="")
    (point,) = app.selectbox(key="point").options
    assert point.startswith("ProGAP at sound ε ")
    assert point.endswith(": 70.0%, 2 seeds")
    (row,) = tradeoff.data(store.find())
    keep(store, spec("gnn", unit="none"), accuracy=0.9)
    assert " at sound ε 1: " in point, "never 0.99 where 1 was asked for and kept"
    app.selectbox(key="point").set_value(row["runs"]).run()
    assert not app.exception, app.exception
    assert app.title[0].value == "Runs"
    chosen = app.query_params["chosen"]
    assert set((chosen if isinstance(chosen, str) else chosen[0]).split(",")) == set(runs)
    assert [settings.value for settings in app.markdown if "setting**" in settings.value] == ["**1 setting**, 2 runs"]
    back = opened("tradeoffs", data="karate", chosen=",".join(runs), of_method="progap", find="asked=1", fold="")
    assert not {"chosen", "of_method", "find"} & set(back.query_params), "whoever comes back has this page's address"


def test_published_epsilons_and_the_front_are_drawn_when_asked_for(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    for epsilon, accuracy in ((1.0, 0.6), (4.0, 0.8)):
        keep(store, spec(epsilon=epsilon), accuracy=accuracy)
    app = opened("tradeoffs", data="karate", fold="")

    def names() -> set[str]:
        (figure,) = (
            data["figure"]
            for one in app.get("bidi_component")
            if (data := json.loads(one.proto.json))["name"].startswith("tradeoff.")
        )
        return {trace["name"] for trace in figure["data"]}

    assert not names() & {tradeoff_marks.KEYS["published"], tradeoff_marks.FRONT}
    assert "Each mark stands at a sound ε." in "\n".join(text.value for text in app.caption)
    app.toggle(key="tradeoff_front").set_value(True).run()
    assert tradeoff_marks.FRONT in names()
    assert tradeoff_marks.KEYS["published"] not in names()
    app.toggle(key="tradeoff_detailed").set_value(True).run()
    assert names() >= {*tradeoff_marks.KEYS.values(), tradeoff_marks.FRONT}


@pytest.mark.parametrize("asked", [(), ("tradeoff_front",), ("tradeoff_detailed",)])
def test_what_leaves_is_the_figure_that_is_drawn(
    opened: Callable[..., AppTest], store: RunStore, asked: tuple[str, ...]
) -> None:
    for epsilon, accuracy in ((1.0, 0.6), (4.0, 0.8)):
        keep(store, spec(epsilon=epsilon), accuracy=accuracy)
    app = opened("tradeoffs", data="karate", fold="")
    for one in asked:
        app.toggle(key=one).set_value(True).run()
    next(one for one in app.button if str(one.key).startswith("collect.tradeoff")).click().run()
    (kept,) = cart.entries()
    names = {one.name for one in chart_of(kept.figure, kept.rows).series}
    assert (tradeoff_marks.FRONT in names) == ("tradeoff_front" in asked)
    assert (tradeoff_marks.KEYS["published"] in names) == ("tradeoff_detailed" in asked)
