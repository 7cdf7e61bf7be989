"""What does noise do? A world of invented people, noise drawn again and again, and a game of guessing."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.audits.bounds import at_least, at_most
from privgraph.options import Option, OptionError, Parameter
from privgraph_workbench import components
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.play import evidence, told_numbers
from privgraph_workbench.forms import widgets
from privgraph_workbench.parts import choosing, layout
from privgraph_workbench.play import world as worlds
from privgraph_workbench.play.two_worlds import AUTOMATIC, LEVEL, ROUNDS, Game, Pair, drawn
from privgraph_workbench.play.world import World
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import THEMES
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import bound, number, percent

EPSILONS = ("0.25", "0.5", "1", "2", "4", "8", "16", "32")
GAME, WHO, WITH, ALL = "playground.game", "who", "friend", -1
LETS_THROUGH = 0.03
"""Seconds in which the drawn world leaves for the browser. The figures below keep the interpreter busy for
longer than that, and the picture would wait for them: 130 ms from control to picture become 90."""
words = texts("playground")
helps = words["controls"]
CONTROLS = (
    Parameter("hides", str, "edges", Option(helps["hides"], choices=tuple(worlds.PROTECTED), label="Who is protected")),
    Parameter("hops", int, 1, Option(helps["hops"], choices=(1, 2, 3), label="Hops")),
    Parameter("alike", float, 0.85, Option(helps["alike"], low=0.35, high=0.95, label="Friends of one group")),
    Parameter("people", int, 120, Option(helps["people"], choices=(60, 120, 300), label="People")),
    Parameter("noise", int, 1, Option(helps["noise"], low=1, high=9999, label="Noise seed")),
)


def play() -> None:
    """Controls, the picture, two worlds side by side, and the game."""
    widgets.warn(CONTROLS)
    choosing.within("eps", EPSILONS)
    controls, picture = layout.columns("second-first-playground", (4, 10), gap="medium")
    values: dict[str, Any] = {}
    with controls:
        for one in CONTROLS:
            try:
                values[one.name] = widgets.widget(one, percent=True)
            except OptionError as error:
                st.error(markup.sentence(error))
                values[one.name] = one.default
            if one.name == "hides":
                left, score = st.columns(2, vertical_alignment="center")
                shared = {"key": "eps", "bind": "query-params", "disabled": values["hides"] == "nobody"}
                epsilon = float(left.select_slider("ε (epsilon)", EPSILONS, "1", help=words["epsilon"], **shared))
    score = score.empty()
    protects, hops, people, seed = (values[name] for name in ("hides", "hops", "people", "noise"))
    alike = round(float(values["alike"]), 3)
    world = worlds.make_world(people, alike)
    b = worlds.scale(protects, epsilon, hops)
    who, friend = address_of(world)
    with picture:
        drawn_world = data_of(world, protects, b, hops, seed, who, friend)
        components.mount("world", "world", drawn_world, picked=lambda found: pick(found["who"]))
    time.sleep(LETS_THROUGH)
    with st.container(horizontal=True, vertical_alignment="center"):
        promise = fill(words["promise"], moved=f"{worlds.sensitivity(protects):g}", scale=number(b))
        st.caption(words["bare"] if protects == "nobody" else promise, width="content")
        with st.popover("Copy link", icon=":material/link:"):
            st.caption(words["link"])
            layout.address("playground", **st.query_params.to_dict())
        layout.reading("playground")
    if protects != "nobody":
        score.metric("Adversary", bound(meaning.guess(epsilon, 0.0)), help=words["guess"])
    who, friend = take_out(world, protects, who, friend)
    if who is None:
        return
    pair = Pair(people, alike, protects, epsilon, hops, seed, who, friend)
    if protects == "nobody":
        means = [one.adjacency @ worlds.first_rows(one) for one in (pair.world, pair.other)]
        count = int((means[0] != means[1]).sum())
        st.error(fill(words["revealed"], count=count), icon=":material/lock_open:")
        return
    left, right = layout.columns("playground-game", 2)
    with left:
        show_evidence(pair)
    with right:
        game(pair, score)


def data_of(
    world: World, protects: str, b: float, hops: int, seed: int, who: int | None, friend: int | None
) -> dict[str, object]:
    look = THEMES[layout.theme()]
    colours = {"surface": look.surface, "text": look.text, "edge": look.muted, "sound": look.sound}
    colours |= {"warning": look.warning, "groups": [*look.lines[: worlds.GROUPS]]}
    gone = {"who": who, "friend": friend}
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
        "gone": {name: one for name, one in gone.items() if one is not None} or None,
        "theme": look.name,
        "colours": colours,
    }


# Take one out


def address_of(world: World) -> tuple[int | None, int | None]:
    """Who is taken out, and the friend whose friendship with them alone is; what does not fit is left out."""
    found: list[int | None] = []
    for key in (WHO, WITH):
        text = st.query_params.get(key, "")
        place = int(text) if text.isdecimal() and len(text) < 5 and int(text) < world.people else None
        if text and place is None:
            widgets.leave_out(key, text)
        found.append(place)
    who, friend = found
    if who is not None and friend is not None and friend not in world.friends_of(who):
        friend = None
        del st.query_params[WITH]
    return who, None if who is None else friend


def choose(key: str, chosen: int | None) -> None:
    if chosen in (None, ALL):
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = str(chosen)


def pick(who: int | None) -> None:
    choose(WITH, None)
    choose(WHO, who)
    st.session_state["out_who"] = who


def take_out(world: World, protects: str, who: int | None, friend: int | None) -> tuple[int | None, int | None]:
    """The choice by name, for whoever does not click."""
    left, right = st.columns(2)
    st.session_state["out_who"] = who
    shared = {"key": "out_who", "format_func": worlds.name, "placeholder": "click somebody above, or choose here"}
    shared |= {"on_change": lambda: pick(st.session_state["out_who"]), "help": words["who"]}
    chosen = left.selectbox("Take one person out", range(world.people), index=None, **shared)
    if chosen is None:
        return None, None
    friends = world.friends_of(chosen)
    titles = {ALL: f"all {len(friends)} friendships" + ("" if protects == "edges" else ", and the hint")}
    titles |= {one: f"the friendship with {worlds.name(one)} alone" for one in friends}
    st.session_state["out_friend"] = ALL if friend is None else friend
    shared = {"key": "out_friend", "on_change": lambda: choose(WITH, st.session_state["out_friend"])}
    right.selectbox("What of them", list(titles), format_func=titles.__getitem__, **shared)
    return who, friend


def show_evidence(pair: Pair) -> None:
    """Two histograms of the evidence for one world or the other, and the largest ratio of their heights."""
    rows = evidence.data(*drawn(pair), pair.epsilon, pair.names)
    live_plot.show(figure_of("evidence").plot(rows, layout.theme()), key="evidence")
    largest = evidence.largest(rows)
    ratio = ("Largest ratio", f"{math.exp(largest):.2f} = e^{largest:.2f}", words["ratio"])
    most = ("Most for these worlds", f"e^{pair.most:.2f}", None)
    layout.numbers([ratio, most, ("Allowed by ε", f"e^{pair.epsilon:g}", None)])
    if not pair.promised:
        st.badge("several friendships", color="orange", help=fill(words["several"], count=pair.gone))


# The game


def game(pair: Pair, score: DeltaGenerator) -> None:
    """Ten rounds of guessing; the score stands beside the slider."""
    held: Game | None = st.session_state.get(GAME)
    if held is None or held.pair != pair:
        held = st.session_state[GAME] = Game(pair)
    st.markdown("##### Which world was published?", help=fill(words["coin"], rounds=ROUNDS))
    rows = told_numbers.data(held.told, pair.world, pair.other, pair.names)
    live_plot.show(figure_of("told_numbers").plot(rows, layout.theme()), key="told_numbers")
    if held.said is None:
        with st.container(horizontal=True):
            for claim, said in zip(pair.names, (True, False), strict=True):
                st.button(claim, key=f"guess_{said}", type="primary", on_click=held.answer, args=(said,))
    else:
        right = held.said == held.truth
        told = fill(words["right" if right else "wrong"], truth=pair.names[0 if held.truth else 1])
        (st.success if right else st.error)(told, icon=f":material/{'check' if right else 'close'}:")
        if held.played < ROUNDS:
            st.button(
                "Next round", key="guess_next", type="primary", icon=":material/arrow_forward:", on_click=held.deal
            )
    if held.played:
        limit = f"limit {bound(pair.limit)}"
        yours = f"{held.right} of {held.played}"
        score.metric("Your score", yours, limit, delta_color="off", delta_arrow="off", help=words["score"])
    scores(held)
    with st.container(horizontal=True):
        label, icon = f"Let the best guesser play {AUTOMATIC:,} rounds", ":material/smart_toy:"
        st.button(label, key="guess_auto", icon=icon, on_click=held.play_by_itself)
        if held.played:
            again = st.session_state.pop
            st.button("Start again", key="guess_again", icon=":material/replay:", on_click=again, args=(GAME, None))


def scores(held: Game) -> None:
    pair, played = held.pair, held.played
    shown = [
        ("By the evidence", percent(held.best / played) if played else "—", words["evidence"]),
        ("Best guesser", percent(worlds.guessed(*drawn(pair))), words["expected"]),
    ]
    if held.automatic is not None:
        low, high = (percent(float(end(held.automatic, AUTOMATIC, LEVEL))) for end in (at_least, at_most))
        hint = fill(words["automatic"], low=low, high=high, rounds=f"{AUTOMATIC:,}")
        shown.append((f"Best guesser, {AUTOMATIC:,} rounds", percent(held.automatic / AUTOMATIC), hint))
    layout.numbers(shown)
    if held.rounds:
        rows = [
            {"round": at, "result": "right" if said == truth else "wrong", "truth": pair.names[0 if truth else 1]}
            for at, (said, truth) in enumerate(held.rounds, start=1)
        ]
        st.dataframe(rows, hide_index=True, key="rounds", height=35 * (min(len(rows), 4) + 1) + 3)


layout.head("playground")
shell.fragment(play)()
