"""One query in three steps, for somebody who has read no paper: what was said, the noise on it, what came
out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from privgraph.methods.teachers.answers import Answers
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import noisy_labels
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.teachers import answers, chosen, one_answer
from privgraph_workbench.figures.teachers.answers import class_name, size
from privgraph_workbench.serving import styles
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import keeping, layout, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import other_noise
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import number, percent, stated

Array = NDArray[np.float64]

EVERYTHING = "all"
FILTERS = {
    EVERYTHING: "every query",
    "changed": "queries whose label noise changed",
    "refused": "queries that the gate refused",
    "wrong": "queries whose released label is wrong, as an evaluator knows",
}
SAID = {
    "counts": "votes for **{first}** and for {second}, of {whole}{weighed}. Each teacher learnt on "
    "private nodes of its own, and votes on this public node.",
    "votes": "weighted votes for **{first}** and for {second}, by private nodes that are like this public one, for "
    "their own class. A node weighs at most 1.",
    "table": "weighted votes for **{first}** and for {second}, read from one table that all private nodes are "
    "summed up in. A node weighs at most 1.",
    "posterior": "are the chances of **{first}** and of {second}, by a teacher that was trained for this public node "
    "on private nodes near it.",
    "log-posterior": "are logarithms of the chances of **{first}** and of {second}, by a teacher that was trained for "
    "this public node on private nodes near it.",
}
_SIZE = "{law} (standard deviation), on each "
HIDES = {
    "counts": f"{_SIZE}count. One private person moves one vote, and with it two counts: the larger the noise is "
    "beside that, the better it hides it.",
    "moved": f"{_SIZE}count. In this run one private person may change every vote: only noise that is large beside "
    "all of them hides that.",
    "votes": f"{_SIZE}number. One private person changes one of them by 1 at most: the larger the noise is beside "
    "that, the better it hides it.",
    "posterior": f"{_SIZE}chance. One private person may change the whole answer: such noise has to drown it.",
    "log-posterior": f"{_SIZE}logarithm. What one private person changes has no bound: no noise hides it.",
}
HIDES["table"] = HIDES["votes"]
UNNAMED = "The usual size"
"""Of noise whose law this version does not know."""
AT_FIRST = (
    "Which query is drawn; at first one whose label came out right, with a lead about twice as large as the noise: "
    "another draw seldom turns it"
)
CLEAR = 2.0
"""The lead of the query that is shown at first, in standard deviations of the noise."""
DRAWN = "vote.drawn"
"""Which query's noise was drawn anew, and how often."""


def show(record: RunRecord, found: Answers, names: Sequence[str]) -> None:
    """A query of a run that kept no record of weighted teachers: its answer, the same under other noise, and
    who gave it."""
    rows = answers.data(found, names)
    law, top = other_noise.law(record, found), st.container()
    with top, st.container(horizontal=True, vertical_alignment="bottom"):
        place = _choose(found, rows)
    box = st.container(border=True) if law is not None else st.container()
    with box:
        more = other_noise.ask(record, found)
    again = times(record, place)
    own, test = law is None or (not again and more == 1.0), other_noise.gate(record, found, more)
    if law is not None:
        drawn = [other_noise.anew(found, place, law, one, test, more).released[place] for one in range(1, again + 1)]
        with box:
            draw_again(record, place, tally(drawn, names))
    shown = found if law is None or own else other_noise.anew(found, place, law, again, test, more)
    counts = found.before[place].astype(np.float64)
    chances = None if law is None else noisy_labels.chances(law, shown.noise_std, counts).tolist()
    statements, node = statements_of([record]), f"-{int(found.queries[place])}"
    with top:
        one = None if law is None else other_noise.epsilon(record, more, queries=1)
        _steps(record, shown, place, names, own=own, one=one)
    view = node if own else f"{node}-{again}" + (f"-{more:g}" if more != 1.0 else "")
    drawn_figure("one_answer", one_answer.data(shown, place, names, chances, own), statements, record, view)
    words = [released_words(record, found.kind), *([other_noise.gate_words(counts, test)] if test else [])]
    st.caption(" ".join(words))
    if law is not None:
        other_noise.outcome(record, found, place, law, more)
    people = chosen.data(found, place, names)
    if not people:
        st.caption(NOBODY_CHOSEN)
    else:
        left, right = layout.columns("one", [3, 2])
        with left:
            drawn_figure("chosen", people, statements, record, node)
        with right:
            st.markdown(
                "**Who answered.** In the middle, large and hollow: the query, in the colour of its label. Around it "
                f"{ANSWERED[found.kind]}, at most 60. {HEAVY[found.kind]}, and stands nearer and is drawn larger. They "
                "are ordered around the circle by class, and within a class from heavy to light: so each class winds "
                "outwards. The angle means nothing else. Lines are private edges among them."
            )


