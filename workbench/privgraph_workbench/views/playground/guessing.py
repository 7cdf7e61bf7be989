"""The game: a coin decides which of two worlds is the true one, and the visitor guesses from what is
published."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from privgraph.audits.bounds import at_least, at_most
from privgraph_workbench import live_plot
from privgraph_workbench.facts import world as worlds
from privgraph_workbench.facts.world import Rows
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.play import told_numbers
from privgraph_workbench.serving import styles
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.playground.pair import Pair, drawn
from privgraph_workbench.words.numbers import at_most as capped
from privgraph_workbench.words.numbers import percent

ROUNDS, AUTOMATIC = 10, 2000
LEVEL = 0.025
"""On either side of a confidence interval of 95%."""
GAME = "playground.game"


@dataclass
class Round:
    """Which world is the true one, what it published, what that says to whoever goes by the evidence, and
    what was guessed (None: nothing yet)."""

    truth: bool
    told: list[Rows]
    evidence: float
    said: bool | None = None


@dataclass
class Game:
    """What was guessed so far: guess and truth of each round, the right guesses of whoever goes by the
    evidence; and how many of `AUTOMATIC` rounds such a guesser got right."""

    pair: Pair
    rounds: list[tuple[bool, bool]] = field(default_factory=list)
    best: int = 0
    automatic: int | None = None
    open: Round = field(init=False)

    def __post_init__(self) -> None:
        self.deal()

    @property
    def played(self) -> int:
        return len(self.rounds)

    @property
    def right(self) -> int:
        """How many guesses were right."""
        return sum(said == truth for said, truth in self.rounds)

    def deal(self) -> None:
        """A coin, and one release of the world that it chose."""
        draw, pair = np.random.default_rng(), self.pair
        truth = bool(draw.integers(2))
        told = worlds.published(pair.world if truth else pair.other, pair.b, pair.hops, 1, draw)
        self.open = Round(truth, told, float(worlds.evidence(told, pair.world, pair.other, pair.b)[0]))

    def answer(self, said: bool) -> None:
        """Count a guess; the round stays to be looked at until the next is dealt."""
        if self.open.said is not None:
            return  # a second click, which came before the page was drawn again
        truth, self.open.said = self.open.truth, said
        self.rounds.append((said, truth))
        self.best += (self.open.evidence > 0) == truth

    def play_by_itself(self) -> None:
        """Let whoever goes by the evidence play many rounds."""
        self.automatic = automatic(self.pair)


def automatic(pair: Pair, rounds: int = AUTOMATIC) -> int:
    """How many of so many rounds a guesser gets right who goes by the evidence, and by a coin where there is
    none."""
    draw = np.random.default_rng()
    ones, right = int(draw.binomial(rounds, 0.5)), 0
    for true, count, sign in ((pair.world, ones, 1.0), (pair.other, rounds - ones, -1.0)):
        told = worlds.published(true, pair.b, pair.hops, count, draw)
        found = sign * worlds.evidence(told, pair.world, pair.other, pair.b)
        right += int((found > 0).sum() + draw.binomial(int((found == 0).sum()), 0.5))
    return right


def show(pair: Pair) -> None:
    """Ten rounds, the score, and the best that anybody can do."""
    st.markdown(f"### Guess: {asked(pair)}?")
    game = st.session_state.get(GAME)
    if game is None or game.pair != pair:
        game = st.session_state[GAME] = Game(pair)
    st.markdown(
        f"You know everything else. A coin decides it anew in each of {ROUNDS} rounds, and you see what is published "
        "with noise. Which is it?"
    )
    rows = told_numbers.data(game.open.told, pair.world, pair.other, pair.names)
    live_plot.show(figure_of("told_numbers").plot(rows, layout.theme()), key="told_numbers")
    if game.open.said is None:
        with st.container(horizontal=True):
            for claim, said in zip(pair.claims, (True, False), strict=True):
                st.button(claim, key=f"guess_{said}", type="primary", on_click=game.answer, args=(said,))
    else:
        _verdict(game)
    _scores(game)
    if game.played:
        st.markdown("\n".join(rounds(game)))
    st.markdown("\n".join(f"- {line}" for line in score(game)))
    with st.container(horizontal=True):
        st.button(
            f"Let the best guesser play {AUTOMATIC:,} rounds",
            key="guess_auto",
            icon=":material/smart_toy:",
            on_click=game.play_by_itself,
        )
        if game.played:
            st.button(
                "Start again",
                key="guess_again",
                icon=":material/replay:",
                on_click=st.session_state.pop,
                args=(GAME, None),
            )


def _verdict(game: Game) -> None:
    """Whether the guess about the draw above was right, and the way on."""
    place = 0 if game.open.truth else 1
    told = f"{game.pair.claims[place]}: this draw is of the world {game.pair.names[place]}."
    if game.open.said == game.open.truth:
        st.success(f"**Right.** {told}", icon=":material/check:")
    else:
        st.error(f"**Wrong.** {told}", icon=":material/close:")
    if game.played < ROUNDS:
        st.button("Next round", key="guess_next", type="primary", icon=":material/arrow_forward:", on_click=game.deal)


def asked(pair: Pair) -> str:
    """The question of the game, in words of what is taken out."""
    name = worlds.name(pair.who)
    if pair.friend is not None:
        return f"were {name} and {worlds.name(pair.friend)} friends"
    return f"were {name}'s friendships in the data" if pair.protects == "edges" else f"was {name} in the data"


def _scores(game: Game) -> None:
    """The visitor's score, that of whoever goes by the evidence, and the best that anybody can do."""
    pair, played = game.pair, game.played
    with st.container(key=f"{styles.CARDS}-guess"):
        yours, evidence, best = st.columns(3)
    for place, who, right in ((yours, "You", game.right), (evidence, "By the evidence", game.best)):
        place.metric(*((f"{who}: {right} of {played} right", percent(right / played)) if played else (who, "–")))
    many = 1 if pair.promised else pair.gone
    power = "ε" if many == 1 else f"{many}ε"
    best.metric(
        f"Limit that {power} sets",
        capped(worlds.best_share(many * pair.epsilon)).removeprefix("at most "),
        help=f"e^{power} / (1 + e^{power}): nobody is right more often in the long run, whatever the worlds are; in "
        "ten rounds anybody may be luckier"
        + ("" if many == 1 else f". ε is about one friendship: {many} of them cost up to {many} times as much"),
    )


