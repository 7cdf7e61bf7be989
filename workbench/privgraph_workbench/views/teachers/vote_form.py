"""One query's votes under noise that can be dragged: what the label, the gate and the price become."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.options import Option, OptionError, Parameter
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.teachers import answers, ensembles, one_vote
from privgraph_workbench.figures.teachers.answers import size
from privgraph_workbench.forms import widgets
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import keeping, layout, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import answered, by_weight, chain, one_query, other_noise, own_noise
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import chance, number, percent, rounded_delta, upper

PREFIX = "vote."


def show(record: RunRecord, ensemble: Ensemble, names: Sequence[str]) -> None:
    """The laboratory, which is drawn by itself."""
    st.fragment(_show)(record, ensemble, names, statements_of([record]))


def _show(
    record: RunRecord, ensemble: Ensemble, names: Sequence[str], statements: Mapping[str, PrivacyStatement]
) -> None:
    """The vote in three steps; below them the noise that it might have had, right above the figure that it
    moves; last what that noise would mean."""
    top = st.container()
    st.markdown("#### What if the noise had been different?")
    with top, st.container(horizontal=True, vertical_alignment="bottom"):
        place = _query(record, ensemble, names)
    with st.container(border=True):
        try:
            noise, details = _controls(record, ensemble)
        except OptionError as error:
            st.error(markup.sentence(error))
            return
        count = one_query.times(record, place)
        drawn = [_label(ensemble, place, _anew(ensemble, place, noise, one)) for one in range(1, count + 1)]
        one_query.draw_again(record, place, one_query.tally(drawn, names))
    draw = _draw(record, ensemble, place, noise)
    label = _label(ensemble, place, draw)
    priced = own_noise.exact(ensemble, noise)
    with top:
        _steps(record, ensemble, place, priced, draw, label, names)
    rows = one_vote.data(ensemble, place, priced, names, draw.votes, label, details, draw.own)
    drawn_figure("one_vote", rows, statements, record, on_drag=partial(_dragged, ensemble))
    st.caption(_reading(ensemble, noise, label, details) + f" {one_query.released_words(record, 'counts')}")
    _outcome(record, ensemble, rows, priced)


def _reading(ensemble: Ensemble, noise: one_vote.Noise, label: int, details: bool) -> str:
    """How the figure is read: what is drawn in it, and no more."""
    said = [
        "Bars: votes before noise, and on the right the chance of each class to be the label, exact, by integration."
    ]
    if label >= 0:
        own = "; the gate has noise of its own, and they may lie on either side of its threshold"
        said.append(f"Marks: where this draw of the noise took each count{own if noise.gate_sigma > 0 else ''}.")
    else:
        said.append("The gate refused: no noise was drawn on the counts, and there is no label.")
    if noise.gate_sigma > 0:
        said.append("The dotted threshold can be dragged.")
    if details:
        said.append("Lines reach one standard deviation of the noise to either side.")
    return " ".join(said)


@dataclass(frozen=True, kw_only=True)
class Draw:
    """The votes for each class with noise, whether the gate let the query pass, what it had tested (None: not
    kept), and whether this is what the run had drawn."""

    votes: list[float]
    passed: bool
    own: bool
    tested: float | None = None


def _draw(record: RunRecord, ensemble: Ensemble, place: int, noise: one_vote.Noise) -> Draw:
    """What the run had drawn, until another draw or other noise is asked for: the same for the same number of
    draws, whatever the size of the noise."""
    again = one_query.times(record, place)
    if not again and noise == own_noise.held(ensemble):
        found = answered.kept(record)
        if isinstance(found, Answers) and found.kind == "counts" and found.after.shape == ensemble.counts().shape:
            return Draw(votes=found.after[place].tolist(), passed=bool(ensemble.passed[place]), own=True)
    return _anew(ensemble, place, noise, again)


def _anew(ensemble: Ensemble, place: int, noise: one_vote.Noise, again: int) -> Draw:
    """Another draw of that noise: the one of this number."""
    counts, source = ensemble.counts()[place], np.random.default_rng([int(ensemble.queries[place]), again])
    noisy = counts + noise.vote_sigma * source.standard_normal(len(counts))
    tested = float(counts.max() + noise.gate_sigma * source.standard_normal())
    passed = noise.gate_sigma <= 0 or tested > noise.threshold
    return Draw(votes=noisy.tolist(), passed=passed, own=False, tested=tested)


def _label(ensemble: Ensemble, place: int, draw: Draw) -> int:
    """The label that goes out with this draw (-1: none), for the steps and the figure alike."""
    if draw.own:
        return int(ensemble.released[place])
    return int(np.argmax(draw.votes)) if draw.passed else -1


def _steps(
    record: RunRecord,
    ensemble: Ensemble,
    place: int,
    priced: one_vote.Noise,
    draw: Draw,
    label: int,
    names: Sequence[str],
) -> None:
    """The vote in three steps."""
    counts = ensemble.counts()[place]
    states.badges(private=True, evaluator=True, other=not draw.own)
    one_query.steps(
        one_query.said("counts", counts, names, ensemble.weights),
        (
            size(priced.vote_sigma),
            _hides(ensemble, priced.vote_sigma) + one_query.alone(upper(one_vote.cost(ensemble, priced).query)),
        ),
        one_query.came_out(
            label,
            names,
            after=one_query.pair("counts", draw.votes, names),
            pooled=draw.own and label not in (-1, int(np.argmax(draw.votes))),
            whole=one_query.releases_whole(record, "counts"),
            gate=_at_gate(priced, draw),
        ),
        weighed=by_weight.differ(ensemble),
    )
    st.caption(one_query.not_released(label, counts, int(ensemble.truth[place]), names))


def _at_gate(noise: one_vote.Noise, draw: Draw) -> str:
    """What this draw's gate compared, in a sentence; "" where there is none."""
    if noise.gate_sigma <= 0:
        return ""
    if draw.tested is None:
        return "It has noise of its own."
    is_ = "is above" if draw.passed else "is not above"
    return f"With its own noise, the largest count was {number(draw.tested, 4)}, which {is_} {size(noise.threshold)}."


