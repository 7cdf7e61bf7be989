"""All graphs side by side: a line for each, a panel for each, and folded every answer with its seeds and what
is not told apart beside it; what cannot be answered yet below the lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html import unescape
from types import SimpleNamespace
from typing import cast

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.benchmarks import bench_page
from tests.pages.kept_runs import keep

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, advising
from privgraph_workbench.facts.stretches import Stretch
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.parts import cart
from privgraph_workbench.views.tradeoffs import all_graphs, figure, known

Open = Callable[..., AppTest]


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def ran(store: RunStore, data: str, method: str, accuracies: Sequence[float], epsilon: float | None = 1.0) -> None:
    """Finished runs of a method, one a seed; None: without privacy."""
    asked = {"unit": "none"} if epsilon is None else {"unit": "edge", "epsilon": epsilon}
    for seed, accuracy in enumerate(accuracies):
        keep(store, make_spec(method, data, asked, seed=seed), accuracy=accuracy)


def compared(store: RunStore, data: str = "karate") -> None:
    """On a graph GAP and ProGAP are not told apart at ε 1, and ProGAP is the best at 4, where the network
    without privacy is as good; EdgeRand is bad."""
    ran(store, data, "mlp", (0.50, 0.51, 0.52), None)
    ran(store, data, "gnn", (0.90, 0.92, 0.91), None)
    for epsilon, best, second in ((1.0, (0.80, 0.81, 0.82), (0.79, 0.81, 0.815)), (4.0, (0.91, 0.92, 0.903), None)):
        ran(store, data, "progap", best, epsilon)
        ran(store, data, "gap", second or (0.60, 0.61, 0.62), epsilon)
        ran(store, data, "edge-rand", (0.30, 0.31, 0.32), epsilon)


def everywhere(opened: Open, data: str, **query: str) -> AppTest:
    """All graphs, with the table of what is said of them unfolded."""
    app = opened("tradeoffs", data=data, everywhere="true", fold="", **query)
    app.session_state["fold.every_graph"] = True
    app.run()
    assert not app.exception, app.exception
    return app


def lines(app: AppTest) -> list[str]:
    """What is told first of each graph."""
    return [line for one in app.markdown for line in one.value.split("\n\n") if line.startswith("▸ ")]


def panels_of(app: AppTest) -> list[str]:
    """What each panel is called, without the size of its graph."""
    layout = json.loads(app.get("bidi_component")[0].proto.json)["figure"]["layout"]
    return [one["text"].partition(",")[0] for one in layout["annotations"] if "domain" in one["xref"]]


def table(app: AppTest, label: str = "What hides edges") -> list[list[str]]:
    """The lines of the table, each with its cells; of a graph's first line its heading, too."""
    body = next(one.proto.body for one in app.get("html") if f'aria-label="{label}"' in one.proto.body)
    rows = re.findall(r'<tr role="row">(.*?)</tr>', body)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[unescape(re.sub(r"<[^>]+>", " ", one)).replace("\xa0", " ").strip() for one in row] for row in cells]


@pytest.mark.long
def test_what_is_measured_otherwise_has_a_table_of_its_own(opened: Open, store: RunStore) -> None:
    full_gallery.fill(store)
    app = everywhere(opened, "cora")
    assert not [cell for row in table(app) for cell in row if "PREC" in cell or "products" in cell]
    head, *lines = table(app, "What hides edges, by PREC@1 of relations")
    assert head == ["PREC@1" if one == "Accuracy" else one for one in all_graphs.HEAD[:-1]], "no MLP predicts them"
    assert lines[0][0].startswith("Made-up products")
    assert all(len(row) in (len(head), len(head) - 2) for row in lines)


def test_what_is_not_told_apart_is_named_with_its_accuracy_by_the_verdict(opened: Open, store: RunStore) -> None:
    compared(store)
    app = everywhere(opened, "karate")
    head, *lines = table(app)
    body = next(one.proto.body for one in app.get("html") if 'aria-label="What hides edges"' in one.proto.body)
    below = [re.sub(r"<[^>]+>", "", one) for one in re.findall(r'<tr role="row" class="more">(.*?)</tr>', body)]
    assert head == list(all_graphs.HEAD)
    first, clear = lines
    assert first[1:6] == ["▸ 1", "ProGAP", "81.0% (78.5% to 83.5%)", "3", "10 (6 to 14)"]
    assert first[6] == "tie"
    assert below == ["Tie with GAP (80.5%)"]
    assert clear[:2] == ["4", "ProGAP"]
    assert clear[5] == "clear"


