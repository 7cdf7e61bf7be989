"""One's own graph by its measures: which graph with runs is nearest to it and in what, whether what is said
of that one carries over, and a sweep on a graph that is made with its measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError
from privgraph_workbench.facts import advised
from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.stretches import CLEAR, Stretch
from privgraph_workbench.facts.traits import APART, FACTOR, TITLES, Traits, apart, difference, rank, traits
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.views.tradeoffs import files, made_up
from privgraph_workbench.views.tradeoffs.known import Known, known
from privgraph_workbench.views.tradeoffs.one_graph import MARK, OneGraph
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

One = tuple[OneGraph, Traits, Known]
OPENED = "own"
"""Whether the fields of one's own graph are open."""
FIELDS: Mapping[str, tuple[str, dict[str, Any], str | None]] = {
    "like_nodes": ("Nodes of your graph", {"step": 1}, None),
    "like_degree": ("Its mean degree (2 × edges / nodes)", {"step": 1.0}, None),
    "like_homophily": (
        "Its homophily (0 to 1)",
        {"step": 0.05},
        "The share of edges whose ends have the same class. Of a private graph it is private: a guess will do",
    ),
    "like_mlp": (
        "MLP accuracy, % (optional)",
        {"step": 1.0},
        "The test accuracy of an MLP on your features alone, without edges. A made-up network is drawn with features "
        "that tell as much",
    ),
    "like_classes": (
        "Classes (optional)",
        {"step": 1},
        "How many classes its nodes have: a made-up network is drawn with as many",
    ),
}
"""The fields of one's own graph by their keys: what each is called, its steps, and what is asked for."""
BOUNDS: Mapping[str, tuple[float, float]] = {
    "like_nodes": (1, math.inf),
    "like_degree": (0.1, math.inf),
    "like_homophily": (0.0, 1.0),
    "like_mlp": (1.0, 100.0),
    "like_classes": (2, 50),
}
"""What they admit. A field with bounds of its own tells nobody of a number beyond them, and the answer to
what was typed before would stay."""
NEXT = 2
"""So many graphs are named after the nearest one."""
WITHIN = (
    f"within a factor of {FACTOR:g} in nodes and mean degree, {APART['homophily']:g} in homophily and "
    f"{100 * APART['mlp']:g} points in the accuracy of an MLP"
)


def show(graphs: Mapping[str, OneGraph], units: Sequence[str]) -> None:
    """The fields; once something is typed the nearest graph with runs, and whether its advice carries over;
    the ways to runs on one's own graph or on one that is made with its measures."""
    with st.container(border=True):
        own = form(units)
        for complaint in complaints():
            st.error(complaint)
        if own.known:
            ordered = _ordered(graphs.values(), units, own)
            nearest(own, ordered, graphs)
        else:
            _ways(own)


def _ordered(graphs: Iterable[OneGraph], units: Sequence[str], own: Traits) -> dict[str, list[One]]:
    """Of each unit the graphs on which something has run, those that are most like one's own first."""
    found = told(graphs, units)
    return {unit: sorted(ones, key=lambda one: rank(one[1], own)) for unit, ones in found.items()}


def _follow(units: Sequence[str]) -> None:
    """Show the graph that is nearest to what was typed, until somebody chooses another one."""
    own, graphs = typed(), files.choices()
    if own.known and (ordered := _ordered(graphs.values(), units, own)):
        graph, _, _ = next(iter(ordered.values()))[0]
        choosing.put("data", _key(graph, graphs))


def _key(graph: OneGraph, graphs: Mapping[str, OneGraph]) -> str:
    """Under what a graph is chosen."""
    return next(key for key, one in graphs.items() if one.people == graph.people)


def told(graphs: Iterable[OneGraph], units: Sequence[str]) -> dict[str, list[One]]:
    """Of each unit what is said of every graph on which a method that protects it has run."""
    held = [one for one in graphs if one.runs]
    found: dict[str, list[One]] = {}
    for unit in units:
        for graph in held:
            said = known(graph, unit)
            if said is not None and said.said.methods:
                found.setdefault(unit, []).append((graph, _traits(graph, said), said))
    return found


