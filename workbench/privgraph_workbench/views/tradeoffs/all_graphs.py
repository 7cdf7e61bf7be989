"""What to take on each graph that has runs: what is told first of each, in a line; and in a table what it
costs there and what it protects, beside what graphs differ in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from privgraph_workbench.facts import advised, advising, one_sentence
from privgraph_workbench.facts.row_words import both, with_interval
from privgraph_workbench.facts.stretches import CLEAR, Stretch
from privgraph_workbench.facts.traits import Traits, rank
from privgraph_workbench.views.parts import carded, layout
from privgraph_workbench.views.tradeoffs import like_own
from privgraph_workbench.views.tradeoffs.known import Known, absent_words, protection
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.statements import protect_nobody

HEAD = ("Graph", *advised.HEAD, "Without privacy", "MLP, no edges")
WHY = (
    "Noise costs less where nodes and degrees are large. Edges are worth noise where homophily (the share of edges "
    "within a class) is high and an MLP, which reads none, reaches little. Of a private graph homophily is private."
)


def in_order(graphs: Iterable[OneGraph], units: Sequence[str], chosen: OneGraph) -> list[OneGraph]:
    """The graphs of which something is said, in the order of lines, panels and tables: those nearest to one's
    own graph first, where that is typed, else the `chosen` one and then those with most runs; of which not
    all can be said yet last."""
    held: dict[OneGraph, list[like_own.One]] = {}
    for ones in like_own.told(graphs, units).values():
        for one in ones:
            held.setdefault(one[0], []).append(one)
    own = like_own.typed()

    def place(graph: OneGraph) -> tuple[object, ...]:
        thin = all(found.said.thin for _, _, found in held[graph])
        if own.known:
            return thin, min(rank(there, own) for _, there, _ in held[graph])
        return graph.people != chosen.people, thin, -graph.runs

    return sorted(held, key=place)


def answer(graphs: Sequence[OneGraph], units: Sequence[str]) -> None:
    """Of each unit what is told first of each of these graphs, in their order, a line each."""
    told = like_own.told(graphs, units)
    warned = set[str]()
    for unit, ones in told.items():
        st.markdown(f"**To hide {advising.HIDES[unit]}** (each ε protects {advising.UNITS[unit]})")
        if (public := _public(unit, ones)) and public not in warned:
            st.markdown(f"**:red[{markup.literal(public)}]** {advising.SECRET}")
            warned.add(public)
        if lines := list(filter(None, (_line(graph, found) for graph, _, found in ones))):
            st.markdown("\n\n".join(lines))
            st.caption(markup.literal(advised.protection_words(*(found.said for _, _, found in ones))))
        if waiting := "; ".join(filter(None, (_waiting(graph, found) for graph, _, found in ones))):
            st.markdown(f"**Nothing can be said yet:** {markup.literal(waiting)}.")
        for closing in dict.fromkeys(found.said.closing for _, _, found in ones if found.said.closing):
            titles = ", ".join(one.title for one, _, found in ones if found.said.closing == closing)
            st.markdown(f"**{markup.literal(titles)}:** {markup.literal(closing)}")
    if told:
        st.markdown(advising.CHOOSING)


def show(graphs: Sequence[OneGraph], units: Sequence[str]) -> None:
    """Folded, of each unit a table of the graphs on which a method has run, in their order."""
    if not (told := like_own.told(graphs, units)):
        return
    with layout.fold("What to take at every ε on every graph", "every_graph", icon=":material/table_chart:") as part:
        if not part.open:
            return
        for unit, ones in told.items():
            if len(told) > 1:
                st.markdown(f"**To hide {advising.HIDES[unit]}**")
            for score in dict.fromkeys(found.said.score for _, _, found in ones):
                _of_score(unit, score, [one for one in ones if one[2].said.score == score])
            meant = [found.said for held in told.values() for _, _, found in held] if unit == next(iter(told)) else []
            _small([found.said for _, _, found in ones], meant)
        st.caption(f"What is not told apart has a line for itself. {advised.JUDGED} {advised.BLIND_HIDES}")
        st.caption(" ".join(advised.protection_of(unit) for unit in told))
        st.caption(f"{WHY} Turn All graphs off for reasons.")


def _line(graph: OneGraph, found: Known) -> str:
    """What is told first of a graph alone, and what holds at each of its budgets; "" where nothing can be
    said yet."""
    if not _answered(found):
        return ""
    parts = [one_sentence.told(found.said), one_sentence.general(found.said), absent_words(graph, found.said)]
    said = " ".join(filter(None, parts))
    return f"{carded.MARK} **{markup.literal(graph.title)}**: {markup.literal(said)}" if said else ""


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
    if absent := absent_words(graph, found.said):
        heading += f". {absent.rstrip('.')}"
    levels = [found.said.bare or "not run"]
    if found.said.score == advising.ACCURACY:
        levels.append("not run" if found.blind is None else with_interval(found.blind))
    first = one_sentence.marked(found.said).places
    rows = [
        [
            f"{f'{carded.MARK} ' * (place in first)}{one.budgets}",
            *line,
            "\n".join(filter(None, one.cell)),
            protection(one),
        ]
        for place, one in enumerate(found.said.stretches)
        if one.answers
        for line in one.lines
    ]
    return [[heading, *rows[0], *levels], *rows[1:]]
