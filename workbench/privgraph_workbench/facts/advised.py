"""What finished runs say to take, as words that a report takes along. No Streamlit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from privgraph.options import listed
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import covering, one_sentence
from privgraph_workbench.facts.advising import ACCURACY, CHOOSING, HIDES, NETWORK, PREC, SECRET, UNITS, Verdict, verdict
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.facts.seedwise import APART, MOST_SEEDS
from privgraph_workbench.facts.stretches import BLIND, CLEAR, FEW_SEEDS, OPEN
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import curve_names, tradeoff_shown
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.naming import graph_of
from privgraph_workbench.words.numbers import at_most, percent, rounded_delta

SHORT = "**In short.** "
"""With what the lines of advice begin that say all of it in one sentence."""
EXAMPLES = (1.0, 0.25)
"""Epsilons by which it is shown what a protection is."""
SHORT_PREC = PREC.partition(" ")[0]
"""The score of relations in the head of a table."""
HEAD = ("ε", "Take", "Accuracy", "Seeds", "Cost (points)", "Verdict", "Protection")

SHARED, OF_MEANS = "over the seeds that both share", "between the means over all seeds of each"
"""Over which seeds costs are counted."""
BETWEEN = "In brackets: 95% intervals over seeds."
TIE = "tie"
TIE_OF_PREC = (
    f"Tie: the 95% interval of the difference lies within ±{100 * APART:.0f}% of the highest PREC@1 on the graph, "
    "mostly that without privacy"
)
"""What a tie means where the score ends far below 100%."""
VERDICTS: Mapping[str, str] = {
    CLEAR: "Clear: better than every other at that ε.",
    TIE: f"Tie: the 95% interval of the difference lies within ±{100 * APART:.0f} points.",
    FEW_SEEDS: "Too few seeds: cannot be told yet; about as many of each as are named there may tell.",
    OPEN: f"Not told apart: {MOST_SEEDS} seeds of each would probably not tell either, or test nodes are too few.",
}
"""What the verdicts mean, by their words (`Stretch.word`)."""
STRENGTHS = f"Its words: {', '.join(f'{word} up to {bound:.0%}' for bound, word in meaning.STRENGTHS[:-1])}."
"""Up to which number a protection has which word."""
JUDGED = (
    "Verdicts are by 95% intervals of differences over seeds, corrected for the number of comparisons: bars that do "
    "not overlap are not enough."
)
"""By what verdicts are given."""
BLIND_HIDES = (
    f"{METHODS[BLIND].title} reads no edge, so that it hides every edge (ε = 0 for edges), and it protects no person."
)
"""What a model that reads no edge hides."""


def head(said: Verdict) -> tuple[str, ...]:
    """`HEAD` with what the percentages are."""
    return tuple(SHORT_PREC if one == "Accuracy" and said.score == PREC else one for one in HEAD)


def table(said: Verdict, *, yours: bool = False) -> list[list[tuple[str, ...]]]:
    """What is said as rows under `HEAD`, a group for each stretch of budgets. Its budgets, the verdict and
    their protection stand in its first row alone. yours: with how many seeds are one's own, where some are
    and others came with the program, and what a verdict means, and a method does not promise, in a line below
    its word."""
    every = [one for part in said.stretches for one in part.candidates]
    mixed = yours and any(one.yours != "0" for one in every) and any(one.yours != one.seeds for one in every)
    return [
        [
            (
                *((one.budgets,) if not place else ()),
                *((_takes(title, held.promise if one.takes or one.before else "", yours), reached)),
                *((held.with_yours if mixed else seeds, cost)),
                *(("\n".join(filter(None, one.cell)) if yours else one.sure, one.protection) if not place else ()),
            )
            for place, ((title, reached, seeds, cost), held) in enumerate(zip(one.lines, one.shown, strict=True))
        ]
        for one in said.stretches
    ]


def _takes(title: str, promise: str, yours: bool) -> str:
    """What is taken, with what it does not promise: an epsilon of it is not that of others."""
    if yours or not promise:
        return "\n".join(filter(None, (title, promise)))
    words = title.removesuffix(")")
    return f"{words}{' (' if words == title else '; '}{promise})"


def so_far(said: Verdict) -> str:
    """What can be said at each budget where not enough has run to choose: what has the highest mean, and how
    sure that is; "" where nothing can."""
    told = [f"ε {one.budgets}: {one.short}" for one in said.stretches if one.answers]
    few = [one.budgets for one in said.stretches if not one.answers]
    told += [f"too few seeds to say at ε {both(few)}"] if few and told else []
    return f"{'; '.join(told)}." if told else ""


def of_row(row: Row, said: Verdict) -> str:
    """What is said of the method of a row at its budget: of a model that reads no edge, at which it is taken;
    of a network without privacy, that costs are counted from it."""
    if row["method"] == BLIND and (spans := [one.span for one in said.stretches if one.kind == "blind"]):
        blind = next(one for one in said.stretches if one.kind == "blind")
        return f"take at {listed(spans)}" + tradeoff_shown.UNCLEAR * bool(blind.unclear)
    if said.network is not None and row["runs"] == said.network["runs"]:
        return tradeoff_shown.COUNTED_FROM
    for one in said.stretches:
        if row["asked"] in one.epsilons and row["method"] in one.takes and not row["variant"]:
            unclear = tradeoff_shown.UNCLEAR * (row["method"] in one.unclear)
            if one.kind != "one":
                return f"may be best{unclear}"
            return ("take" if one.clear else f"take ({one.candidates[0].left_open})") + unclear
    return ""


def with_verdict(row: Row, said: Verdict) -> str:
    """The same for the table of a page, which says how sure it is in the words of the advice, also of what
    stands against what is taken."""
    told = of_row(row, said).removesuffix(tradeoff_shown.UNCLEAR)
    if row["method"] == BLIND and told.startswith("take at"):
        spans = [f"{one.span} ({one.word})" for one in said.stretches if one.kind == "blind"]
        return f"take at {listed(spans)}"
    here = next(
        (one for one in said.stretches if row["asked"] in one.epsilons and row["method"] in one.takes and told), None
    )
    if here is None or row["variant"]:
        return told
    if row["method"] == here.takes[0]:
        return f"take: {here.word}"
    mark = {"tie": " with", OPEN: " from"}.get(here.word, " to tell it from")
    return f"{here.word}{mark} {METHODS[here.takes[0]].title}"


def below(said: Verdict) -> str:
    """How the table is read, beside it: what its numbers are, and its words."""
    kinds = {one.kind for one in said.stretches}
    told = [
        markup.sentence(
            said.score
            if said.network is None
            else f"{said.score}; costs are points below {said.counted_from}, {said.bare}, {counted_over(said)}"
        ),
        BETWEEN,
        said.idle,
        *verdict_words(said),
        JUDGED,
        "What is promised at an ε is promised at a larger one." if "before" in kinds else "",
        BLIND_HIDES if "blind" in kinds else "",
        protection_words(said),
    ]
    return " ".join(filter(None, told))


def counted_over(said: Verdict) -> str:
    """Over which seeds its costs are counted."""
    paired = {one.paired for part in said.stretches for one in part.shown if one.cost}
    if len(paired) < 2:
        return OF_MEANS if paired == {False} else SHARED
    return f"{SHARED} where these are three or more, else {OF_MEANS}"


def verdict_words(*said: Verdict) -> list[str]:
    """What the verdicts mean that occur in these tables, a short sentence each; a tie by each score that it
    is of."""
    there = {one.word for told in said for one in told.stretches}
    scores = {told.score for told in said if any(one.word == TIE for one in told.stretches)}
    found = []
    for word, meant in VERDICTS.items():
        if word in there and (word != TIE or ACCURACY in scores):
            found.append(meant)
        if word == TIE and PREC in scores:
            margins = {f"±{100 * told.margin:.2g} points" for told in said if told.score == PREC}
            found.append(TIE_OF_PREC + (f" (here {margins.pop()})." if len(margins) == 1 else "."))
    return found


def _network(said: Verdict) -> str:
    """What costs are counted from, with how that network reads neighbours, where it has a choice."""
    network = said.network
    kind = "" if network is None or network["method"] != NETWORK else network.get("network")
    return f"{said.counted_from} ({kind.upper()})" if kind else said.counted_from


def beneath(said: Verdict, *, verdicts: Sequence[Verdict] | None = None) -> list[str]:
    """The same in short lines below the table of a page, where the rest waits until somebody asks; with what
    the words of these `verdicts` mean (None: its own), which is said once of several tables."""
    cost = "" if said.network is None else f"Cost: points below {_network(said)}, {said.bare}, {counted_over(said)}."
    intervals = BETWEEN if said.stretches else ""
    meant = verdict_words(*((said,) if verdicts is None else verdicts))
    lines = [*meant, " ".join(filter(None, (cost, intervals, deltas(said))))]
    return [*filter(None, (said.idle, *lines, covering.short(said.promised, said.unit)))]


def deltas(said: Verdict) -> str:
    """At which delta its epsilons are; "" where none of them is of a method that is taken."""
    found = sorted({one.delta for one in said.stretches if one.promised and one.delta})
    if not found:
        return ""
    ends = [rounded_delta(one) for one in dict.fromkeys((found[0], found[-1]))]
    return f"Each ε is at δ = {' to '.join(ends)}."


def protection_words(*said: Verdict, where: str = "Protection") -> str:
    """What the number of a protection is, and whom it does not cover; "" where no line has one. where: the
    column in which it stands."""
    return covering.words((one for told in said for one in told.promised), f"{where}: how often")


def protection_of(unit: str) -> str:
    """The same at more length, with the epsilon that it follows from.

    >>> protection_of("edge").rpartition(": ")[2]
    'at ε 1 that is 73.2% at most, at ε 0.25 56.3%.'
    """
    at = [at_most(meaning.guess(epsilon, 0.0)).removeprefix("at most ") for epsilon in EXAMPLES]
    return (
        f"*Protection*, to hide {HIDES[unit]}: the chance, at most, that somebody who knows all else and sees what was "
        "released guesses right about it, where a coin is right in 50%. It follows from ε and δ, "
        f"(e^ε + δ) / (1 + e^ε): at ε {EXAMPLES[0]:g} that is {at[0]} at most, at ε {EXAMPLES[1]:g} {at[1]}."
    )


def definitions(said: Verdict) -> str:
    """The words of the table."""
    score, hides = markup.sentence(said.score), BLIND_HIDES if said.unit == "edge" else ""
    return " ".join(filter(None, (score, "What is promised at an ε is promised at a larger one.", hides)))


def reasons(said: Verdict) -> str:
    """Why, in Markdown, a point for each stretch of budgets."""
    return "\n".join(f"- **{one.span}.** {markup.literal(one.why)}" for one in said.stretches)


def in_short(said: Verdict) -> str:
    """What is said in a line of Markdown that begins with `SHORT`, for the first page of a report: what the
    page Trade-offs says above its table, and what holds at every budget."""
    told = "" if said.thin or not said.methods else one_sentence.told(said)
    if not told:
        return SHORT + markup.literal(said.heading)
    return SHORT + markup.literal(
        " ".join(filter(None, (f"To hide {HIDES[said.unit]}: {told}", one_sentence.general(said))))
    )


def in_line(said: Verdict) -> str:
    """What to take at each stretch of budgets, with its accuracy and what the first costs, as one line of
    plain text."""
    if said.thin or not said.stretches:
        return said.heading
    told = []
    for one in said.stretches:
        cost = one.lines[0][3]
        costs = f", cost {cost}" if one.takes and cost != "–" else ""
        told.append(f"{one.span}: {one.short}{costs}")
    return f"{'; '.join(told)}."


def lines(said: Verdict) -> str:
    """What is said in Markdown: in short, as the table that the page Trade-offs shows, and why."""
    if said.thin or not said.stretches:
        return in_short(said)
    rows, spans = [], table(said)
    for group in spans:
        rows += [group[0], *((group[0][0], *row, "", "") for row in group[1:])]  # on a phone a row is a card
    top, rule = f"| {' | '.join(head(said))} |", "|" + " --- |" * len(HEAD)
    body = [f"| {' | '.join(map(markup.literal, row))} |" for row in rows]
    closing = [f"**{markup.literal(said.closing)}**", ""] if said.closing else []
    return "\n".join(
        [in_short(said), "", *closing, top, rule, *body, "", below(said), "", "**Why**", "", reasons(said)]
    )


def words(graph: str, said: Sequence[Verdict], runs: int) -> str:
    """The same of each protected unit on a graph, whether the runs behind it protect nobody, how many
    they are, and what the choice reads; "" before two methods have run."""
    told = [one for one in said if one.methods > 1]
    if not told:
        return ""
    notes = [note for one in told for note in one.notes]
    counted_from = dict.fromkeys(filter(None, map(_counted_from, told)))
    below = " ".join([f"By {runs:,} runs on {graph}.", *counted_from, *dict.fromkeys(notes), CHOOSING])
    public = [f"**{markup.literal(one.public)}** {SECRET}" for one in told if one.public]
    return "\n\n".join([*dict.fromkeys(public), *map(lines, told), markup.literal(below)])


def _counted_from(said: Verdict) -> str:
    """From what costs are counted, and what it is the mean of: elsewhere a network of other options may stand
    for no privacy. "" where none is known."""
    if not said.networks:
        return ""
    apart = curve_names.apart([row["variant"] for row in said.networks])
    best, *others = (f"{percent(row['mean'])}, the mean over {counted(row['seeds'], 'seed')}" for row in said.networks)
    if not others:
        return f"Costs are counted from {said.counted_from}: {best}."
    first, *names = (apart[row["variant"]] for row in said.networks)
    rest = "; ".join(f"with {name}, {reached}" for name, reached in zip(names, others, strict=True))
    own = f"Costs are counted from the most accurate graph network without privacy, with {first}: {best}."
    return f"{own} {rest[:1].upper()}{rest[1:]}."


def of_runs(records: Sequence[RunRecord]) -> str:
    """What these runs say by themselves, graph by graph (`by_graph`)."""
    count = Counter(graph_of(one) for one in records)
    told = (words(graph, said, count[graph]) for graph, said in by_graph(records).items())
    return "\n\n".join(filter(None, told))


def by_graph(records: Sequence[RunRecord]) -> dict[str, list[Verdict]]:
    """What these runs say of each protected unit, by graph: of those on which a model that reads no edge is
    among them, without whose level no method is advised."""
    graphs: dict[str, list[RunRecord]] = {}
    for one in records:
        graphs.setdefault(graph_of(one), []).append(one)
    return {
        graph: [verdict(held, unit) for unit in UNITS]
        for graph, held in graphs.items()
        if any(one.spec.method == BLIND for one in held)
    }
