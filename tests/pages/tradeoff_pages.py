"""What tests of the Trade-offs page do with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape

from streamlit.testing.v1 import AppTest


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