def typed() -> Traits:
    """What is typed of one's own graph; nothing while its fields are shut, or one of them has what cannot
    be."""
    if not st.session_state.get(OPENED) or complaints():
        return Traits()
    nodes, degree, homophily, mlp, _ = (st.session_state.get(key) for key in FIELDS)
    return Traits(nodes=nodes, degree=degree, homophily=homophily, mlp=None if mlp is None else mlp / 100)


def asks() -> bool:
    """Whether the fields are open and hold nothing to compare by."""
    return bool(st.session_state.get(OPENED)) and not typed().known


def complaints() -> list[str]:
    """Which of the numbers that are typed cannot be, a sentence each."""
    said = []
    for key, (low, high) in BOUNDS.items():
        value = st.session_state.get(key)
        if value is not None and not low <= value <= high:
            bounds = f"{low:g} at least" if math.isinf(high) else f"between {low:g} and {high:g}"
            said.append(f"{FIELDS[key][0].partition(' (')[0]}: {bounds}, and {value:g} is not. Nothing is compared.")
    return said


def form(units: Sequence[str]) -> Traits:
    """What visitors type of their own graph; nothing of it is stored, and it stays in this visit until they
    follow the link that `_ways` describes. What they type chooses the nearest graph with runs."""
    st.markdown("**My own graph:** type what you know of it. Nothing of it is stored.")
    for column, (key, (label, bounds, help_)) in zip(st.columns(len(FIELDS)), FIELDS.items(), strict=True):
        column.number_input(label, value=None, key=key, help=help_, on_change=_follow, args=(units,), **bounds)
    return typed()


def too_far(graph: OneGraph, found: Known) -> list[str] | None:
    """In what a graph is too far from the one that is typed; None where none is, or its fields are shut."""
    own = typed()
    if not own.known:
        return None
    return _beyond(apart(_traits(graph, found), own))


def far(graph: OneGraph, units: Sequence[str], graphs: Mapping[str, OneGraph]) -> bool:
    """Whether what is said of a graph does not carry over to the one that is typed, in any of these units,
    and no other graph's does, which would be said instead."""
    held = [found for unit in units if (found := known(graph, unit)) is not None]
    return any(too_far(graph, found) and not elsewhere(graph, found, units, graphs) for found in held)


def is_nearest(graph: OneGraph, units: Sequence[str], graphs: Mapping[str, OneGraph]) -> bool:
    """Whether no graph with runs is nearer to the one that is typed."""
    return any(ones[0][0] == graph for ones in _ordered(graphs.values(), units, typed()).values())


def refused(graph: OneGraph, found: Known) -> str:
    """Why what is said of a graph does not carry over to the one that is typed, or is not known to, in a
    sentence; "" where it does, or the fields are shut."""
    if far := too_far(graph, found):
        return f"It does not carry over to your graph: too far in {both(far)}."
    own = typed()
    if not own.known or not own.missing:
        return ""
    are = "are" if len(own.missing) > 1 else "is"
    return f"It is not known whether it carries over to your graph: {_to_type(own)} {are} not typed."


def _to_type(own: Traits) -> str:
    """Which of the measures that decide are not typed."""
    return both([TITLES[name] for name in own.missing])


def _beyond(far: Mapping[str, float]) -> list[str]:
    return [TITLES[name] for name, units in far.items() if units > 1]


def _traits(graph: OneGraph, found: Known) -> Traits:
    return traits(graph.spec, graph.data_options, None if found.blind is None else found.blind["mean"])


