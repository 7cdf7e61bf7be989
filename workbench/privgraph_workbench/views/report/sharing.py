"""Whom a report is for, and what that leaves out; and where the noise of what is in it is public."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import streamlit as st

from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import for_others
from privgraph_workbench.forms import again
from privgraph_workbench.reporting import Decided, Drawn, leaving
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.left_out import RUN_CAME, LeftOut
from privgraph_workbench.reporting.own_setting import SECRET, goes, noise_of
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.report import looks, plain_names
from privgraph_workbench.words import markup, naming

QUESTION = "Whom is it for?"
CHOICES = {True: "For others", False: "For myself"}
SENTENCES = {
    True: "Left out are seeds, ids of runs, what happened in training, and the share of the largest class. A command "
    "for each setting stays, without its seed, and what attacks found.",
    False: "Nothing is left out: it tells seeds, ids and all results, with the commands to repeat them.",
}
"""Of each choice what it leaves out, in a sentence."""
EXACTLY = "Exactly what goes, and what stays"
WORDS = "**Still told**: title, author, remark and captions, as you wrote them."
REPEATED = (
    "Some of these runs add no noise: whoever has the graph can repeat them for one seed after another, until what is "
    "told fits."
)
TRIED = "Where noise is public, whoever tries seeds can subtract it."
"""What a report for others may tell all the same."""
IS_PUBLIC = "noise is public"
NO_SECRET = "nobody, whatever the ε."
"""How the sentence ends that says of noise that it is public."""


def switch() -> bool:
    """Whether it is for others: so begins every report, and then it is as its author has chosen."""
    collected.begin(collected.SHARE, True)
    with st.container(key=f"{styles.CHOICE}-whom"):
        share = st.radio(
            QUESTION,
            tuple(CHOICES),
            format_func=CHOICES.__getitem__,
            captions=tuple(SENTENCES.values()),
            key=collected.SHARE,
            on_change=collected.settle,
        )
    return share is not False


def left_out(
    decided: Mapping[str, Decided], figures: Mapping[str, Drawn], runs: Iterable[RunRecord], mixed: Container[str]
) -> LeftOut:
    """What of these figures and runs the report leaves out. `mixed`: the settings of which others are not
    given what came with the program."""
    gone = [one for one in runs if goes(one, mixed)]
    graphs = plain_names.graphs_of(gone)
    return LeftOut(
        figures=[(figures[mark].name, one.why) for mark, one in decided.items() if one.given is None],
        runs=[(plain_names.setting(one, graphs), RUN_CAME) for one in gone],
        shown=sum(one.given is not None for one in decided.values()),
    )


def told(left: LeftOut, records: Mapping[str, RunRecord]) -> str:
    """What a report for others leaves out of what is kept, and what is not hidden by that, in Markdown."""
    stay = for_others.told((f"**{markup.literal(name)}**", why) for name, why in (*left.figures, *left.runs))
    bare = any(one.statement is not None and one.statement.unit == "none" for one in records.values())
    risks = [WORDS, *[TRIED] * any(map(noise_is_public, records.values())), *[REPEATED] * bare]
    return "\n\n".join(filter(None, (stay, " ".join(risks))))


def exactly() -> None:
    """All that goes and all that stays, side by side in groups, below the page's columns: they are too narrow
    for it."""
    with layout.fold(EXACTLY, "exactly", icon=":material/rule:") as part:
        if not part.open:
            return
        for place, (head, groups) in zip(
            layout.columns("report-exactly", 2), (("Left out", leaving.GONE), ("Still told", leaving.TOLD)), strict=True
        ):
            with place:
                st.markdown(f"##### {head}")
                for name, lines in groups.items():
                    st.markdown("\n".join([f"**{name}**\n", *(f"- {one[:1].upper()}{one[1:]}" for one in lines)]))
        st.markdown(leaving.DISCRETION)


def warn(counts: Counts, figures: Iterable[Drawn], records: Iterable[RunRecord], *, own: bool = True) -> None:
    """That noise is public, before any number of it is read, of which settings, and the way to each with
    secret noise that has no such run yet; nothing where none is public. `counts`: of the report, which says
    the same of the same runs; `own`: it is no example."""
    shown = list(figures)
    # a figure whose runs are not in the store any more has its statements
    alone = [said for figure in shown if not figure.runs for said in figure.statements.values() if said.unit != "none"]
    found, every = counts.public + sum(map(has_public_noise, alone)), counts.private + len(alone)
    if not found:
        return
    if found == every:
        whose = "the private run" if every == 1 else f"all {every} private runs"
    else:
        whose = f"{found} of {every} private runs"
    as_run = "it protects" if found == 1 else "they protect"
    st.markdown(f":orange[:material/key_off: The noise of {whose} behind this is public: as run, {as_run} {NO_SECRET}]")
    runs = [*records, *(run for figure in shown for run in figure.runs)]
    trained = {naming.setting(one) for one in runs if noise_of(one) == SECRET}
    first: dict[str, RunRecord] = {}
    for one in filter(noise_is_public, runs):
        if naming.setting(one) not in trained:
            first.setdefault(naming.setting(one), one)
    graphs = plain_names.graphs_of(runs)
    named = [(plain_names.setting(one, graphs), one) for one in first.values()]
    st.caption(f"Behind this report: {counts.words}.")
    if named:
        name, one = named[0]
        with st.container(key=f"{looks.LINKS}-first"):
            _train(f"Train {markup.literal(name)} with secret noise", one)
    if named[1:]:
        more = f"The {len(named) - 1} other settings" if named[2:] else "The other setting"
        with layout.fold(f"{more} with public noise", f"public.{own}", icon=":material/key:") as part:
            if part.open:
                st.caption("Each opens Train with that setting.")
                with st.container(key=looks.LINKS):
                    for name, one in named[1:]:
                        _train(markup.literal(name), one)


def _train(label: str, record: RunRecord) -> None:
    st.page_link(
        shell.page("train"),
        label=label,
        icon=":material/key:",
        query_params=again.address(record),
        help="Opens Train with this setting, and noise by a key of your own",
    )


def stays(decided: Decided) -> str:
    """Why a report for others leaves a figure out."""
    return f"Left out of a report for others: {decided.why}."


def public_figure(drawn: Drawn) -> bool:
    """Whether a figure shows a model whose noise is public."""
    return any(map(noise_is_public, drawn.runs)) or any(map(has_public_noise, drawn.statements.values()))
