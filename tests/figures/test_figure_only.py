"""A picture may be the figure alone: what keeps its epsilons honest stays in it, the rest is beside it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from xml.etree import ElementTree

from PIL import Image

from privgraph_workbench.figures.chart import Row

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = ("tradeoff", "ledger", "curves", "audit_roc", "degrees")
Rows = Mapping[str, list[Row]]


def texts(svg: bytes) -> str:
    said = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return " ".join(said.split())


def _about(svg: bytes) -> bytes:
    return svg.partition(b"<metadata>")[2].partition(b"</metadata>")[0]


def height(png: bytes) -> int:
    return int(Image.open(io.BytesIO(png)).size[1])
