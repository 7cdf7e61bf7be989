"""The texts that are nearest to one text, and their places under several encoders."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from privgraph.runs.questions import Answer
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.theme import NEUTRAL

MOST = 10
"""Texts that are drawn: up to half of them true partners, however far away, and else the nearest."""
LINE, LINES = 34, 2
"""The longest line of a text beside its places, and how many it has at most."""
SLOTS = {"base": NEUTRAL, "bare": 1, "private": 0}
"""By encoder; the base encoder, which is there to compare with, is grey."""
SIZES = {"base": 24, "bare": 15, "private": 7}
"""A ring, in it a hollow mark, and in that a full one: those of one place are all seen, and each stands where
it belongs."""
PARTNER = "★ "

HOVER = ("title", "text", "place", "searched", "score")


def data(
    answer: Answer, names: dict[str, str], composed: int = 0, *, learnt: bool = False, asked: str = ""
) -> list[Row]:
    """One row per text and encoder: asked (the text that was asked about), number (its node), text, partner
    (related to the text that was asked about), encoder, title (the encoder in words), place (1 for the
    nearest), score, searched (texts that were compared with), evaluator (partners are marked), composed (how
    many runs of the same people are behind the encoders), private (partners are marked, and the runs were
    trained on them).

    names: the encoders that are drawn, in order, with their titles; the last one orders the texts. learnt:
    whether the runs were trained on relations of the domain that is searched. asked: the text as it was
    typed, which the answer has as the data do where it is theirs.
    """
    last = next(reversed(names))
    order = sorted(answer.entities, key=lambda one: one.places[last])
    return [
        {
            "asked": answer.text or asked,
            "number": one.number,
            "text": one.text,
            "partner": one.partner,
            "encoder": encoder,
            "title": title,
            "place": one.places[encoder],
            "score": one.scores[encoder],
            "searched": answer.searched,
            "evaluator": answer.partners > 0,
            "composed": composed,
            "private": learnt and answer.partners > 0,
        }
        for one in order
        for encoder, title in names.items()
    ]


@figure("moved", "Places under each encoder", data)
def chart(rows: Sequence[Row]) -> Chart:
    """A line for each text, and on it a mark for its place under each encoder: the longer, the farther it
    moved. Marks of one place lie within each other."""
    if not rows:
        return empty("no text was compared with")
    encoders = {row["encoder"]: row["title"] for row in rows}
    best: dict[int, int] = {}
    for row in rows:
        best[row["number"]] = min(row["place"], best.get(row["number"], row["place"]))
    nearest = sorted(best, key=lambda one: (best[one], one))
    partners = {row["number"] for row in rows if row["partner"]}
    held_out = [one for one in nearest if one in partners][: MOST // 2]  # however far away they are
    drawn = set([*held_out, *(one for one in nearest if one not in held_out)][:MOST])
    numbers = [one for one in dict.fromkeys(row["number"] for row in rows) if one in drawn]
    by_text = {one: {row["encoder"]: row for row in rows if row["number"] == one} for one in numbers}
    firsts = [next(iter(by_text[one].values())) for one in numbers]
    told = [f"{PARTNER * row['partner']}{row['text']}" for row in firsts]
    wrapped = (textwrap.wrap(text, LINE, max_lines=LINES, placeholder=" …") for text in told)
    labels = dict(zip(numbers, distinct("\n".join(one) or "(a blank text)" for one in wrapped), strict=True))
    places = [row["place"] for held in by_text.values() for row in held.values()]
    high = 1.25 * max(places)
    low = high**-0.1  # a ring at place 1 stays clear of its text, on a narrow page too
    series = [
        Series(name="", kind="line", x=(min(ends), max(ends)), y=(labels[one],) * 2, slot=NEUTRAL, legend=False)
        for one in numbers
        if len(ends := {row["place"] for row in by_text[one].values()}) > 1
    ]
    for encoder, title in encoders.items():
        held = [{**by_text[one][encoder], "label": labels[one]} for one in numbers]
        hollow, size = encoder in ("base", "bare"), SIZES.get(encoder, 11)
        look: Look = {"slot": SLOTS.get(encoder, 2), "hollow": hollow, "size": size, "hover": HOVER}
        series.append(marks(held, "place", "label", name=title, **look))
    return single(
        Axis(title="place among all texts (logarithmic)", scale="log", low=low, high=high),
        named(labels.values()),
        series,
        flags=(Flag.PRIVATE,) * rows[0]["private"],
        height=130 + sum(18 * (1 + label.count("\n")) + 10 for label in labels.values()),
        legend=True,
        legend_above=True,
    )
