"""A formula of a remark is shown as it was typed: on the page, in print and in the notebook alike."""

from __future__ import annotations

import html
import re

import pytest

from privgraph_workbench import blocks, report_notebook

TYPED = r"We take $\varepsilon \le 2$ at 5$ a run."


def test_the_notebook_typesets_no_formula_that_the_page_shows_as_typed() -> None:
    page = html.unescape(re.sub("<[^>]*>", "", blocks.as_html(blocks.Remark(TYPED), {})))
    assert TYPED in page
    assert blocks.unmarked(TYPED) == TYPED, "in print"
    told = report_notebook.as_typed(TYPED)
    assert not re.search(r"(?<!\\)\$", told), "a dollar with a backslash before it begins no formula"
    assert told.replace(r"\$", "$") == TYPED


@pytest.mark.parametrize("said", ["`$x$`", "``a $ ` b``", r"\$5", "no dollar"])
def test_code_and_what_is_escaped_stay(said: str) -> None:
    assert report_notebook.as_typed(said) == said