def _steps(
    record: RunRecord, shown: Answers, place: int, names: Sequence[str], *, own: bool, one: float | None
) -> None:
    """The answer in three steps; `own`: as the run drew it, so that what was right is told; `one`: what such
    an answer costs by itself."""
    label, after = int(shown.released[place]), int(shown.after[place].argmax())
    law = noisy_labels.named_law(record.spec, shown.kind)
    states.badges(private=True, evaluator=True, other=not own)
    steps(
        said(shown.kind, shown.before[place], names),
        (
            size(shown.noise_std),
            hides(shown.kind, law, shown.noise_std) + alone(None if one is None else stated("sound", one)),
        ),
        came_out(
            label,
            names,
            after=pair(shown.kind, shown.after[place], names),
            pooled=own and label not in (-1, after),
            whole=releases_whole(record, shown.kind),
        ),
        weighed=shown.kind in ("votes", "table"),
    )
    st.caption(not_released(label, shown.before[place], int(shown.truth[place]) if own else None, names))


def _choose(found: Answers, rows: Sequence[Row]) -> int:
    """The place of the query that is looked at, among those that pass a filter."""
    shown = filtered(rows)
    options = [str(row["query"]) for row in shown]
    named = st.query_params.get("query")
    if named is not None and named not in options:
        st.warning(f"In this page's address, query {markup.literal(named[:40])} is none of those that are shown.")
    keeping.within("query", options)
    places = np.array([row["order"] for row in shown])
    first = shown[at_first(found.before[places], found.released[places], found.truth[places], found.noise_std)]
    with st.container(width=260):
        node = st.selectbox(
            "Query (number of its node)",
            options,
            index=options.index(str(first["query"])),
            key="query",
            bind="query-params",
            help=AT_FIRST,
        )
    return int(next(row["order"] for row in shown if str(row["query"]) == node))


def filtered(rows: Sequence[Row]) -> Sequence[Row]:
    """The queries that pass the filter that is chosen, of those that let any pass."""
    admitted = {
        EVERYTHING: rows,
        **{name: [row for row in rows if _is(row, name)] for name in FILTERS if name != EVERYTHING},
    }
    offered = [name for name in FILTERS if admitted[name]]
    keeping.within("show", offered)
    name = st.segmented_control(
        "Show",
        offered,
        default=EVERYTHING,
        required=True,
        key="show",
        bind="query-params",
        width="content",
        help="; ".join(f"{name}: {FILTERS[name]}" for name in offered),
    )
    return admitted[name]


def at_first(before: Array, released: NDArray[np.int64], truth: NDArray[np.int64], noise: float) -> int:
    """The place of the query that is shown before one is chosen: the lead won and is right, and is about
    `CLEAR` times the noise; where there is none such, one that was answered."""
    ordered = np.sort(before, axis=1)
    with np.errstate(invalid="ignore"):  # of two that have no chance at all, logarithms
        lead = ordered[:, -1] - ordered[:, -2] if before.shape[1] > 1 else ordered[:, -1]
    away = np.where(np.isfinite(lead), np.abs(lead - CLEAR * noise), np.inf)
    success = (released == truth) & (released == before.argmax(axis=1)) & (lead > 0)
    return int(np.lexsort((away, released < 0, ~success))[0])


def _is(row: Row, name: str) -> bool:
    return {
        "changed": row["flipped"] is True,
        "refused": row["released"] is None,
        "wrong": row["right_released"] is False,
    }[name]