def _hides(ensemble: Ensemble, std: float) -> str:
    """What noise of this size has to hide, with the weight that one vote may have."""
    told = one_query.hides("counts" if ensemble.per_teacher else "moved", "gaussian", std)
    if not ensemble.per_teacher or ensemble.weights.min() == ensemble.weights.max():
        return told
    heaviest = number(float(ensemble.weights.max()), 2)
    return told.replace("moves one vote,", f"moves one vote, of weight {heaviest} at most,")


def _dragged(ensemble: Ensemble, handle: str, x: float) -> None:
    """Set the slider that the dragged threshold stands for."""
    if handle == "threshold":
        top = _most_votes(ensemble)
        step = _step(top)
        st.session_state[f"{PREFIX}threshold"] = min(max(round(x / step) * step, 0.0), top)


def _most_votes(ensemble: Ensemble) -> float:
    """Where the threshold's slider ends."""
    return float(math.ceil(max(ensemble.weights.sum(), own_noise.sliders(ensemble)["threshold"])))


def _step(top: float) -> float:
    return 1.0 if top >= 20 else 0.1


def _at_first(ensemble: Ensemble) -> int:
    """The place of the query that is shown before one is chosen, among those that teachers voted on."""
    voted = np.flatnonzero(ensemble.voting.any(axis=0))
    if not voted.size:
        return 0
    counts, released, truth = ensemble.counts()[voted], ensemble.released[voted], ensemble.truth[voted]
    return int(voted[one_query.at_first(counts, released, truth, ensemble.vote_sigma)])


