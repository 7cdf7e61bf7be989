"""What does noise do? A world of invented people, noise drawn again and again, and a game of guessing."""

import math
import time
from functools import partial
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
GAME, NOBODY, ALL = "playground.game", "nobody", "all"
LETS_THROUGH = 0.03
"""Seconds in which the drawn world leaves for the browser. The figures below keep the interpreter busy for
longer than that, and the picture would wait for them: 130 ms from control to picture become 90."""
words = texts("playground")
helps = words["controls"]
CONTROLS = (
    Parameter("hides", str, "edges", Option(helps["hides"], choices=(*worlds.SENSITIVITY,), label="Who is protected")),
    Parameter("hops", int, 1, Option(helps["hops"], choices=(1, 2, 3), label="Hops")),
    Parameter("alike", float, 0.85, Option(helps["alike"], low=0.35, high=0.95, label="Friends of one group")),
    Parameter("people", int, 120, Option(helps["people"], choices=(60, 120, 300), label="People")),
    Parameter("noise", int, 1, Option(helps["noise"], low=1, high=9999, label="Noise seed")),
)


def play() -> None:
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
    line = st.container(horizontal=True, vertical_alignment="center")
    who, friend = take_out(world, protects)
    with picture:
        settings = {"b": b, "hops": hops, "seed": seed, "protects": protects}
        gone = {"who": who, "friend": friend}
        settings["gone"] = {name: one for name, one in gone.items() if one is not None} or None
        components.mount("world", "world", settings | drawing(world), picked=lambda found: pick(found["who"]))
    time.sleep(LETS_THROUGH)
    with line:
        promise = fill(words["promise"], moved=f"{worlds.SENSITIVITY[protects]:g}", scale=number(b))
        st.caption(words["bare"] if protects == "nobody" else promise, width="content")
        with st.popover("Copy link", icon=":material/link:"):
            st.caption(words["link"])
            layout.address("playground", **st.query_params.to_dict())
        layout.reading("playground")
    if protects != "nobody":
        score.metric("Adversary", bound(meaning.guess(epsilon, 0.0)), help=words["guess"])
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


def drawing(world: World) -> dict[str, object]:
    """The world as the picture has it: a hint of -1 is blank; places lie in a unit square."""
    look = THEMES[layout.theme()]
    colours = {"surface": look.surface, "text": look.text, "edge": look.muted, "sound": look.sound}
    colours |= {"warning": look.warning, "groups": [*look.lines[: worlds.GROUPS]]}
    return {
        "names": [worlds.name(one) for one in range(world.people)],
        "groups": world.groups.tolist(),
        "hints": world.hints.tolist(),
        "friends": world.friends.tolist(),
        "places": np.round(worlds.places(world), 4).tolist(),
        "aspect": worlds.ASPECT,
        "theme": look.name,
        "colours": colours,
    }


def pick(who: int | None) -> None:
    choosing.forget("who", "friend")
    if who is not None:
        choosing.put("who", str(who))


def take_out(world: World, protects: str) -> tuple[int | None, int | None]:
    """Who is taken out, and the friend whose friendship with them alone is."""
    left, right = st.columns(2)
    titles = {NOBODY: words["nobody"], **{str(one): worlds.name(one) for one in range(world.people)}}
    with left:
        alone = partial(choosing.forget, "friend")
        who = choosing.one("Take one person out", titles, "who", moved=alone, help=words["who"])
    friends = [] if who == NOBODY else world.friends_of(int(who))
    if st.query_params.get("friend") not in map(str, friends):
        choosing.forget("friend")
    if who == NOBODY:
        return None, None
    titles = {ALL: f"all {len(friends)} friendships" + ("" if protects == "edges" else ", and the hint")}
    titles |= {str(one): f"the friendship with {worlds.name(one)} alone" for one in friends}
    with right:
        friend = choosing.one("What of them", titles, "friend")
    return int(who), None if friend == ALL else int(friend)


def show_evidence(pair: Pair) -> None:
    """Two histograms of the evidence for one world or the other, and the largest ratio of their heights."""
    rows = evidence.data(*drawn(pair), pair.epsilon, pair.names)
    live_plot.show(figure_of("evidence").plot(rows, layout.theme()), key="evidence")
    largest = evidence.largest(rows)
    ratio = ("Largest ratio", f"{math.exp(largest):.2f} = e^{largest:.2f}", words["ratio"])
    reach = worlds.largest_evidence(pair.world, pair.other, pair.b, pair.hops)
    most = ("Most for these worlds", f"e^{reach:.2f}", None)
    layout.numbers([ratio, most, ("Allowed by ε", f"e^{pair.epsilon:g}", None)])
    if pair.several > 1:
        st.badge("several friendships", color="orange", help=fill(words["several"], count=pair.several))


# The game


def game(pair: Pair, score: DeltaGenerator) -> None:
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
        if len(held.rounds) < ROUNDS:
            st.button(
                "Next round", key="guess_next", type="primary", icon=":material/arrow_forward:", on_click=held.deal
            )
    if played := len(held.rounds):
        limit = f"limit {bound(pair.limit)}"
        yours = f"{sum(said == truth for said, truth in held.rounds)} of {played}"
        score.metric("Your score", yours, limit, delta_color="off", delta_arrow="off", help=words["score"])
    scores(held)
    with st.container(horizontal=True):
        label, icon = f"Let the best guesser play {AUTOMATIC:,} rounds", ":material/smart_toy:"
        st.button(label, key="guess_auto", icon=icon, on_click=held.play_by_itself)
        if held.rounds:
            again = st.session_state.pop
            st.button("Start again", key="guess_again", icon=":material/replay:", on_click=again, args=(GAME, None))


def scores(held: Game) -> None:
    pair, played = held.pair, len(held.rounds)
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
