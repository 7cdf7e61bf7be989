"""What to take on each graph that has runs, what it costs there and what it protects, beside what graphs
differ in; those first that are most like one's own, and what is unfinished last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from privgraph_workbench.facts import advised, advising, one_sentence
from privgraph_workbench.facts.row_words import both, with_interval
from privgraph_workbench.facts.stretches import CLEAR, Stretch
from privgraph_workbench.facts.traits import Traits, unlike
from privgraph_workbench.views.parts import carded, layout
from privgraph_workbench.views.tradeoffs import like_own
from privgraph_workbench.views.tradeoffs.known import Known
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.naming import people_words
from privgraph_workbench.words.statements import protect_nobody

HEAD = ("Graph", *advised.HEAD, "Without privacy", "MLP, no edges")
WHY = (
    "Noise costs less where nodes and degrees are large. Edges are worth noise where homophily (the share of edges "
    "within a class) is high and an MLP, which reads none, reaches little. Of a private graph homophily is private."
)


def show(graphs: Iterable[OneGraph], units: Sequence[str], chosen: OneGraph, drawn: Sequence[str] = ()) -> None:
    """Of each unit a table of the graphs on which a method has run. chosen: the graph that the parts below
    the figure are about; drawn: the graphs of its panels (`naming.people_words`), in whose order they stand
    here, too, unless one's own graph says which are nearest."""
    told = like_own.told(graphs, units)
    here = f"The parts below the figure are about {markup.literal(chosen.title)}."
    if not told:
        st.caption(here)
        return
    own = like_own.typed()
    warned = set[str]()
    for unit, ones in told.items():
        if own.known:
            ones.sort(key=lambda one: unlike(one[1], own))
        ones.sort(key=lambda one: _unfinished(one[2]))  # of those as far, in this order
        if not own.known:
            ones.sort(key=lambda one: _place(one[0], drawn))
        st.markdown(f"**To hide {advising.HIDES[unit]}** (each ε protects {advising.UNITS[unit]})")
        if (public := _public(unit, ones)) and public not in warned:
            st.markdown(f"**:red[{markup.literal(public)}]** {advising.SECRET}")
            warned.add(public)
        for score in dict.fromkeys(found.said.score for _, _, found in ones):
            _of_score(unit, score, [one for one in ones if one[2].said.score == score])
        if waiting := "; ".join(filter(None, (_waiting(graph, found) for graph, _, found in ones))):
            st.markdown(f"**Nothing can be said yet:** {markup.literal(waiting)}.")
        meant = [found.said for held in told.values() for _, _, found in held] if unit == next(iter(told)) else []
        _small([found.said for _, _, found in ones], meant)
        for closing in dict.fromkeys(found.said.closing for _, _, found in ones if found.said.closing):
            titles = ", ".join(one.title for one, _, found in ones if found.said.closing == closing)
            st.markdown(f"**{markup.literal(titles)}:** {markup.literal(closing)}")
    st.markdown(advising.CHOOSING)
    st.caption(here)
    with layout.fold("How to read this, and what makes noise cost more", "reading", icon=":material/help_outline:"):
        st.caption(f"What is not told apart has a line for itself. {advised.JUDGED} {advised.BLIND_HIDES}")
        st.caption(" ".join(advised.protection_of(unit) for unit in told))
        st.caption(f"{WHY} Turn All graphs off for reasons.")


def _of_score(unit: str, score: str, ones: Sequence[like_own.One]) -> None:
    """The table of the graphs on which the same is measured."""
    measure = "" if score == advising.ACCURACY else score
    said = _overall(unit, ones)
    if lead := f"{f'**By {measure}:** ' * bool(measure)}{said}":
        st.markdown(lead)
    if groups := [group for one in ones if (group := _lines(*one))]:
        head = [measure.partition(" ")[0] if measure and name == HEAD[3] else name for name in HEAD]
        label = f"What hides {advising.HIDES[unit]}{f', by {measure}' * bool(measure)}"
        # of relations nothing of the kind predicts without edges
        carded.show(head[: len(groups[0][0])], groups, label=label, first="")


def _small(said: Sequence[advising.Verdict], meant: Sequence[advising.Verdict]) -> None:
    """What the number of a protection is, after what the words of all these verdicts mean, a line each."""
    lines = [
        f"{carded.MARK} marks what is told first of a graph alone."
        * any(one_sentence.marked(one).places for one in meant),
        *advised.verdict_words(*meant),
        f"Cost: points below the most accurate graph network without privacy. {advised.BETWEEN}" * bool(meant),
        advised.protection_words(*said),
        advised.STRENGTHS * any(one.promised for one in meant),
    ]
    if small := [*filter(None, lines)]:
        st.caption("  \n".join(map(markup.literal, small)))


