"""The Relations page: what encoders find near a text before they learnt relations, after, and after with
privacy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.references import LEVEL, interval
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import nearest, outsiders, price, runs, studied
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent, stated


def page() -> None:
    """Ask a private run and one without privacy; see how well they predict, and what they promise."""
    queue.tick()
    st.title("Relations")
    st.markdown(
        "Who bought what together, who cites whom: **relations** between texts can be private. Ask encoders that have "
        "learnt some, with **differential privacy** and without."
    )
    with st.container():  # always there: what is below keeps its place
        waiting = runs.under_way()
    records = runs.finished()
    runs.complain(records)
    if not records:
        if not waiting:
            runs.invitation()
        return
    form = st.container()  # above the choice of what it asks
    with st.container(key=shell.FIELDS):
        places = st.columns([0.95, 1.4, 1.4, 0.95, 0.7])
    private, bare = runs.choose(records, places[:3])
    pair = runs.paired(private, bare)
    if pair is not None:
        nearest.show(pair, form, places[3:])
    st.divider()
    if pair is not None:
        price.show(pair, records)
    runs.cards(private, bare)
    if pair is not None:
        _ranking(pair, records)
        studied.show(pair)
        outsiders.show(pair)
    st.divider()
    st.caption(
        "The method is PvGaLM: Yin et al., Privately Learning from Graphs with Applications in Fine-tuning Large "
        "Language Models. With differential privacy, it is hard to tell from the model whether any one relation was "
        "there; how hard, its ε says."
    )


def _ranking(pair: Pair, finished: Sequence[RunRecord]) -> None:
    """How well the chosen runs predict relations, beside what they began with and guessing."""
    rows = relation_ranking.data(pair.records, finished, texts=runs.texts_of(pair.first, pair.predicted))
    st.divider()
    st.markdown("### How well do they predict relations?")
    st.markdown(
        f"Each run was asked about relations of **{markup.literal(pair.predicted)}**, of which it had read none: given "
        f"one text, which of {_candidates(rows)} is its partner? **PREC@1** is the share of partners that came first; "
        "**MRR** is the mean of one over the partner's rank, 1 if it always came first."
    )
    told = {one.id: one for one in (*pair.records, *(one for one in finished if _repeats(one, pair.records)))}
    drawn_figure("relation_ranking", rows, statements_of(list(told.values())), pair.first)
    for one in (*differences(rows), *relation_ranking.chart(rows).notes):
        st.markdown(markup.literal(one))
    _table(rows)
    twins = pair.private is None or pair.bare is None or not runs.apart(pair.private, pair.bare)
    kept = "what the private run does not keep of it is the price of privacy" if twins else "these two differ in more"
    st.caption(
        f"The base encoder has read no relation. What the run without privacy gains on it is what relations teach; "
        f"{kept}. One run of each says little: below, options are moved and seeds repeated."
    )
    if rates := _rates(pair):
        st.caption(rates)
    st.caption(_intervals(pair.records))
    st.page_link(
        shell.page("tradeoffs"),
        label="Accuracy against privacy, on these data",
        icon=":material/balance:",
        query_params={"data": pair.first.spec.dataset},
    )


def _candidates(rows: Sequence[Row]) -> str:
    """Among how many a partner is looked for."""
    found = sorted({round(1 / float(row["accuracy"])) for row in rows if row["kind"] == "guessing"})
    return f"{' or '.join(map(str, found))} candidates" if found else "the candidates"


def _repeats(one: RunRecord, records: Sequence[RunRecord]) -> bool:
    return any(naming.setting(one) == naming.setting(other) for other in records)


def differences(rows: Sequence[Row]) -> list[str]:
    """How far base, run without privacy and private run are apart by PREC@1, a sentence for each two of which
    there are seeds enough."""
    said = []
    held = sorted((row for row in rows if row["kind"] != "guessing"), key=lambda row: -float(row["accuracy"]))
    for one, other in combinations(held, 2):
        if (found := relation_ranking.between(one, other)) is None:
            continue
        points, low, high = (100 * number for number in found)
        sure = f"95% confidence interval {low:.1f} to {high:.1f}, over {one['seeds']} and {other['seeds']} seeds"
        undecided = ": these seeds do not show which is better" if low <= 0 <= high else ""
        said.append(f"{one['label']} is {points:.1f} points of PREC@1 above {other['label']} ({sure}){undecided}.")
    return said


def _table(rows: Sequence[Row]) -> None:
    """The same in numbers: how well each predicts, and what it promises."""

    def between(row: Row, measure: str) -> str:
        low, high = row[f"{measure}_low"], row[f"{measure}_high"]
        return percent(row[measure]) if low is None else f"{percent(row[measure])} ({percent(low)} to {percent(high)})"

    st.dataframe(
        [
            {
                "": row["label"],
                EPSILONS["sound"].title: "reads no relation"
                if row["kind"] != "run"
                else stated("sound", row["epsilon"]),
                "PREC@1": between(row, "accuracy"),
                "MRR": between(row, "mrr"),
                "seeds": f"{row['seeds']}" if row["kind"] == "run" else "no training",
            }
            for row in rows
        ],
        hide_index=True,
        alt="How well each predicts relations, with intervals over seeds, and what it promises",
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
        f"{LEVEL:.0%} confidence intervals of PREC@1, as if relations were independent: "
        f"{markup.literal('; '.join(told))}. They cover the chance in which relations are asked about; several seeds "
        "show the chance in training."
    )
