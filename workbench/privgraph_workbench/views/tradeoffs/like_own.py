"""One's own graph by its measures: which graph with runs is nearest to it and in what, and whether what is
said of that one carries over."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, build
from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.traits import APART, FACTOR, TITLES, Traits, apart, difference
from privgraph_workbench.serving import shell
from privgraph_workbench.views.tradeoffs.known import Known
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

One = tuple[DatasetSpec, Traits, Known]
MADE_UP = "social"
"""The graph that is drawn at any sizes."""
KEYS = ("like_nodes", "like_degree", "like_homophily", "like_mlp")
"""The fields of one's own graph."""
WITHIN = (
    f"within a factor of {FACTOR:g} in nodes and mean degree, {APART['homophily']:g} in homophily and "
    f"{100 * APART['mlp']:g} points in the accuracy of an MLP"
)


def form() -> Traits:
    """What visitors type of their own graph; nothing of it is stored or sent."""
    st.markdown("**Your graph** (what you know of it)")
    boxes = st.columns(4)
    nodes = boxes[0].number_input("Nodes of your graph", min_value=1, value=None, step=1, key=KEYS[0])
    degree = boxes[1].number_input("Its mean degree", min_value=0.1, value=None, step=1.0, key=KEYS[1])
    homophily = boxes[2].number_input(
        "Its homophily (0 to 1)",
        min_value=0.0,
        max_value=1.0,
        value=None,
        step=0.05,
        key=KEYS[2],
        help="The share of edges whose ends have the same class. Of a private graph it is private: a guess will do",
    )
    mlp = boxes[3].number_input(
        "MLP accuracy, % (optional)",
        min_value=1.0,
        max_value=100.0,
        value=None,
        step=1.0,
        key=KEYS[3],
        help="The test accuracy of an MLP on your features alone, without edges",
    )
    return Traits(nodes=nodes, degree=degree, homophily=homophily, mlp=None if mlp is None else mlp / 100)


def nearest(own: Traits, found: Mapping[str, One]) -> None:
    """How far the nearest graph is from one's own, and whether what is said of it carries over. found: that
    graph for each unit; another one where fewer graphs are known."""
    ways = False
    for spec in dict.fromkeys(spec for spec, _, _ in found.values()):
        here = {unit: one for unit, one in found.items() if one[0] == spec}
        known = next(iter(here.values()))[1]
        far = apart(known, own)
        title = markup.literal(spec.title)
        each = "; ".join(difference(name, known, own) for name in far)
        st.markdown(
            f"Nearest in {both([TITLES[name] for name in far])}, to hide {both([HIDES[unit] for unit in here])}: "
            f"**{title}**. {markup.sentence(each)} Nearer graphs stand first."
        )
        if too_far := [TITLES[name] for name, units in far.items() if units > 1]:
            st.warning(
                f"**What is said of {title} does not carry over to your graph**: too far in {both(too_far)} "
                f"(comparable is {WITHIN}). Compare what fits on your own.",
                icon=":material/compare_arrows:",
            )
            ways = True
        elif left := [TITLES[name] for name in TITLES if name not in far and name != "mlp"]:
            st.caption(f"Near enough in what you typed; {both(left)} may still differ. Comparable is {WITHIN}.")
        else:
            st.caption(f"Near enough for a first guess: {WITHIN}.")
        if worth := _worth(own, {unit: told for unit, (_, _, told) in here.items()}, title):
            st.markdown(worth)
    if ways:
        _ways(own)


def _worth(own: Traits, found: Mapping[str, Known], title: str) -> str:
    """Whether edges are worth anything beside an MLP whose accuracy is typed: what they can add at most, and
    what they do add on the nearest graph, without privacy and with it for each unit."""
    told = next(iter(found.values()))
    if own.mlp is None or told.blind is None:
        return ""
    said = [f"Your MLP has {percent(own.mlp)}: edges can add {100 * (1 - own.mlp):.1f} points at most."]
    if told.said.network is not None:
        added = 100 * (told.said.network["mean"] - told.blind["mean"])
        said.append(f"On {title} they add {added:.1f} to the {percent(told.blind['mean'])} of an MLP, without privacy.")
    edges, people = found.get("edge"), found.get("node")
    if edges is not None and not edges.said.thin:
        clear = [one.epsilons[0] for one in edges.said.stretches if one.kind in ("one", "several")]
        said.append(
            f"With edges hidden something is clearly above that MLP from ε {clear[0]:g} on."
            if clear
            else "With edges hidden nothing is clearly above that MLP at any ε tried: use it, for it hides them all."
        )
    if people is not None and people.said.lead:
        said.append("With people hidden nothing is clearly above that MLP at any ε tried.")
    return " ".join(said)


def _ways(own: Traits) -> None:
    """To a comparison on one's own graph, or on one that is drawn with its measures."""
    with st.container(horizontal=True):
        st.page_link(
            shell.page("data"), label="Bring your graph, then Compare what fits on it", icon=":material/upload:"
        )
        made_up = dataset(MADE_UP)
        kind = made_up.load_options()
        options: dict[str, object] = {
            name: getattr(own, name) for name in ("nodes", "degree", "homophily") if name in own.known
        }
        if kind is None or not options:
            return
        try:
            build(kind, options)
        except OptionError:
            return  # no such graph is drawn
        st.page_link(
            shell.page("tradeoffs"),
            label=f"Sweep on a {made_up.title.lower()} of these measures",
            icon=":material/play_arrow:",
            query_params={
                "data": MADE_UP,
                "everywhere": "false",
                **{f"data.{name}": str(value) for name, value in options.items()},
            },
        )