def nearest(own: Traits, ordered: Mapping[str, Sequence[One]], graphs: Mapping[str, OneGraph]) -> None:
    """Which graph is nearest to one's own, whether what is said of it carries over, and the button that shows
    it where another one is shown; folded, how near it is. ordered: for each unit the graphs, nearest first.
    graphs: all, by what chooses them."""
    first = {unit: ones[0] for unit, ones in ordered.items()}
    details = list[str]()
    offered = False
    for graph in dict.fromkeys(graph for graph, _, _ in first.values()):
        here = {unit: one for unit, one in first.items() if one[0] == graph}
        known = next(iter(here.values()))[1]
        far = apart(known, own)
        beyond, title = _beyond(far), markup.literal(graph.title)
        to_hide = f", to hide {both([HIDES[unit] for unit in here])}," if len(here) < len(first) else ""
        shown = not st.session_state.get("everywhere") and st.session_state.get("data") == _key(graph, graphs)
        near = not beyond and not own.missing
        if beyond:
            carries = f"too far in {both(beyond)} for its advice to carry over to your graph."
        elif not near:
            judged = both([TITLES[name] for name in own.known])
            carries = f"judged by {judged} alone. Type {_to_type(own)} to know whether its advice carries over."
        else:
            carries = f"near enough for its advice{' below' * shown} to be a first guess for your graph."
        st.markdown(f"**The nearest measured graph{to_hide} is {title}**, {carries}")
        if beyond:
            st.markdown("\n".join(_distance(name, units, known, own) for name, units in far.items()))
            if not offered:
                _ways(own, lead=True)
                offered = True
        if not shown:
            _elsewhere_shown(graph, here, graphs, carries=near)
        details += _details(own, known, far, beyond, title)
        if worth := _worth(own, {unit: one[2] for unit, one in here.items()}, title, carries=near):
            st.markdown(worth)
    if said := _further(own, ordered):
        details.append(said)
    if details:
        with st.expander("How near it is, and what does not carry over", icon=":material/compare_arrows:"):
            st.markdown("\n\n".join(details))
    if not offered:
        _ways(own)


def _distance(name: str, far: float, known: Traits, own: Traits) -> str:
    """How far a graph is from one's own in a measure, as a point of a list."""
    verdict = "too far" if far > 1 else "near enough"
    said = markup.literal(markup.sentence(difference(name, known, own)).rstrip("."))
    return f"- {said}: **{verdict}**" if far > 1 else f"- {said}: {verdict}"


def _details(own: Traits, known: Traits, far: Mapping[str, float], beyond: Sequence[str], title: str) -> list[str]:
    """Each measure of a graph and of one's own, what is near enough, and what does not carry over."""
    each = markup.sentence("; ".join(difference(name, known, own) for name in far))
    if beyond:
        carries = f"What is said of {title} does not carry over: compare what fits on your own graph instead."
    elif own.missing:
        carries = f"You have not typed {_to_type(own)}, in which it may still be too far."
    else:
        carries = "Near enough for a first guess of what is best; accuracies and costs will differ."
    return [f"**{title}:** {each} Comparable is {WITHIN}. {carries}"]


def _elsewhere_shown(
    graph: OneGraph, here: Mapping[str, One], graphs: Mapping[str, OneGraph], *, carries: bool
) -> None:
    """Of a graph that is not shown the button that shows it and, where it carries over, what is said of it, a
    line for each unit."""
    for unit, (_, _, found) in here.items() if carries else ():
        told = markup.literal(advised.in_line(found.said))
        st.markdown(f"**On {markup.literal(graph.title)}, to hide {HIDES[unit]}.** {told}")
    name, mark = markup.literal(graph.title), graph.address.replace(MARK, "-")
    kind: Literal["primary", "secondary"] = "primary" if carries else "secondary"
    st.button(f"Show {name}", key=f"like_show.{mark}", type=kind, on_click=_choose, args=(_key(graph, graphs),))


def _choose(key: str) -> None:
    """Show this graph alone from now on, beside what was typed."""
    choosing.put("data", key)
    st.session_state["everywhere"] = False


def elsewhere(graph: OneGraph, found: Known, units: Sequence[str], graphs: Mapping[str, OneGraph]) -> bool:
    """Whether what is said of a graph does not carry over to the one that is typed, while that of another one
    does, and is said beside the fields."""
    own = typed()
    if own.missing or not too_far(graph, found):
        return False
    ones = [one for held in told(graphs.values(), units).values() for one in held]
    return any(not _beyond(apart(there, own)) for _, there, _ in ones)


