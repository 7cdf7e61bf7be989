"""The Playground: noise drawn again and again, a person taken out by a click, and a game of guessing."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import streamlit as st

from privgraph.options import Option, OptionError, Parameter
from privgraph_workbench import live_plot, live_world
from privgraph_workbench.facts import world as worlds
from privgraph_workbench.facts.world import World
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.play import evidence
from privgraph_workbench.forms import widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import THEMES
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.playground import guessing
from privgraph_workbench.views.playground.pair import DRAWS, Pair, drawn
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import at_most as capped
from privgraph_workbench.words.numbers import number

EPSILONS = ("0.25", "0.5", "1", "2", "4", "8", "16", "32")
PEOPLE, HOPS = (60, 120, 300), (1, 2, 3)
HIDES = {"edges": "one friendship", "people": "one person", "nobody": "nothing"}
CONTROLS = (
    Parameter(
        "hides",
        str,
        "edges",
        Option("what the noise hides: one friendship, one person with everything about them, or nothing",
               choices=tuple(worlds.PROTECTED), label="Who is protected"),
    ),
    Parameter("hops", int, 1, Option("how far a guess looks: friends, their friends, and theirs; each hop is published "
                                     "and pays its share of ε", choices=HOPS, label="Hops")),
    Parameter("alike", float, 0.85, Option("share of friendships within one group (homophily)", low=0.35, high=0.95,
                                           label="Friends of one group")),
    Parameter("people", int, 120, Option("how many people the world has", choices=PEOPLE, label="People")),
    Parameter("noise", int, 1, Option("another number draws other noise; who has the same address sees the same",
                                      low=1, high=9999, label="Noise seed")),
)  # fmt: skip
WHO, WITH = "who", "friend"
"""In the address: who is taken out, and whose friendship with them where it is one friendship alone."""
LETS_THROUGH = 0.03
"""Seconds in which the drawn world leaves for the browser. The figures below keep the interpreter busy for
longer than that, and the picture would wait for them: 130 ms from control to picture become 90."""
ALL = -1
"""What is chosen where all friendships go."""


def page() -> None:
    """A world, its noise, two worlds side by side, and the game."""
    st.title("Playground")
    st.markdown(
        "Everybody here is invented, belongs to one of three groups, and gives a hint at which, right 6 times out of "
        "10. A network guesses everybody's group from the **hints of their friends**, summed and published with "
        "**noise**. Press play, and watch which guesses the noise overturns: that is what privacy costs."
    )
    shell.fragment(_play)()


def _play() -> None:
    for complaint in widgets.complaints(CONTROLS):
        st.warning(complaint)
    controls, picture = layout.columns("playground", (3, 10), gap="medium")  # two worlds stand side by side in it
    values: dict[str, Any] = {}
    with controls:
        for one in CONTROLS:
            try:
                values[one.name] = widgets.widget(one, percent=True)
            except OptionError as error:
                st.error(markup.sentence(error))
                values[one.name] = one.default
            if one.name == "hides":
                epsilon = _epsilon(disabled=values["hides"] == "nobody")
    protects, hops, people = str(values["hides"]), int(values["hops"]), int(values["people"])
    seed = int(values["noise"])
    alike = round(float(values["alike"]), 3)
    world = worlds.make_world(people, alike)
    b = worlds.scale(protects, epsilon, hops)
    who, friend = _chosen(world)
    with picture:
        live_world.show("world", _data(world, protects, b, hops, seed, who, friend), _pick)
    time.sleep(LETS_THROUGH)
    st.caption(_promise(protects, epsilon, hops, b))
    _share()
    who, friend = _take_out(world, protects, who, friend)
    if who is None:
        return
    pair = Pair(people, alike, protects, epsilon, hops, seed, who, friend)
    if protects == "nobody":
        _bare(pair)
        return
    _evidence(pair)
    guessing.show(pair)


def _epsilon(*, disabled: bool) -> float:
    asked = st.query_params.get("eps")
    if asked is not None and asked not in EPSILONS:
        st.warning(
            f"In this page's address, eps has no value {markup.literal(asked[:20])}; it can be {', '.join(EPSILONS)}."
        )
        del st.query_params["eps"]
    return float(
        st.select_slider(
            "ε (epsilon)",
            EPSILONS,
            "1",
            key="eps",
            bind="query-params",
            disabled=disabled,
            help="The promise: a smaller ε means more noise and more privacy",
        )
    )


def _promise(protects: str, epsilon: float, hops: int, b: float) -> str:
    """What the noise is, and what it promises."""
    if protects == "nobody":
        return "No noise is added: the sums are published as they are, and nothing is promised."
    moved = worlds.sensitivity(protects)
    what = "A friendship moves" if protects == "edges" else f"A person has at most {worlds.FRIENDS} friends, and moves"
    spent = f" in each of {hops} hops" if hops > 1 else ""
    return (
        f"{what} the published sums by {moved} at most{spent}. Laplace noise of scale {number(b)} hides that: ε = "
        f"{epsilon:g}, δ = 0. Somebody who knows everything else guesses right "
        f"{capped(meaning.guess(epsilon, 0.0))} of the time whether {HIDES[protects]} is there; a coin does 50%."
    )


def _data(
    world: World, protects: str, b: float, hops: int, seed: int, who: int | None, friend: int | None
) -> dict[str, object]:
    look = THEMES[layout.theme()]
    gone = None if who is None else {"who": who} if friend is None else {"who": who, "friend": friend}
    return {
        "names": [worlds.name(one) for one in range(world.people)],
        "groups": world.groups.tolist(),
        "hints": world.hints.tolist(),
        "friends": world.friends.tolist(),
        "places": np.round(worlds.places(world), 4).tolist(),
        "b": b,
        "hops": hops,
        "seed": seed,
        "protects": protects,
        "aspect": worlds.ASPECT,
        "gone": gone,
        "theme": look.name,
        "colours": {
            "surface": look.surface,
            "text": look.text,
            "edge": look.muted,
            "sound": look.sound,
            "warning": look.warning,
            "groups": [look.line(slot) for slot in range(worlds.GROUPS)],
        },
    }


def _share() -> None:
    with st.popover("Copy link", icon=":material/link:"):
        st.caption("Whoever opens it sees this world with these settings and the same noise.")
        st.code(layout.link("playground", **{key: str(st.query_params[key]) for key in st.query_params}), language=None)


# Take one out


def _chosen(world: World) -> tuple[int | None, int | None]:
    """Who is taken out, and the friend whose friendship with them alone is; what does not fit is left out."""
    found: list[int | None] = []
    for key in (WHO, WITH):
        text = st.query_params.get(key, "")
        place = int(text) if text.isdecimal() and len(text) < 5 and int(text) < world.people else None
        if text and place is None:
            st.warning(f"In this page's address, {key} must be a number below {world.people}; it is left out.")
            del st.query_params[key]
        found.append(place)
    who, friend = found
    if who is not None and friend is not None and friend not in world.friends_of(who):
        friend = None
        del st.query_params[WITH]
    return who, None if who is None else friend


def _pick(who: int | None) -> None:
    """Take out who was clicked, or nobody."""
    st.query_params.pop(WITH, None)
    if who is None:
        st.query_params.pop(WHO, None)
    else:
        st.query_params[WHO] = str(who)
    st.session_state["out_who"] = who


def _take_out(world: World, protects: str, who: int | None, friend: int | None) -> tuple[int | None, int | None]:
    """The choice by name, for whoever does not click."""
    st.markdown("### Take one person out")
    left, right = st.columns(2)
    st.session_state["out_who"] = who
    chosen = left.selectbox(
        "Who",
        list(range(world.people)),
        index=None,
        key="out_who",
        format_func=worlds.name,
        placeholder="click somebody above, or choose here",
        help="The two worlds, with them and without, then stand side by side, with the same noise",
        on_change=lambda: _pick(st.session_state["out_who"]),
    )
    if chosen is None:
        st.caption("Click somebody in the picture: you see the world without them beside the one with them.")
        return None, None
    friends = world.friends_of(chosen)
    whole = f"all {len(friends)} friendships" + ("" if protects == "edges" else ", and the hint")
    st.session_state["out_friend"] = ALL if friend is None else friend

    def one_friendship() -> None:
        held = st.session_state["out_friend"]
        if held == ALL:
            st.query_params.pop(WITH, None)
        else:
            st.query_params[WITH] = str(held)

    right.selectbox(
        "What of them",
        [ALL, *friends],
        key="out_friend",
        format_func=lambda one: whole if one == ALL else f"the friendship with {worlds.name(one)} alone",
        on_change=one_friendship,
    )
    return who, friend


def _bare(pair: Pair) -> None:
    """What happens without noise."""
    means = [one.adjacency @ worlds.first_rows(one) for one in (pair.world, pair.other)]
    st.error(
        f"Without noise, {int((means[0] != means[1]).sum())} published numbers are others {pair.names[1]} than "
        f"{pair.names[0]}. Whoever knows the rest works out both, compares, and is right every time: no ε holds. "
        "Protect edges or people above.",
        icon=":material/lock_open:",
    )


def _evidence(pair: Pair) -> None:
    """Two histograms of what is published, boiled down to what speaks for one world or the other."""
    rows = evidence.data(*drawn(pair), pair.epsilon, pair.names)
    live_plot.show(figure_of("evidence").plot(rows, layout.theme()), key="evidence")
    shown = evidence.largest(rows)
    st.markdown(
        f"Noise was drawn {DRAWS:,} times in each world, and all that is published boiled down to the one number that "
        f"matters to a guesser: how much likelier it is {pair.names[0]} than {pair.names[1]}. **The largest ratio of "
        f"two heights is {math.exp(shown):.2f} = e^{shown:.2f}.** For these two worlds no ratio exceeds "
        f"e^{pair.most:.2f}; the promise allows e^{pair.epsilon:g} for any two that differ in {HIDES[pair.protects]}."
    )
    if not pair.promised:
        st.warning(
            f"The promise is about one friendship, and {worlds.name(pair.who)} has {pair.gone}: what they are "
            f"together, it does not hide. Evidence may reach {pair.gone} times ε. To hide all of a person, protect "
            "people.",
            icon=":material/warning:",
        )
