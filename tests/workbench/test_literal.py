"""Text that is not ours stays text: in Markdown as it is defined, and as Streamlit extends it."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from privgraph_workbench.words.markup import literal

PARSER = MarkdownIt("gfm-like", {"linkify": False})
PIECES = st.lists(
    st.sampled_from(
        [*"!*_`[](){}<>#+-=~|\\&$:.@ \n\ta1é", "![i](http://evil.example)", ":red[x]", "&amp;", "1. ", "```", "<b>"]
    ),
    max_size=12,
).map("".join)
# What Streamlit looks for in the text that is left: addresses, mail, icons and emoji, and arrows.
SOUGHT = re.compile(
    r"https?://|www\.|[-.\w+]@[-\w]|:material/|:[\w+-]+:|:[A-Za-z]+\[|(?<!\S)(<->|->|<-|--|>=|<=|~=)(?!\S)",
    re.IGNORECASE,
)


def _shown(markdown: str) -> tuple[str, list[str]]:
    """The text that a reader sees, and the kinds of everything that is more than text."""
    (opening, inline, closing) = PARSER.parse(f"x {markdown}") if markdown else PARSER.parse("x")
    assert (opening.type, closing.type) == ("paragraph_open", "paragraph_close")
    children = inline.children or []
    return "".join(child.content for child in children), [one.type for one in children if one.type != "text"]


@given(PIECES)
@example("__bold__")
@example("[a]: http://evil.example")
@example("1. one")
@example("a\\")
def test_foreign_text_is_shown_as_it_is(text: str) -> None:
    wanted = " ".join(text.split())
    shown, more = _shown(literal(text))
    assert not more
    assert shown.replace("\u2060", "").strip() == f"x {wanted}".strip()
    assert not SOUGHT.search(shown)


@given(PIECES.filter(lambda text: bool(text.strip())))
@example("# title")
@example("- one")
@example("---")
@example("12) one")
def test_foreign_text_may_begin_a_line(text: str) -> None:
    kinds = [token.type for token in PARSER.parse(literal(text))]
    assert kinds == ["paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize(
    "text", ["http://evil.example", "www.evil.example", "a@evil.example", ":material/home:", "a -> b"]
)
def test_what_streamlit_would_find_is_broken_by_a_letter_without_width(text: str) -> None:
    assert SOUGHT.search(text)
    assert not SOUGHT.search(literal(text).replace("\\", ""))