def said(
    kind: str, before: Sequence[float] | Array, names: Sequence[str], weights: Array | None = None
) -> tuple[str, str]:
    """What the two largest classes have before noise, and what that means."""
    numbers = [float(one) for one in before]
    first, second = sorted(range(len(numbers)), key=lambda label: -numbers[label])[:2]
    weighted = weights is not None and bool(weights.min() < weights.max())
    text = SAID[kind].format(
        first=markup.literal(class_name(first, names)),
        second=markup.literal(class_name(second, names)),
        whole=number(sum(numbers), 4),
        weighed=f" (sum of the weights of {len(weights)} teachers)" if weighted and weights is not None else " in all",
    )
    if weighted and weights is not None:
        text += f" A vote weighs {number(float(weights.min()), 2)} to {number(float(weights.max()), 2)}."
    return " against ".join(alike(kind, numbers[first], numbers[second])), text


def alike(kind: str, *values: float) -> list[str]:
    """Numbers of an answer with as many decimals each, at most two.

    >>> alike("counts", 107.2, 35.2), alike("counts", 107.0, 35.0), alike("posterior", 0.5, 0.25)
    (['107.2', '35.2'], ['107', '35'], ['50.0%', '25.0%'])

    A chance with noise on it may lie outside of [0, 1], and is no share then: both are plain numbers.

    >>> alike("posterior", 3.645, -0.5)
    ['3.65', '−0.50']
    """
    if kind == "posterior" and all(0 <= one <= 1 for one in values):
        return [percent(one) for one in values]
    told = [number(one, 4) for one in values]
    digits = min(2, max(len(one.partition(".")[2]) for one in told))
    return [f"{one:,.{digits}f}".replace("-", "−") if np.isfinite(one) else number(one) for one in values]


def pair(kind: str, after: Sequence[float] | Array, names: Sequence[str]) -> str:
    """The two largest numbers after noise, in words."""
    numbers = [float(one) for one in after]
    first, second = sorted(range(len(numbers)), key=lambda label: -numbers[label])[:2]
    most, next_ = alike(kind, numbers[first], numbers[second])
    return f", with **{most}** against {next_} for {markup.literal(class_name(second, names))}"


def came_out(
    label: int, names: Sequence[str], *, after: str = "", pooled: bool = False, whole: bool = False, gate: str = ""
) -> tuple[str, str]:
    """The label that went out (-1: none), and what that means. `after`: the two largest numbers after noise;
    `pooled`: the label is not the one that leads here; `whole`: the noisy numbers went out as well; `gate`:
    what it compared."""
    if label < 0:
        refused = "A gate tested, through noise, whether enough teachers agree, and refused this query."
        return "nothing", " ".join(filter(None, (refused, gate)))
    how = "is the label once the noisy answers of all queries are pooled" if pooled else f"leads after noise{after}"
    gets = "The noisy numbers go to the student, and nothing of those before" if whole else "The label alone goes out"
    passed = gate and f" The gate let it **pass**. {gate}"
    return markup.literal(class_name(label, names)), f"{how}. {gets}.{passed}"


def not_released(label: int, before: Array, truth: int | None, names: Sequence[str]) -> str:
    """What is told here of a query and was told to nobody. `before` is what each class had; `truth`: None
    where the label is not the run's."""
    told = ["① is not released."]
    ahead = answers.ahead(before)
    leaders = " and ".join(markup.literal(class_name(one, names)) for one in ahead)
    if label >= 0 and len(ahead) > 1:
        told.append(f"**Before noise there was a tie** of {leaders}, and the noise decided.")
    elif label >= 0 and label not in ahead:
        told.append(f"**The noise changed the label**: {leaders} led before.")
    if label >= 0 and truth is not None:
        right = "right" if label == truth else f"wrong: {markup.literal(class_name(truth, names))} is right"
        told.append(f"An evaluator, who knows the truth, sees that the label is {right}.")
    return " ".join(told)


def hides(kind: str, law: str | None, std: float) -> str:
    """Which noise it is, and what it has to hide.

    >>> hides("posterior", "laplace", 3.0).partition(". ")[0]
    'Laplace, σ = 3 (standard deviation), on each chance'
    """
    return HIDES[kind].format(law=UNNAMED if law is None else other_noise.law_words(law, std))


def alone(epsilon: str | None) -> str:
    """What this answer costs by itself, as a sentence."""
    return "" if epsilon is None else f" **By itself, this answer costs {EPSILONS['sound'].title} {epsilon} at most.**"