def rounds(game: Game) -> list[str]:
    """The rounds so far: whether each guess was right, and what was true."""
    marks = {True: ":material/check: right", False: ":material/close: **wrong**"}
    return [
        f"{place}. {marks[said == truth]}: {game.pair.claims[0 if truth else 1]}"
        for place, (said, truth) in enumerate(game.rounds, start=1)
    ]


def score(game: Game) -> list[str]:
    """The best that anybody can do, and what it comes to in these two worlds."""
    lines, pair = [], game.pair
    best = capped(worlds.best_share(pair.epsilon)).removeprefix("at most ")
    lines.append(
        f"**Nobody is right more often than {best}** in the long run: e^ε / (1 + e^ε)."
        if pair.promised
        else f"About any one friendship nobody is right more often than {best}, e^ε / (1 + e^ε), in the long run; "
        f"about {pair.gone} friendships together that is not promised."
    )
    lines.append(
        f"In these two worlds, whoever goes by the evidence is right about {percent(worlds.guessed(*drawn(pair)))} of "
        "the time"
        + (": a small change leaves less evidence than the largest that ε has to hide." if pair.promised else ".")
    )
    if game.automatic is not None:
        low, high = (float(end(game.automatic, AUTOMATIC, LEVEL)) for end in (at_least, at_most))
        lines.append(
            f"The best guesser was right in {game.automatic:,} of {AUTOMATIC:,} rounds: "
            f"{percent(game.automatic / AUTOMATIC)} ({percent(low)} to {percent(high)} at 95% confidence)."
        )
    return lines
