"""What is said of each figure of a report besides its picture: what it finds, and at which settings it was
drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from privgraph_workbench.facts import advised, kept_epoch
from privgraph_workbench.facts.advising import HIDES, SECRET
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs.tradeoff_shown import ADVISED
from privgraph_workbench.reporting import main_findings, other_questions, same_titles
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.own_setting import unmixed
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import data_title, graph_of, method_title, moved, setting, unit_of

MOST_NAMED = 8
"""Methods or graphs that are named at most."""
LEARNT = ("curves", "convergence")
"""Figures that go on to the last step of training, which need not be the model that was kept."""
AUTHOR = "Author:"
"""Before the words of an author, which stand apart from what was found."""
OWN = "What stands behind “Author:” is the author's, and not checked against the runs."
BELOW = "What to take stands below it."
"""What is said of advice that an earlier version kept, which has no short form."""


def of(one: Drawn) -> str:
    """What a figure finds, in Markdown: the advice in short; else the main finding of its rows."""
    if short := advised.shortened(one.advice):
        return same_titles.told(" ".join(filter(None, (*short, one.unpaired))), one.same_title)
    found = " ".join(filter(None, (main_findings.of(one.figure, one.rows), other_questions.of(one))))
    said = markup.literal(same_titles.told(found, one.same_title))
    return f"{said} {BELOW}" if one.advice else said


def lead(one: Drawn) -> str:
    """What stands above a picture, in Markdown: its author's caption in a paragraph of its own, and then what
    it finds."""
    return "\n\n".join(filter(None, (own(one), of(one))))


def own(one: Drawn) -> str:
    """The author's caption in Markdown, behind whose it is; "" where there is none."""
    return f"**{AUTHOR}** {markup.literal(one.sentence)}" if one.sentence else ""


def about(one: Drawn) -> str:
    """Its settings, what is left out of it, and whose the words are that nobody checked; "" where there is
    nothing to tell."""
    return " ".join(filter(None, (settings(one), one.left_out, OWN * bool(one.sentence))))


def drawn_rows(one: Drawn) -> list[Row]:
    """The rows of a figure as a page draws it: what to take stands below it as a table, and not once more in
    the lines that its files have for that."""
    if not one.advice:
        return list(one.rows)
    return [{name: value for name, value in row.items() if name != ADVISED} for row in one.rows]


def advice(one: Drawn) -> str:
    """What to take, in Markdown, below a figure whose finding is the advice in short: without that line, and
    without what the first page says of public noise; and of how many of the figure's runs it speaks."""
    kept, several = [], len(advised.shortened(one.advice)) > 1
    for part in one.advice.split("\n\n"):
        if part.startswith(advised.SHORT):
            kept += [f"**{part.removeprefix(advised.SHORT).partition(' (')[0].partition(':')[0]}**"] * several
        elif not part.endswith(SECRET):
            kept.append(part)
    return _BY.sub(
        lambda found: _by(found, len(one.runs), len(one.runs) - len(unmixed(one.runs))),
        advised.legend_once("\n\n".join(kept)),
    )


_BY = re.compile(r"^By ([\d,]+) runs? on ", re.MULTILINE)


def _by(found: re.Match[str], runs: int, apart: int) -> str:
    """How many runs the advice is by, beside those that the figure shows, of which so many stand `apart`."""
    told = int(found[1].replace(",", ""))
    if told >= runs:
        return found[0]
    one = told == runs - 1
    if apart == runs - told:
        why = f"noise of another key, and stand{'s' * one} apart here: the page Trade-offs takes both together"
    else:
        why = "further options, or noise of another key"
    others = f"{'the other one has' if one else 'the others have'} {why}"
    return f"By {told:,} of the {runs:,} runs of this figure ({others}), on "


def settings(one: Drawn) -> str:
    """The graph, the split, what is hidden, the methods, budgets and seeds of a figure, and what of it was
    not drawn; "" where neither its rows nor its runs tell any."""
    rows, specs = one.rows, [run.spec for run in one.runs]
    graphs = {str(row["graph"]) for row in rows if row.get("graph")} or {graph_of(run) for run in one.runs}
    graphs = graphs or {data_title(str(row["dataset"])) for row in rows if row.get("dataset")}
    methods = {method_title(str(row["method"])) for row in rows if row.get("method")}
    methods = methods or {method_title(spec.method) for spec in specs}
    units = {str(row["unit"]) for row in rows if row.get("unit")} or {unit_of(run) for run in one.runs}
    budgets = sorted({float(row["asked"]) for row in rows if row.get("asked")})
    options = {", ".join(moved(run)) for run in one.runs} if len({setting(run) for run in one.runs}) == 1 else set()
    told = [
        _named("graph", graphs),
        _named("split", {spec.split for spec in specs}),
        f"hides {both([HIDES[unit] for unit in HIDES if unit in units])}" if units & set(HIDES) else "",
        _named("method", methods),
        *filter(None, options),
        f"ε {' to '.join(f'{end:g}' for end in dict.fromkeys((budgets[0], budgets[-1])))}" if budgets else "",
        kept_epoch.note([(method_title(spec.method), spec) for spec in specs]).rstrip(".")
        if one.figure in LEARNT
        else "",
        _seeds([int(row["seeds"]) for row in rows if row.get("seeds")]),
        *_left_out(rows),
    ]
    said = "; ".join(filter(None, told))
    return f"Settings of this figure: {said}." if said else ""


def _named(what: str, names: Iterable[str]) -> str:
    """Names behind what they are of; of many, how many there are."""
    known = sorted(names)
    if len(known) > MOST_NAMED:
        return f"{len(known)} {what}s"
    return f"{what}{'s' * (len(known) > 1)} {both(known)}" if known else ""


def _seeds(counts: Sequence[int]) -> str:
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    return f"{f'{least} to ' * (least < most)}{most} seed{'s' * (most > 1)} of each"


def _left_out(rows: Sequence[dict[str, object]]) -> list[str]:
    """What the page that a figure comes from offered to draw, and was not drawn."""
    switched = {"with_published": EPSILONS["published"].title, "with_front": "Pareto front"}
    return [f"without {name}" for key, name in switched.items() if rows and rows[0].get(key) is False]
