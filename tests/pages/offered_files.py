"""The links to files that a page shows."""

import re
from html import unescape

from streamlit.testing.v1 import AppTest

_LINK = re.compile(r'<a class="privgraph-file[^"]*" href="([^"]+)" [^>]+>([^<]+)</a>')


def links(app: AppTest) -> list[tuple[str, str]]:
    """Label and address of each file that the page offers."""
    return links_in("".join(str(one.proto.body) for one in app.get("html")))


def links_in(drawn: str) -> list[tuple[str, str]]:
    """Label and address of each file in a page's own HTML."""
    return [(unescape(label), unescape(address)) for address, label in _LINK.findall(drawn)]


def labels(app: AppTest) -> list[str]:
    return [label for label, _ in links(app)]
