"""What stands beside words that the author of a report writes: that nobody has checked them, which of their
numbers are no result of the report, which letters the print lacks, and that formulas are shown as typed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from privgraph_workbench import print_lines, reporting
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.report import claims, making, remembered
from privgraph_workbench.words import markup, typed_maths

BOXES = "The PDF's font has no {letters}: boxes stand there. The HTML page is right."
AS_TYPED = "Formulas are not typeset: a report shows {formula} as it was typed."
UNCHECKED = "Your own words: whether they are true is not checked against the runs."
NOT_FOUND = "Not found in this report: {numbers}. No table, finding or summary of a figure has {them}."
FOUND = "Their percents and ε occur in this report."


def boxes(said: str) -> None:
    """Below a field a warning, where the PDF's font lacks letters of it."""
    if letters := print_lines.lacking(said):
        st.warning(BOXES.format(letters=markup.literal(letters)), icon=":material/warning:")


def formulas(said: str, key: str) -> None:
    """Below the field with this key that its formulas are shown as typed, and where letters do, the way to
    them."""
    if not (found := typed_maths.formulas(said)):
        return
    written = [typed_maths.in_letters(one) for one in found]
    example = next((told for one, told in zip(found, written, strict=True) if told != one), "")
    st.caption(AS_TYPED.format(formula=f"`{found[0]}`") + f" In letters: {markup.literal(example)}." * bool(example))
    if example:
        st.button(
            "Write formulas in letters",
            key=f"letters.{key}",
            icon=":material/functions:",
            help="Where there are letters for all of a formula; others stay as they are",
            on_click=_write_letters,
            args=(key,),
        )


def _write_letters(key: str) -> None:
    st.session_state[key] = typed_maths.in_letters(str(st.session_state.get(key, "")))
    collected.settle()


def challenged(words: str, asked: reporting.Asked | None) -> None:
    """Beside these words that nobody checked them, and their numbers that are no result of what is `asked`
    (None: nothing can be reported as it is)."""
    if asked is None or not claims.claims_of(words):
        st.caption(UNCHECKED)
    elif missing := claims.unfounded(words, _results(asked)):
        st.caption(UNCHECKED)
        told = NOT_FOUND.format(
            numbers=both([f"**{markup.literal(one)}**" for one in missing]),
            them="it" if len(missing) == 1 else "any of them",
        )
        st.warning(told, icon=":material/warning:")
    else:
        st.caption(f"{UNCHECKED} {FOUND}")


def _results(asked: reporting.Asked) -> claims.Results:
    """Those of the report without its author's words. They are read once for what is reported: it takes as
    long as its page without pictures."""
    figures = [replace(one, caption="") for one in asked.figures]
    bare = replace(asked, title="Report", author="", date="", remark="", figures=figures)
    return remembered.of("results", making.mark(bare), lambda: _looked_up(bare))


def _looked_up(asked: reporting.Asked) -> claims.Results:
    with st.spinner("Its numbers are looked up in the report"):
        return claims.results(reporting.sections(asked))
