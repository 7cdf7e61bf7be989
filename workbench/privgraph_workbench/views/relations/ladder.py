"""The privacy ladder: all finished runs of the same data and domains, from the base encoder up to training
without privacy, and how much of what that gains is kept with privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import describing
from privgraph_workbench.facts.references import LEVEL, interval
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.figures.relations.relation_ranking import RANDOMISED
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import names, outsiders, price, runs
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.meaning import guess
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent

JUDGED = ("encoder", "max_tokens", "similarity", "evaluated")
"""Options that runs must share for one base encoder, judged alike, to stand below them all."""
OURS, RIVAL = "PvGaLM", "randomised relations"
MOST_DRAWN = 9
"""Settings in the figure; the table has all."""


def show(pair: Pair, finished: Sequence[RunRecord]) -> None:
    """What privacy cost, in words, as a figure and as a table."""
    steps = rungs(pair, finished)
    domain = _domain(pair.first, pair.predicted)
    rows = relation_ranking.data(
        steps,
        finished,
        texts=None if domain is None else domain.texts,
        marked={one.id for one in pair.records},
        otherwise={one.id: _otherwise(one, pair) for one in steps},
        titles=_titles(pair, steps),
    )
    if not any(row["kind"] == "run" for row in rows):
        return
    st.markdown("### What does privacy cost?")
    st.markdown(_asked(pair, rows))
    st.markdown(price.sentence(pair, rows))
    price.offer(pair, rows)
    told = [_COINS] if any(one.spec.method == RANDOMISED for one in steps) else []
    told += [*ahead(pair, steps, rows), *from_large_to_small(pair, steps, rows)]
    if told:
        st.markdown("\n".join(f"- {one}" for one in told))
    shares = _shares(pair, steps, rows)
    near = _near(pair, steps)
    drawn = [row for row in relation_ranking.shared(rows, shares) if row["kind"] != "run" or row["run"] in near]
    shown = [one for one in finished if any(naming.setting(one) == naming.setting(rung) for rung in steps)]
    drawn_figure("relation_ranking", drawn, statements_of(shown), pair.first, runs=shown)
    for note in relation_ranking.chart(drawn).notes:
        st.markdown(markup.literal(note))
    _table(rows, shares, {one.id: _bound(one) for one in steps})
    st.caption(
        "**Outsiders right, at most**: how often they can be right about whether one relation was learnt from, by the "
        "sound ε; a coin is right 50% of the time. "
        "**MRR** is the mean of one over the partner's rank, 1 if it always came first. **Gain kept** is the share of "
        "what training without privacy gains in PREC@1 on the base encoder, which has read no relation; “at least” "
        f"stands where the seeds leave open whether anything is lost. {_no_share(pair, steps, rows)}In the paper "
        "(Table 1), BERT.base keeps 70% to 86% at ε 4, on four larger graphs."
    )
    with st.expander("How sure these numbers are", key="fold.sure", icon=":material/query_stats:"):
        fieller = (
            "The 95% confidence interval of a share is Fieller's, over seeds. Where it goes beyond 100%, they are too "
            "few to tell whether privacy costs anything, and the table has its lower end alone."
        )
        st.markdown("\n\n".join(filter(None, (fieller, _rates(pair), _intervals(pair.records)))))
    st.page_link(
        shell.page("tradeoffs"),
        label="Accuracy against privacy, on these data",
        icon=":material/balance:",
        query_params={"data": pair.first.spec.dataset},
    )


def _domain(record: RunRecord, domain: str) -> describing.Domain | None:
    """What a domain of the run's data holds; None where that is not known, or not yet."""
    try:
        described = describing.describe(record.spec.dataset, record.spec.data_options)
    except (DataError, OptionError, UnknownName):
        return None
    return None if described is None else next((one for one in described.domains if one.name == domain), None)


def rungs(pair: Pair, finished: Sequence[RunRecord]) -> list[RunRecord]:
    """One run of each setting that was judged as the pair was, the chosen ones where they are of it: private
    ones by their epsilon, then those without privacy."""

    def place(one: RunRecord) -> tuple[object, ...]:
        spec, domains = one.spec, runs.domains_of(one, pair.domains)
        return GraphId.of(spec).people, domains, *(spec.options.get(name) for name in JUDGED)

    own = place(pair.first)
    found: dict[str, RunRecord] = {}
    for one in (*pair.records, *finished):
        if one in pair.records or place(one) == own:
            found.setdefault(naming.setting(one), one)
    return sorted(found.values(), key=_height)


def _height(record: RunRecord) -> tuple[bool, float, bool]:
    said = record.statement
    without = record.spec.unit == "none"
    return without, math.inf if said is None else said.epsilon, record.spec.method == RANDOMISED