def steps(*told: tuple[str, str], weighed: bool) -> None:
    """What was said, the noise, what came out: each as a large value and a sentence. `weighed`: votes count
    by weight, so that they are no whole numbers."""
    titles = ("① Before noise" + ", votes by weight" * weighed, "② Noise", "③ What comes out")
    with st.container(key=f"{styles.STACK}-{styles.STEPS}"):
        for column, title, (value, text) in zip(st.columns(3), titles, told, strict=True):
            with column, st.container(border=True, height="stretch"):
                st.metric(title, f"± {value}" if title == titles[1] else value)
                st.caption(text)


def times(record: RunRecord, place: int) -> int:
    """How often the noise of this query was drawn anew; 0: the run's own."""
    of, count = st.session_state.get(DRAWN, ((), 0))
    return int(count) if of == (record.id, place) else 0


def draw_again(record: RunRecord, place: int, came: str) -> None:
    """The button that draws the noise once more, what came out so far (`came`), and the way back to what the
    run had drawn."""
    count = times(record, place)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Draw the noise again",
            key="draw_again",
            icon=":material/casino:",
            type="primary",
            on_click=_redraw,
            args=((record.id, place), count + 1),
            help="The same votes with other noise, drawn on this page. The run had drawn once, and its label stands",
        )
        if count:
            st.markdown(came, width="content")
            st.button(
                "Back to the run's own",
                key="drawn_first",
                icon=":material/undo:",
                type="tertiary",
                on_click=_redraw,
                args=((record.id, place), 0),
            )


def tally(labels: Sequence[int], names: Sequence[str]) -> str:
    """What came out of the draws with this noise, the most frequent first.

    >>> tally([1, 0, 1, -1], ("theory", "systems"))
    '4 draws: systems 2, nothing 1, theory 1'
    """
    known = Counter("nothing" if one < 0 else markup.literal(class_name(int(one), names)) for one in labels)
    told = ", ".join(f"{name} {count}" for name, count in sorted(known.items(), key=lambda one: (-one[1], one[0])))
    return f"{len(labels)} draw{'s' * (len(labels) != 1)}: {told}"


def _redraw(of: tuple[str, int], count: int) -> None:
    st.session_state[DRAWN] = (of, count)


def _releases_counts(record: RunRecord) -> bool:
    """Whether the student learnt from the noisy counts themselves, as labels of all queries together need
    them."""
    asked_for = record.spec.options
    return asked_for.get("student_labels") == "pooled" and asked_for.get("preset") == "own"


def releases_whole(record: RunRecord, kind: str) -> bool:
    """Whether the numbers after noise went out, and not the label alone."""
    return kind in ("votes", "table") or _releases_counts(record)


def released_words(record: RunRecord, kind: str) -> str:
    """What of an answer is released, in a sentence."""
    return RELEASED_WORDS["votes" if _releases_counts(record) else kind]


NOBODY_CHOSEN = (
    "Here the same teachers answer every query, each with one vote. No private nodes are chosen for a "
    "query: there is no neighbourhood to draw."
)
ANSWERED = {
    "posterior": "the private nodes that its teacher learnt from",
    "log-posterior": "the private nodes that its teacher learnt from",
    "table": "the private nodes that weigh most in its answer (hollow: against their own class)",
    "votes": "the private nodes that voted (hollow: against their own class)",
    "counts": "private nodes that its teachers learnt from",
}
_NEAR = "Who is more like the query, by features, weighs more"
_VOTE = "The weight of a vote is how like the query the node is, from −1 (its opposite) to 1: whose is large is heavy"
HEAVY = {"posterior": _NEAR, "log-posterior": _NEAR, "counts": _NEAR, "table": _VOTE, "votes": _VOTE}
RELEASED_WORDS = {
    "posterior": "Only the class that is largest after noise is released, none of these numbers.",
    "log-posterior": "Only the class that is largest after noise is released; noise on logarithms "
    "guarantees nothing all the same.",
    "table": "One noisy table is released, and the vector after noise is made of it: every query shares "
    "that one noise, and costs nothing more.",
    "votes": "The whole vector after noise is released, nothing of the one before.",
    "counts": "Only the class that is largest after noise is released, none of these counts.",
}