def _query(record: RunRecord, ensemble: Ensemble, names: Sequence[str]) -> int:
    """The place of the query that is looked at, among those that pass the filter."""
    nodes = [str(node) for node in ensemble.queries.tolist()]
    asked = st.query_params.get(f"{PREFIX}query")
    if asked is not None and asked not in nodes:
        st.warning(f"In this page's address, query {markup.literal(asked[:40])} is none of this run.")
    found = answered.kept(record)
    offered = nodes
    if isinstance(found, Answers) and set(found.queries.tolist()) == set(ensemble.queries.tolist()):
        offered = [str(row["query"]) for row in one_query.filtered(answers.data(found, names))]
    keeping.within(f"{PREFIX}query", offered)
    first = nodes[_at_first(ensemble)]
    with st.container(width=260):
        node = st.selectbox(
            "Query (number of its node)",
            offered,
            index=offered.index(first) if first in offered else 0,
            key=f"{PREFIX}query",
            bind="query-params",
            help=one_query.AT_FIRST,
        )
    return nodes.index(str(node))


def _sigma(name: str, label: str, help_: str, default: float) -> Parameter:
    return Parameter(
        name, float, default, Option(help_, low=own_noise.LEAST, high=own_noise.MOST, scale="log", label=label)
    )


def _put(ensemble: Ensemble) -> None:
    """Set the sliders to the noise that the run had."""
    for name, value in {**own_noise.sliders(ensemble), "gate": ensemble.gate_sigma > 0}.items():
        st.session_state[PREFIX + name] = value


def _controls(record: RunRecord, ensemble: Ensemble) -> tuple[one_vote.Noise, bool]:
    """The noise that is asked about, and whether the figure shows its reach. Another run begins with its own
    noise; an address that says otherwise is followed."""
    held = st.session_state.get(f"{PREFIX}of")
    if held is not None and held != record.id:
        _put(ensemble)
    st.session_state[f"{PREFIX}of"] = record.id
    own, top = own_noise.sliders(ensemble), _most_votes(ensemble)
    votes = _sigma("sigma", "Noise on each count ± σ₂ (standard deviation, votes)", "more hides more", own["sigma"])
    test = _sigma(
        "gate_sigma",
        "Noise of the gate ± σ₁ (standard deviation, votes)",
        "standard deviation of the noise on the largest count, when it is tested",
        own["gate_sigma"],
    )
    held_back = Parameter(
        "threshold", float, own["threshold"], Option("the votes that the largest count needs", low=0, high=top)
    )
    for complaint in widgets.complaints([votes, test, held_back], prefix=PREFIX, typed=False):
        st.warning(complaint)
    left, right = layout.columns("vote", [3, 2])
    with left:
        vote_sigma = float(widgets.widget(votes, PREFIX))
        st.caption(other_noise.WHICH_END)
    with right, st.container(horizontal=True, vertical_alignment="center"):
        gate, details = _switches(ensemble)
    if not gate:
        return one_vote.Noise(vote_sigma=vote_sigma), details
    left, right = layout.columns("gate", 2)
    with left:
        gate_sigma = float(widgets.widget(test, PREFIX))
    threshold = right.slider(
        "Threshold T (votes)",
        0.0,
        top,
        own["threshold"],
        _step(top),
        key=f"{PREFIX}threshold",
        bind="query-params",
        help="What the largest count, with noise, must exceed; all votes together are "
        f"{size(float(ensemble.weights.sum()))}",
    )
    noise = one_vote.Noise(vote_sigma=vote_sigma, gate_sigma=gate_sigma, threshold=threshold)
    st.caption(_gate_costs(ensemble, noise))
    return noise, details


def _gate_costs(ensemble: Ensemble, noise: one_vote.Noise) -> str:
    """What the gate's tests add to the price."""
    exact = own_noise.exact(ensemble, noise)
    bare, whole = (one_vote.cost(ensemble, one).run for one in (one_vote.Noise(vote_sigma=exact.vote_sigma), exact))
    return (
        f"**What the gate costs:** all {len(ensemble.queries):,} queries cost {EPSILONS['sound'].title} {upper(whole)} "
        f"with it, {upper(bare)} without. Every query counts as tested and answered, whatever passes."
    )


