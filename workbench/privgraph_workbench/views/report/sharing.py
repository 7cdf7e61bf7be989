"""Whom a report is for, and what that leaves out; and where the noise of what is in it is public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import FIGURES, for_others
from privgraph_workbench.reporting import Drawn
from privgraph_workbench.serving import shell
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.words import markup

QUESTION = "Whom is it for?"
CHOICES = {True: "For others", False: "For myself"}
SENTENCES = {
    True: "Left out are seeds, ids of runs, commands, and results on other than test nodes: they could tell a seed or "
    "private values.",
    False: "Nothing is left out: it tells seeds, ids and all results, with the commands to repeat them.",
}
"""Of each choice what it leaves out, in a sentence."""
WORDS = "**Still told**: title, author and remark, as you wrote them."
REPEATED = (
    "Some of these runs add no noise: whoever has the graph can repeat them for one seed after another, until an "
    "accuracy fits. A large seed that nobody guesses withstands that."
)
TRIED = "Where noise is public, whoever tries seeds can subtract it."
"""What a report for others may tell all the same."""
IS_PUBLIC = "noise is public"
NO_SECRET = "The noise of some of these models is public: as run, they protect nobody, whatever their ε."


def switch(kept: Sequence[Kept], records: Mapping[str, RunRecord]) -> bool:
    """Whether it is for others: so begins every report, and then it is as its author has chosen."""
    st.session_state.setdefault(collected.SHARE, collected.said(collected.SHARE) != str(False))
    with st.container(key=f"{shell.CHOICE}-whom"):
        share = st.radio(
            QUESTION,
            tuple(CHOICES),
            format_func=CHOICES.__getitem__,
            captions=tuple(SENTENCES.values()),
            key=collected.SHARE,
            on_change=collected.word,
            args=(collected.SHARE,),
        )
    if share:
        st.caption(told(kept, records))
    return share is not False


def told(kept: Sequence[Kept], records: Mapping[str, RunRecord]) -> str:
    """Which figures a report for others leaves out, and what is not hidden by that, in Markdown."""
    titles = [(one.figure, one.title.strip() or FIGURES[one.figure]) for one in kept if one.figure]
    stay = for_others.told((figure, f"**{markup.literal(title)}**") for figure, title in titles)
    bare = any(one.statement is not None and one.statement.unit == "none" for one in records.values())
    risks = [WORDS, *[TRIED] * any(map(noise_is_public, records.values())), *[REPEATED] * bare]
    return "\n\n".join(filter(None, (stay, " ".join(risks))))


def warn(figures: Iterable[Drawn], records: Iterable[RunRecord]) -> None:
    """That noise is public, before any number of it is read; nothing where none is."""
    if any(map(public_figure, figures)) or any(map(noise_is_public, records)):
        st.markdown(f":red[{NO_SECRET}]")


def public_figure(drawn: Drawn) -> bool:
    """Whether a figure shows a model whose noise is public."""
    return any(map(noise_is_public, drawn.runs)) or any(map(has_public_noise, drawn.statements.values()))
