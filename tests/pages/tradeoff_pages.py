"""What tests of the Trade-offs page do with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html import unescape

from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep

from privgraph.data.spec import PublicFacts
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import comparing
from privgraph_workbench.forms import beginnings


def unfolding(opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """`opened`, which of this page opens the form of the sweep, too, or another `fold` ("": none)."""

    def unfolded(name: str, *, fold: str = "sweep", **query: str | list[str]) -> AppTest:
        app = opened(name, **query)
        if name == "tradeoffs" and fold:
            app.session_state[f"fold.{fold}"] = True
            app.run()
            assert not app.exception, app.exception
        return app

    return unfolded


def choose_unit(app: AppTest, unit: str) -> None:
    """Choose what the sweep protects."""
    next(group for group in app.get("button_group") if str(group.key).startswith("sweep_unit.")).set_value(unit).run()


def said_of_the_sweep(app: AppTest) -> str:
    (bar,) = app.get("progress")
    return str(bar.proto.text)


def titles_of(app: AppTest) -> list[str]:
    """What stands above the panels of the figure."""
    layout = json.loads(app.get("bidi_component")[0].proto.json)["figure"]["layout"]
    return [str(one["text"]) for one in layout["annotations"]]


def tables_of(app: AppTest) -> list[str]:
    said = [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]
    return [text for text in said if "values of M" in text]


def advice_of(app: AppTest) -> str:
    """What the page says, its tables too: their cells between upright lines."""
    tables = [unescape(one.proto.body.rpartition("</style>")[2].replace("&nbsp;", " ")) for one in app.get("html")]
    return "\n".join([*(one.value for one in app.markdown), *(re.sub(r"(<[^>]*>)+", "|", one) for one in tables)])


def captions_of(app: AppTest) -> str:
    return "\n".join(one.value for one in app.caption)


MEASURES = {"nodes": 5000, "degree": 12.0, "homophily": 0.7}


OF_5000 = "social~nodes=5000~classes=3~degree=12~homophily=0.7~signal=1"


SIZES = PublicFacts(nodes=5000, edges=30000, entries=60000, features=32, classes=3, train_nodes=3750)


def own_sweep(store: RunStore, methods: Sequence[str] = ("progap",)) -> None:
    """Finished runs on a made-up network of 600 nodes, as in the gallery, and of a sweep on one of 5,000."""
    for options, names in ((beginnings.DATA["social"], ("progap", "gap", "edge-rand")), (OWN, methods)):
        for seed in range(3):
            for name in names:
                for epsilon in (0.5, 1.0, 4.0):
                    asked = {"unit": "edge", "epsilon": epsilon}
                    one = make_spec(name, "social", asked, data_options=options, seed=seed)
                    keep(store, one, accuracy=0.5 + epsilon / 20 + (name == "progap") / 5, facts=SIZES)
            for name, accuracy in (("mlp", 0.4), ("gnn" if len(names) > 1 else "progap", 0.95)):
                one = make_spec(name, "social", comparing.reference(name), data_options=options, seed=seed)
                keep(store, one, accuracy=accuracy, facts=SIZES)


OWN = {**beginnings.DATA["social"], **MEASURES}