def _near(pair: Pair, steps: Sequence[RunRecord]) -> set[str]:
    """Of many, those that differ least from the chosen run."""
    own = [one.id for one in pair.records]
    order = sorted(steps, key=lambda one: (one.id not in own, len(_more(one, pair.first))))
    return {one.id for one in order[:MOST_DRAWN]}


def _more(one: RunRecord, other: RunRecord) -> list[str]:
    """What two runs differ in beside privacy."""
    return [name for name, _, _ in names.more_apart(one, other)]


def _otherwise(one: RunRecord, pair: Pair) -> str:
    """What a run was trained with that the chosen one was not, beside privacy; "" where nothing is."""
    return ", ".join(f"{name} {own}" for name, own, _ in names.more_apart(one, pair.first))


def _titles(pair: Pair, steps: Sequence[RunRecord]) -> dict[str, str]:
    """What each run is called in the figure and in the table, by id."""
    return naming.distinct({one.id: names.title(one, pair.first) for one in steps})


def reference(pair: Pair, steps: Sequence[RunRecord]) -> RunRecord | None:
    """The run without privacy whose gain the others are shares of: the chosen one, where there is one."""
    without = [one for one in steps if one.spec.unit == "none"]
    if pair.bare is not None:
        return next((one for one in without if naming.setting(one) == naming.setting(pair.bare)), None)
    return next((one for one in without if not _more(one, pair.first)), None)


Shares = Mapping[str, tuple[float, float | None, float | None]]


def _shares(pair: Pair, steps: Sequence[RunRecord], rows: Sequence[Row]) -> Shares:
    """Of each private run that differs from the reference in privacy alone: the share of its gain, by id."""
    whole = reference(pair, steps)
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    if whole is None or whole.id not in by_run:
        return {}
    found = {}
    for one in steps:
        if one.spec.unit != "none" and one.id in by_run and not _more(one, whole):
            share = relation_ranking.kept(by_run[one.id], by_run[whole.id])
            if share is not None:
                found[one.id] = share
    return found


def _no_share(pair: Pair, steps: Sequence[RunRecord], rows: Sequence[Row]) -> str:
    """Why no run has a share of the gain, where none has: Markdown."""
    whole = reference(pair, steps)
    if whole is None:
        return "It is told once the same is trained without privacy. "
    row = next((row for row in rows if row["run"] == whole.id), None)
    if row is not None and relation_ranking.kept(row, row) is None:
        return "**Training without privacy shows no gain here on the base encoder**, so there is none to keep. "
    return ""


def ahead(pair: Pair, steps: Sequence[RunRecord], rows: Sequence[Row]) -> list[str]:
    """At which budgets PvGaLM or randomised relations are ahead, in a sentence of Markdown, by those runs
    that can be compared the nearest to the chosen one; none where seeds are too few for an interval."""
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    private = [one for one in steps if one.id in by_run and one.spec.unit != "none"]
    nearest: dict[float | None, tuple[str, tuple[float, float, float]]] = {}
    for one in sorted(private, key=lambda one: len(_more(one, pair.first))):
        other = next((other for other in private if _rivals(one, other)), None)
        apart = None if other is None else relation_ranking.between(by_run[one.id], by_run[other.id])
        if apart is not None and one.spec.asked_epsilon not in nearest:
            more = _otherwise(one, pair)
            at = markup.literal(f"{naming.budget(one)}{f' with {more}' if more else ''}")
            nearest[one.spec.asked_epsilon] = at, apart
    better: dict[str, list[tuple[str, float]]] = {}
    for _, (at, (points, low, high)) in sorted(nearest.items(), key=lambda one: one[0] or 0.0):
        side = "" if low <= 0 <= high else OURS if points > 0 else RIVAL
        better.setdefault(side, []).append((at, abs(100 * points)))
    sides = [f"**{side}** {_at(better[side])}" for side in (OURS, RIVAL) if side in better]
    told = [f"More partners come first with {', and with '.join(sides)}."] if sides else []
    if "" in better:
        where = _listed([at for at, _ in better[""]])
        told.append(f"At {where}, the seeds do not tell {OURS} and {RIVAL} apart.")
    return [" ".join(told)] if told else []