def test_one_sentence_is_of_all_graphs(opened: Open, store: RunStore) -> None:
    compared(store)
    app = everywhere(opened, "karate")
    said = "Clearly best, and how that protects: ProGAP on Karate club (ε 4: weak)."
    assert said in [one.value for one in app.markdown]
    small = "\n".join(one.value for one in app.caption)
    assert "▸ marks what is told first of a graph alone.  \n" in small
    assert f"{advised.VERDICTS['tie']}  \n" in small, "in sight, not in a fold"
    assert advised.STRENGTHS in small


def test_a_cost_whose_interval_holds_zero_has_it_beside_it(opened: Open, store: RunStore) -> None:
    """Also one of 0, and one where the private mean is the higher one."""
    compared(store)
    *_, clear = table(everywhere(opened, "karate"))
    assert clear[4] == "0 (−3 to 3)", "as wide as 200 test nodes leave it, though seeds agree better"


def test_what_cannot_be_said_yet_is_a_sentence_below_the_table(opened: Open, store: RunStore) -> None:
    compared(store)
    ran(store, "digits", "progap", (0.7, 0.8))
    app = everywhere(opened, "karate")
    lines = table(app)[1:]
    assert not [row for row in lines if "digits" in row[0]]
    assert not [cell for row in lines for cell in row if "too little" in cell]
    (said,) = (one.value for one in app.markdown if "Nothing can be said yet" in one.value)
    assert "Handwritten digits (GAP, EdgeRand have not run)" in said


def test_without_any_answer_there_is_no_table(opened: Open, store: RunStore) -> None:
    ran(store, "digits", "progap", (0.7, 0.8))
    app = everywhere(opened, "digits")
    assert not [one for one in app.get("html") if "What hides edges" in one.proto.body]
    assert any("Nothing can be said yet" in one.value for one in app.markdown)


def test_lines_panels_and_table_have_one_order(opened: Open, store: RunStore) -> None:
    """The chosen graph first, though another one stands before it in the list and has more runs."""
    compared(store)
    ran(store, "karate", "gap", (0.4,), 0.5)
    compared(store, "digits")
    for data, first in (("karate", "Karate club"), ("digits", "Handwritten digits")):
        app = everywhere(opened, data)
        panels = panels_of(app)
        headings = [row[0] for row in table(app)[1:] if len(row) == len(all_graphs.HEAD)]
        assert len(panels) == 2
        assert panels[0] == first
        for told in (headings, [line.removeprefix("▸ **") for line in lines(app)]):
            assert [next(name for name in panels if one.startswith(name)) for one in told] == panels


def test_the_answer_stands_before_the_figure_and_the_table_after_it(opened: Open, store: RunStore) -> None:
    compared(store)
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    (told,) = lines(app)
    assert told.startswith("▸ **Karate club**: at ε 1 take ProGAP (81.0% accuracy")
    kinds = [f"{one.type}:{getattr(one, 'label', '')}" if one.type == "expander" else one.type for one in app.main]
    answer = next(place for place, one in enumerate(app.main) if getattr(one, "value", "") == told)
    plot = kinds.index("bidi_component")
    assert answer < plot
    assert not [one for one in app.get("html") if "What hides edges" in one.proto.body], "folded"
    folds = [one.label for one in app.expander]
    assert folds.index("What to take at every ε on every graph") < folds.index(
        "Every setting in numbers, and what all runs cost together"
    )


def test_a_graph_with_a_single_epsilon_has_a_panel_too(opened: Open, store: RunStore) -> None:
    compared(store)
    ran(store, "digits", "progap", (0.7, 0.8))
    ran(store, "digits", "gap", (0.6, 0.7))
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    assert panels_of(app) == ["Karate club", "Handwritten digits"]