def _further(own: Traits, ordered: Mapping[str, Sequence[One]]) -> str:
    """The next graphs after a nearest one that is too far, each with the measures in which it is; "" where
    the nearest are near enough. ordered: for each unit the graphs, nearest first."""
    first = {ones[0][0]: ones[0][1] for ones in ordered.values()}
    if not any(_beyond(apart(there, own)) for there in first.values()):
        return ""
    others = {graph: there for ones in ordered.values() for graph, there, _ in ones if graph not in first}
    told = []
    for graph, there in sorted(others.items(), key=lambda one: rank(one[1], own))[:NEXT]:
        beyond = _beyond(apart(there, own))
        near = "not too far in what you typed" if own.missing else "near enough"
        words = f"too far in {both(beyond)}" if beyond else near
        told.append(f"{markup.literal(graph.title)} ({words})")
    return f"Next nearest: {'; '.join(told)}." if told else ""


def _worth(own: Traits, found: Mapping[str, Known], title: str, *, carries: bool) -> str:
    """Whether edges are worth anything beside an MLP whose accuracy is typed: where what is said of the
    nearest graph `carries` over, what they add there, without privacy and with it for each unit; ""
    elsewhere, for nothing tells."""
    told = next(iter(found.values()))
    if own.mlp is None or told.blind is None or not carries:
        return ""
    said = [f"Your MLP has {percent(own.mlp)}."]
    if told.said.network is not None:
        added = 100 * (told.said.network["mean"] - told.blind["mean"])
        said.append(
            f"On {title} edges add {added:.1f} points to the {percent(told.blind['mean'])} of an MLP, without privacy."
        )
    edges, people = found.get("edge"), found.get("node")
    if edges is not None and not edges.said.thin:
        better = [one for one in edges.said.stretches if one.kind in ("one", "several")]
        said.append(
            _above_mlp(better, title)
            if better
            else f"On {title}, with edges hidden, nothing is clearly above its MLP at any ε compared: there the MLP is "
            "what to take, for it hides every edge."
        )
    if people is not None and people.said.lead and not people.said.thin:
        than = "a guess" if all(one.kind == "nothing" for one in people.said.stretches) else "its MLP"
        said.append(f"On {title}, with people hidden, nothing is clearly above {than} at any ε compared.")
    return " ".join(said)


def _above_mlp(better: Sequence[Stretch], title: str) -> str:
    """From which budget on edges are worth their noise there, by which method, and where it is open which
    one is best: that something is clearly above an MLP does not say which."""
    first = better[0]
    said = f"On {title}, with edges hidden, {first.candidates[0].short} is clearly above its MLP from {first.span} on"
    undecided = [one.budgets for one in better if one.verdict != CLEAR]
    if not undecided:
        return f"{said}, and at each of these ε it is clear which method is best."
    where = "at none of these ε is it" if len(undecided) == len(better) else f"at ε {both(undecided)} it is not"
    return f"{said}: reading edges pays there. Which method is best is another question, and {where} clear."


def _ways(own: Traits, *, lead: bool = False) -> None:
    """To a comparison on one's own graph, or on one that is made with its measures; `lead`: nothing else
    helps."""
    if lead:
        st.markdown("**No run here answers for your graph. Make the runs that do:**")
    with st.container(horizontal=True, key=f"{styles.WHOLE}-ways"):
        st.page_link(
            shell.page("data"), label="Bring your graph, then Compare what fits on it", icon=":material/upload:"
        )
        title = dataset(made_up.NAME).title.lower()
        try:
            graph, fitted = made_up.drawn_as(own, st.session_state.get("like_classes"))
        except OptionError as error:
            st.caption(f"No {title} has these measures: {markup.literal(error)}.")
            return
        if graph is None:
            return
        st.page_link(
            shell.page("tradeoffs"),
            label=f"Sweep on a {title} of these measures",
            icon=":material/play_arrow:",
            query_params={"data": graph.address, "everywhere": "false", OPENED: "false"},
        )
    st.caption(
        f"{fitted} The sweep's link puts what you typed into the page's address, where the browser's history keeps it; "
        "whoever gets that address, or the runs, can read it."
    )
