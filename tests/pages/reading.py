"""What tests read of a page."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import parse_qs, unquote

from streamlit.testing.v1 import AppTest

from privgraph_workbench.serving.offered_files import find

Open = Callable[..., AppTest]
_FILE = re.compile(r'<a class="privgraph-file[^"]*" href="([^"]+)" [^>]+>([^<]+)</a>')


def texts(app: AppTest) -> str:
    """All sentences of the page, with those of its notices."""
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info, app.success)
    return "\n".join(element.value for kind in kinds for element in kind)


def numbers(app: AppTest) -> dict[str, str]:
    """The numbers of the page by their labels."""
    return {one.label: one.value for one in app.metric}


def badges(app: AppTest) -> str:
    return " ".join(one.value for one in app.markdown if "badge[" in one.value)


def keys(app: AppTest) -> set[str]:
    """Of its buttons."""
    return {str(one.key) for one in app.button}


def links(app: AppTest) -> dict[str, dict[str, list[str]]]:
    """Queries of its links to pages, by their labels."""
    return {one.proto.label: parse_qs(one.proto.query_string.lstrip("?")) for one in app.get("page_link")}


def drawn(app: AppTest) -> list[dict[str, Any]]:
    """What its components were given, figures and lists of runs among them."""
    return [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]


def figures(app: AppTest) -> list[str]:
    """The figures of the page, by the first part of their keys."""
    return [one["name"].split(".")[0] for one in drawn(app)]


def files(app: AppTest) -> list[tuple[str, str]]:
    """Label and address of each file that the page offers."""
    html = "".join(str(one.proto.body) for one in app.get("html"))
    return [(unescape(label), unescape(address)) for address, label in _FILE.findall(html)]


def labels(app: AppTest) -> list[str]:
    """Of the files."""
    return [label for label, _ in files(app)]


def exported(app: AppTest) -> dict[str, dict[str, Any]]:
    """The page's figures as their JSON files have them, by name."""
    found = {}
    for label, address in files(app):
        if label == "JSON":
            _, token, place = address.split("/", 2)
            file = find(token, unquote(place))
            read = json.loads(file.make())
            found[read["figure"]] = read
    return found
