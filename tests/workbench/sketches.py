"""Sketches in place of pictures and prints: a report takes a tenth of the time, and all else is as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from matplotlib.backends import backend_pdf
from matplotlib.figure import Figure

from privgraph_workbench import printing
from privgraph_workbench.figures.chart import Chart
from privgraph_workbench.figures.drawing import with_matplotlib
from privgraph_workbench.reporting import archive


class Sketch(Figure):
    """A picture of words alone, as tall as these are many. They are seen as SVG: in a PDF letters take as
    long as a plot."""

    def __init__(self, words: list[str]) -> None:
        super().__init__(figsize=(2, 0.5 + 0.02 * len(words)))
        self.words = self.text(0, 0, "\n".join(words), fontsize=1)

    def savefig(self, fname: Any, **given: Any) -> None:
        self.words.set_visible(given["format"] == "svg")
        super().savefig(fname, **given)


def sketch(
    chart: Chart,
    theme_name: str = "light",
    notes: Any = (),
    block: Any = (),
    *,
    titled: bool = True,
    narrow: bool = False,
) -> Sketch:
    """In place of `with_matplotlib.draw`: what can be read in the picture, and a digest of what is drawn."""
    axes = [axis for panel in chart.panels for axis in (panel.x, panel.y)]
    words = [chart.title] * titled + [*chart.badges, *notes, *block]
    words += [one for panel in chart.panels for one in (panel.title, *(rule.label for rule in panel.rules))]
    words += [one for axis in axes for one in (axis.title, *axis.categories)]
    words += [one for series in chart.series for one in (series.name, *series.text)]
    drawn = repr((theme_name, narrow, chart.panels, chart.series))
    return Sketch([*filter(None, words), hashlib.sha256(drawn.encode()).hexdigest()])


class Pages:
    """In place of `PdfPages`: one empty page, with the words of all pages in what the file says of itself."""

    def __init__(self, written: Any, metadata: dict[str, Any]) -> None:
        self.written, self.metadata, self.words = written, metadata, list[str]()

    def __enter__(self) -> Pages:
        return self

    def savefig(self, page: Figure) -> None:
        self.words += [one.get_text() for one in page.texts]

    def __exit__(self, *raised: object) -> None:
        about = {**self.metadata, "Keywords": "\n".join(self.words)}
        Figure(figsize=(1, 1)).savefig(self.written, format="pdf", metadata=about)


@contextmanager
def sketched() -> Iterator[None]:
    """Pictures and prints are sketches. Charts, captions, metadata and the laying of pages stay as they are,
    and what fails in them fails."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(with_matplotlib, "draw", sketch)
        patch.setattr(backend_pdf, "PdfPages", Pages)
        patch.setattr(printing, "outlined", lambda made, _: made)  # of one page there is no outline
        patch.setattr(archive, "_LATELY", {})  # none is left for a test that looks at pictures
        yield
