"""The texts that are nearest to one text, and their places under several encoders."""

import textwrap

from privgraph.runs.questions import Answer
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, grouped, marks, named, single
from privgraph_workbench.theme import NEUTRAL

LOOKS: dict[str, Look] = {
    "base": {"slot": NEUTRAL, "size": 24, "hollow": True},
    "bare": {"slot": 1, "size": 15, "hollow": True},
    "private": {"slot": 0, "size": 7},
}
"""By encoder: a ring, in it a hollow mark, and in that a full one: those of one place are all seen."""


def data(
    answer: Answer, names: dict[str, str], composed: int = 0, *, learnt: bool = False, asked: str = ""
) -> list[Row]:
    """One row per text and encoder: asked (what was asked about, as the data have it, or as it was typed),
    number (its node), text, partner (related to what was asked about), encoder, title (the encoder in words),
    place (1 for the nearest), score, searched (texts that were compared with), evaluator (partners are
    marked), composed (how many runs of the same people are behind the encoders), private (partners are
    marked, and the runs learnt of the domain that is searched). `names`: the encoders that are drawn, in
    order, with their titles; the last one orders the texts."""
    last, told = list(names)[-1], answer.partners > 0
    shared = {"searched": answer.searched, "evaluator": told, "composed": composed, "private": learnt and told}
    return [
        {"asked": answer.text or asked, "number": one.number, "text": one.text, "partner": one.partner}
        | {"encoder": encoder, "title": title, "place": one.places[encoder], "score": one.scores[encoder], **shared}
        for one in sorted(answer.entities, key=lambda one: one.places[last])
        for encoder, title in names.items()
    ]


@figure("moved", "Places under each encoder", data)
def chart(rows: Rows) -> Chart:
    """Ten texts: up to half of them true partners, however far away, and else the nearest."""
    texts = grouped(rows, "number")
    ends = {one: (min(row["place"] for row in own), max(row["place"] for row in own)) for one, own in texts.items()}
    nearest = sorted(texts, key=lambda one: (ends[one][0], one))
    partners = [one for one in nearest if texts[one][0]["partner"]][:5]
    drawn = list(dict.fromkeys([*partners, *nearest]))[:10]
    texts = {one: own for one, own in texts.items() if one in drawn}
    told = (f"{'★ ' * own[0]['partner']}{own[0]['text']}" for own in texts.values())
    wrapped = ("\n".join(textwrap.wrap(text, 34, max_lines=2, placeholder=" …")) for text in told)
    labels = dict(zip(texts, distinct(text or "(a blank text)" for text in wrapped), strict=True))
    series = [
        Series(name="", kind="line", x=ends[one], y=(label,) * 2, slot=NEUTRAL, legend=False)
        for one, label in labels.items()
        if ends[one][0] < ends[one][1]
    ]
    held = [{**row, "label": labels[row["number"]]} for own in texts.values() for row in own]
    for (encoder, title), own in grouped(held, "encoder", "title").items():
        look = LOOKS.get(encoder, {"slot": 2, "size": 11})
        series.append(marks(own, "place", "label", name=title, hover="title text place searched score", **look))
    high = 1.25 * max(row["place"] for row in held)
    # a ring at place 1 stays clear of its text, on a narrow page too
    x = Axis(title="place among all texts (logarithmic)", scale="log", low=high**-0.1, high=high)
    flags = (Flag.PRIVATE,) * rows[0]["private"]
    return single(x, named(labels.values()), series, flags=flags)