def _overall(unit: str, ones: Sequence[like_own.One]) -> str:
    """Which methods are clearly best on which graphs, and on which none is, in one sentence; "" where nothing
    can be said of any."""
    best: dict[str, list[str]] = {}
    without: list[str] = []
    rest: list[str] = []
    for graph, _, found in ones:
        answered = _answered(found)
        clear: dict[str, list[Stretch]] = {}
        for one in answered:
            if one.kind == "one" and one.verdict == CLEAR:
                clear.setdefault(one.short_names, []).append(one)
        for name, held in clear.items():
            best.setdefault(name, []).append(f"{graph.title} (ε {both([one.budgets for one in held])}: {_worth(held)})")
        if answered and not clear:
            (without if all(one.kind in ("blind", "nothing") for one in answered) else rest).append(graph.title)
    nothing = "what reads no edge and needs no noise" if unit == "edge" else "a guess"
    named = [f"{name} on {both(titles)}" for name, titles in best.items()]
    parts = [f"clearly best, and how that protects: {', '.join(named)}"] if named else []
    parts += [f"nothing is clearly better than {nothing} on {both(without)}"] if without else []
    parts += [f"methods tie or are not told apart on {both(rest)}"] if rest else []
    return markup.sentence("; ".join(parts)) if parts else ""


def _worth(held: Sequence[Stretch]) -> str:
    """What the protection of these is called."""
    delta = max(one.delta for one in held)
    return (
        meaning.strengths(held[0].epsilons[0], held[-1].epsilons[-1], delta)
        .replace("no protection", "none")
        .replace(" protection", "")
    )


def _place(graph: OneGraph, drawn: Sequence[str]) -> int:
    """Which of the panels a graph has; of one without any, the place behind all of them."""
    words = people_words(graph.people)
    return drawn.index(words) if words in drawn else len(drawn)


def _unfinished(found: Known) -> bool:
    """Whether not all of it can be said of a graph yet: what is whole comes first."""
    return bool(found.said.thin)


def _answered(found: Known) -> list[Stretch]:
    """The budgets of which something can be said."""
    return [one for one in found.said.stretches if one.answers]


def _waiting(graph: OneGraph, found: Known) -> str:
    """Of a graph at which budgets nothing can be said yet, and why; "" where there are none."""
    left = [one for one in found.said.stretches if not one.answers]
    if not _answered(found):
        why = found.said.thin or "; ".join(f"{one.span}: {one.told}" for one in left)
        return f"{graph.title} ({why})" if why else ""
    return f"{graph.title} ({'; '.join(f'{one.span}: {one.told}' for one in left)})" if left else ""


def _public(unit: str, ones: Sequence[like_own.One]) -> str:
    """How many of the private models behind what is taken protect nobody; "" where none of it adds noise."""
    held = [found for _, _, found in ones if found.said.public]
    return protect_nobody(
        [one.statement for found in held for one in found.records if one.spec.unit == unit and one.statement]
    )


def _lines(graph: OneGraph, own: Traits, found: Known) -> list[list[str]]:
    """A graph, at each stretch of budgets what to take with what it reaches, over how many seeds, costs and
    hides, and how sure that is, a line for each method that is not told apart from the first; and what is
    reached without privacy and without edges. Nothing where nothing can be said."""
    if not _answered(found):
        return []
    homophily = "private" if graph.spec.kind == "upload" else None if own.homophily is None else f"{own.homophily:.2f}"
    facts = [
        "" if own.nodes is None else f"{own.nodes:,} nodes",
        "" if own.degree is None else f"mean degree {own.degree:.1f}",
        "" if homophily is None else f"homophily {homophily}",
    ]
    heading = f"{graph.title}\n{', '.join(filter(None, facts))}"
    if found.said.absent:
        heading += f". {advising.not_run(found.said.absent).rstrip('.')}"
    levels = [found.said.bare or "not run"]
    if found.said.score == advising.ACCURACY:
        levels.append("not run" if found.blind is None else with_interval(found.blind))
    first = one_sentence.marked(found.said).places
    rows = [
        [
            f"{f'{carded.MARK} ' * (place in first)}{one.budgets}",
            *line,
            "\n".join(filter(None, one.cell)),
            one.protection,
        ]
        for place, one in enumerate(found.said.stretches)
        if one.answers
        for line in one.lines
    ]
    return [[heading, *rows[0], *levels], *rows[1:]]