def _switches(ensemble: Ensemble) -> tuple[bool, bool]:
    """Whether there is a gate, and whether the figure shows the reach of the noise; the way back to the
    run's."""
    gate = st.toggle(
        "With a gate",
        value=ensemble.gate_sigma > 0,
        key=f"{PREFIX}gate",
        bind="query-params",
        help="A gate tests the largest count, through noise, and refuses queries on which teachers "
        "disagree; each test costs",
    )
    details = st.toggle(
        "Show its reach",
        key=f"{PREFIX}details",
        bind="query-params",
        help="One standard deviation of the noise around each count",
    )
    st.button(
        "As in the run",
        icon=":material/restart_alt:",
        on_click=_put,
        args=(ensemble,),
        help="Noise and threshold that the run had",
    )
    return gate, details


def _outcome(record: RunRecord, ensemble: Ensemble, rows: Sequence[Row], noise: one_vote.Noise) -> None:
    """Chances and prices of the noise that was chosen, for this query and for all."""
    first, top = rows[0], max(rows, key=lambda row: float(row["votes"]))
    passes, right = one_vote.expected(ensemble, noise)
    asked, delta, differ = len(ensemble.queries), rounded_delta(ensemble.delta), by_weight.differ(ensemble)
    whom = "the heaviest teacher's nodes" if ensemble.per_teacher else "all votes, which one node may move"
    whose = f", weight {number(float(ensemble.weights.max()), 2)}" if differ else ""
    query: list[layout.Card] = [
        (
            "The largest class stays",
            chance(top["chance"]),
            f"Chance that {top['name']}, which has the most votes, still has the most after noise",
        ),
        (
            f"This query{whose}: {EPSILONS['sound'].label}",
            upper(first["epsilon_query"]),
            f"For {whom}, by itself, tested and answered, at delta {delta}",
        ),
    ]
    whole: list[layout.Card] = [
        (
            "Labels right, of those that pass" if first["passes"] is not None else "Labels right, on average",
            percent(right),
            "Of all queries that would pass, over all draws of this noise. Evaluator only: it needs the truth",
        ),
        (
            f"All {asked:,}{whose}: {EPSILONS['sound'].label}",
            upper(first["epsilon_run"]),
            f"For {whom}, where every query is tested and answered, without a limit, at delta {delta}",
        ),
    ]
    if first["passes"] is not None:
        query.append(
            (
                "This query passes the gate",
                chance(first["passes"]),
                "Chance that the largest count, with the gate's noise, exceeds the threshold",
            )
        )
        whole.append(chain.right_in_all(ensemble, noise))
        whole.append(
            (
                "All queries that pass",
                percent(passes),
                "Share of all queries that the gate would let through, on average over the noise",
            )
        )
    for place, boxes in enumerate([query + whole] if first["passes"] is None else [query, whole]):
        layout.cards(f"vote-{place}", boxes)
    if differ and asked > 1 and math.isfinite(first["epsilon_run"]):
        st.caption(_lightest(ensemble, noise))
    own = one_vote.Noise.of(ensemble)
    found = answered.kept(record)
    st.caption(
        f"The run's own noise: σ₂ = {size(own.vote_sigma)}"
        + (f", σ₁ = {size(own.gate_sigma)}, T = {size(own.threshold)}" if own.gate_sigma > 0 else ", no gate")
        + f". All {asked:,} queries, answered, cost {upper(one_vote.cost(ensemble, own).run)} with it. "
        + (other_noise.drew_once(found) if isinstance(found, Answers) else "")
    )


def _lightest(ensemble: Ensemble, noise: one_vote.Noise) -> str:
    """What the nodes of the lightest vote pay."""
    weight, asked = float(ensemble.weights.min()), len(ensemble.queries)
    one, whole = (
        upper(ensembles.price(count, noise.vote_sigma, noise.gate_sigma, weight, ensemble.delta))
        for count in (1, asked)
    )
    return f"Nodes of weight {number(weight, 2)}, the lightest, pay {one} for this query and {whole} for all {asked:,}."