def test_a_single_point_is_a_line_and_no_panel(opened: Open, store: RunStore) -> None:
    compared(store)
    ran(store, "digits", "progap", (0.7, 0.8))
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    assert panels_of(app) == ["Karate club"]
    (said,) = (one.value for one in app.caption if "Without a panel" in one.value)
    assert "Handwritten digits: ProGAP at ε 1 alone, 75.0%, 2 seeds." in said
    assert not any("panels at most are drawn at first" in one.value for one in app.caption), "that is not why"
    alone = opened("tradeoffs", data="digits", fold="")
    assert panels_of(alone) == ["Handwritten digits"], "it is all there is"


def test_the_line_of_a_graph_says_which_methods_have_not_run_there(opened: Open, store: RunStore) -> None:
    for epsilon in (1.0, 4.0):
        ran(store, "digits", "progap", (0.90, 0.91, 0.92), epsilon)
        ran(store, "digits", "gap", (0.60, 0.61, 0.62), epsilon)
    for name, level in (("mlp", 0.5), ("gnn", 0.95)):
        ran(store, "digits", name, (level, level + 0.01, level + 0.02), None)
    compared(store)
    digits, karate = sorted(lines(opened("tradeoffs", data="karate", everywhere="true", fold="")), reverse=True)[::-1]
    assert "Handwritten digits" in digits
    assert digits.endswith("EdgeRand has not run here.")
    assert "has not run" not in karate


def test_no_graph_is_chosen_while_all_are_shown(opened: Open, store: RunStore) -> None:
    compared(store)
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    assert app.selectbox(key="data").disabled
    app.toggle(key="everywhere").set_value(False).run()
    assert not app.selectbox(key="data").disabled


def test_files_of_all_graphs_say_what_to_take_on_each(opened: Open, store: RunStore) -> None:
    compared(store)
    compared(store, "digits")
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    next(one for one in app.button if str(one.key).startswith("collect.tradeoff")).click().run()
    (kept,) = cart.entries()
    beside = tradeoff.chart(kept.rows).beside
    for title in ("Karate club", "Handwritten digits"):
        place = beside.index(f"What to take on {title}.")
        assert beside[place + 1].startswith("To hide edges (each ε protects one edge")
        assert beside[place + 2].startswith("ε | Take | ")
        assert beside[place + 3].startswith("ε 1 | ProGAP | ")
    assert list(beside).count(advising.CHOOSING) == 1, "once for all"
    told = {(row["graph"], row["method"], row["asked"]): row["advice"] for row in tradeoff.table(kept.rows)}
    for graph in ("Karate club", "Handwritten digits"):
        assert told[graph, "progap", 4.0].startswith("take")


def test_every_setting_of_all_graphs_stands_in_numbers(opened: Open, store: RunStore) -> None:
    compared(store)
    compared(store, "digits")
    app = opened("tradeoffs", data="karate", everywhere="true", fold="")
    app.session_state["fold.numbers"] = True
    app.run()
    assert not app.exception, app.exception
    found = next(one.value for one in app.dataframe if "advice" in one.value.columns)
    assert set(found["graph"]) == {"Karate club", "Handwritten digits"}
    assert any(str(one).startswith("take") for one in found["advice"])


def test_the_line_that_is_told_first_is_bold(opened: Open, store: RunStore) -> None:
    compared(store)
    app = everywhere(opened, "karate")
    body = next(one.proto.body for one in app.get("html") if 'aria-label="What hides edges"' in one.proto.body)
    rows = re.findall(r'<tr role="row">(.*?)</tr>', body)
    bold = [len(re.findall(r'class="(?:short )?first"', row)) for row in rows]
    assert bold == [0, 7, 0], "all cells of that line, and not those that are of the whole graph"


def test_where_nothing_is_taken_the_protection_says_so() -> None:
    found = SimpleNamespace(kind="nothing", protection="–")
    assert known.protection(cast(Stretch, found)) == "nothing is taken"
    assert known.protection(cast(Stretch, SimpleNamespace(kind="one", protection="weak: ≤ 98.3%"))) == "weak: ≤ 98.3%"


def test_the_figure_and_what_all_have_shown_are_of_all_runs(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the newest 1,000 alone both were told too small on a fresh gallery."""
    bench_page.fill(1005)
    drawn: list[int] = []
    monkeypatch.setattr(figure, "plot", lambda shown, unit="": drawn.append(len(shown.done.runs)))
    for shown in ({"everywhere": "true"}, {"data": "karate"}):
        opened("tradeoffs", protects="edge", **shown)
    assert drawn == [1005, 1005]