def _at(found: Sequence[tuple[str, float]]) -> str:
    """At which budgets, and by how many points: Markdown."""
    low, high = (pick(points for _, points in found) for pick in (min, max))
    by = f"{low:.1f} points" if len(found) == 1 else f"{low:.1f} to {high:.1f} points"
    return f"at {_listed([at for at, _ in found])} (by {by})"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def from_large_to_small(pair: Pair, steps: Sequence[RunRecord], rows: Sequence[Row]) -> list[str]:
    """What lies between the largest and the smallest budget, where all else is alike: a sentence of Markdown;
    none where seeds are too few for an interval."""
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    alike = [
        (one.statement.epsilon, one)
        for one in steps
        if one.id in by_run
        and one.statement is not None
        and one.spec.unit != "none"
        and one.spec.method != RANDOMISED
        and not _more(one, pair.first)
    ]
    if len(alike) < 2:
        return []
    (_, least), *_, (_, most) = sorted(alike, key=lambda one: one[0])
    apart = relation_ranking.between(by_run[least.id], by_run[most.id])
    if apart is None:
        return []
    small, large = (markup.literal(naming.budget(one)) for one in (least, most))
    points, low, high = (100 * number for number in apart)
    seeds = " and ".join(str(by_run[one.id]["seeds"]) for one in (most, least))
    return [
        f"From {large} down to {small}, PREC@1 changes by {points:.1f} points (95% confidence interval {low:.1f} to "
        f"{high:.1f}, {seeds} seeds). Outsiders are right at most {_bound(least)} of the time at "
        f"{small}, and {_bound(most)} at {large}."
    ]


_COINS = (
    "**Randomised relations**: for each pair of texts, a coin says whether they are joined. It leaves out some true "
    "relations and puts in false ones, and training reads what it says."
)


def _rivals(one: RunRecord, other: RunRecord) -> bool:
    """Whether the second run is of randomised relations, the first is not, and all else is alike."""
    return one.spec.method != RANDOMISED and other.spec.method == RANDOMISED and _level(one, other)


def _level(one: RunRecord, other: RunRecord) -> bool:
    """Whether two private runs were trained with the same budget, and else alike."""
    return one.spec.asked_epsilon == other.spec.asked_epsilon and not _more(one, other)


def _asked(pair: Pair, rows: Sequence[Row]) -> str:
    """What the runs were asked, in a sentence of Markdown."""
    return (
        f"The test asks for relations of **{markup.literal(pair.predicted)}**, of which no run has read any "
        f"(zero-shot): which of {_candidates(rows)} is the partner of a text? PREC@1 is the share of relations whose "
        "partner is ranked first."
    )


def _candidates(rows: Sequence[Row]) -> str:
    """Among how many a partner is looked for."""
    found = sorted({round(1 / float(row["accuracy"])) for row in rows if row["kind"] == "guessing"})
    return f"{' or '.join(map(str, found))} candidates" if found else "the candidates"


def _bound(record: RunRecord) -> str:
    """How often somebody who has the encoder can be right about one relation."""
    said = record.statement
    return "–" if said is None else outsiders.bound(guess(said.epsilon, said.delta))


def _table(rows: Sequence[Row], shares: Shares, bounds: Mapping[str, str]) -> None:
    """The same in numbers."""

    def between(row: Row, measure: str) -> str:
        low, high = row[f"{measure}_low"], row[f"{measure}_high"]
        return percent(row[measure]) if low is None else f"{percent(row[measure])} ({percent(low)} to {percent(high)})"

    def kept(row: Row) -> str:
        if row["run"] not in shares:
            return "–"
        share, low, high = shares[row["run"]]
        if low is None or high is None:
            return f"{share:.0%}"
        return f"{share:.0%} ({low:.0%} to {high:.0%})" if high < 1 else f"{share:.0%} (at least {low:.0%})"

    st.table(
        [
            {
                "": markup.literal(row["label"]),
                "seeds": f"{row['seeds']}" if row["kind"] == "run" else "–",
                "PREC@1": between(row, "accuracy"),
                "MRR": between(row, "mrr"),
                "gain kept": kept(row),
                "outsiders right, at most": bounds.get(row["run"], "–"),
            }
            for row in rows
        ],
        border="horizontal",
        hide_index=True,
    )


def _rates(pair: Pair) -> str:
    """That each kind of training has a learning rate of its own, where the two differ; "" else."""
    rates = [settings.shown(one).get("learning_rate", "") for one in (pair.private, pair.bare) if one is not None]
    if len(set(rates)) < 2:
        return ""
    return (
        f"Each kind of training has its own learning rate, here {markup.literal(rates[0])} with privacy and "
        f"{markup.literal(rates[1])} without: what suits one does not suit the other."
    )


def _intervals(records: Sequence[RunRecord]) -> str:
    """How sure the shares of partners that came first are, in a sentence; "" where it is not known of how
    many."""
    told = []
    for record in records:
        first, asked = (record.metrics.get(name) for name in ("test_accuracy", "test_relations"))
        if first is not None and asked:
            low, high = interval(first, round(asked))
            told.append(f"{naming.privacy(record)}: {percent(low)} to {percent(high)} of {asked:,.0f} relations")
    if not told:
        return ""
    return (
        f"For the chosen runs alone, {LEVEL:.0%} confidence intervals of PREC@1, as if relations were independent: "
        f"{markup.literal('; '.join(told))}. They cover the chance in which relations are asked about; several seeds "
        "show the chance in training."
    )
