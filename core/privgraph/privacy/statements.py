"""Statements from ledger entries: the two epsilons, the assumptions, the known gaps, and the plain words for
them.

The gaps are findings about published analyses. Each names the claim, the step that fails, what holds
instead, and its size; functions give the size at the noise of the run at hand.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import StrEnum

from privgraph.options import OptionError, short
from privgraph.privacy.accountants import Accountant, tight
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Composed, Gaussian, NonPrivate, PrivacyEvent, Repeated
from privgraph.privacy.kinds import ADVERSARIES, Adversary, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

RELATION_NONE = "none: no two graphs are made hard to tell apart"
RELATION_EDGE_UNDIRECTED = (
    "add or remove one undirected edge, which is two entries of the adjacency matrix, in two different rows"
)
RELATION_EDGE_DIRECTED = "add or remove one directed edge, which is one entry of the adjacency matrix"
RELATION_ROSTER = (
    "one node opts out: the roster, who trains, who is private and everybody's seat stay as they were drawn, "
    "and the node's features, label and all its edges are removed"
)
RELATION_NODE_OPT_OUT = (
    "one node opts out: the roster of nodes and the bounded sample of edges stay as they were drawn "
    "from the whole graph, and the node's features, label, own row and all its kept edges are removed"
)

ASSUME_SECRET_KEY = (
    "the noise key of the installation stays secret: noise, samples and coins come from AES-256 under "
    "this key, and whoever knows the key can subtract the noise"
)
ASSUME_FLOATING_POINT = (
    "the arithmetic of the processor is that of IEEE 754: noise is an exact draw on a lattice, and what "
    "rounding adds to a sensitivity is paid for by slightly more noise"
)
ASSUME_GRADIENTS = (
    "one example's gradient is computed alike whoever stands beside it in a batch, and rounding in "
    "single precision moves a sum of clipped gradients by no more than the share of the clip that is "
    "counted for it"
)
ASSUME_COMMON_SAMPLES = (
    "no other run that reads the same samples (option common) is released: several of them together "
    "cost more than the composition of their epsilons"
)
ASSUME_POISSON = "every batch holds each training node independently with the stated rate"
ASSUME_EDGE_PUBLIC = "features and labels are public with respect to the protected edge"
ASSUME_FROZEN_SAMPLE = (
    "the sample of edges that bounds the degree is drawn once, from the whole graph, before anybody "
    "leaves; under adding and removing nodes with the lists refilled, none is proved"
)
ASSUME_LAST_EPOCH = "the model of the last epoch is released: nothing is chosen by private labels"
ASSUME_STOP_NOT_CHOSEN = (
    "whoever stopped the run did not decide by its curves: they read private labels, and no finite "
    "epsilon covers a moment that was chosen by them"
)
ASSUME_AGAIN_NOT_CHOSEN = (
    "an earlier attempt of this run was stopped, failed, lost or given back, and what it told was deleted: it is not "
    "counted, and nobody ended it, or had it tried again, by what it told"
)
ASSUME_ONE_RUN = "this run alone is released: its options were not chosen by looking at other runs on the same data"
WHO_TRAINS = "who trains"
"""Begins what is taken to be public where a contract makes no secret of who trains."""
PUBLIC_SIZES = "the numbers of nodes, of training nodes and of classes"
PUBLIC_ROSTER = "the roster of nodes, and which of them train"

GAP_UNDIRECTED_EDGE = Gap(
    title="An undirected edge is two entries",
    claim="one edge changes the aggregate by at most 1, so the noise is counted against sensitivity 1",
    fails="an undirected edge is stored in both directions and changes two rows of the aggregate, each by up to 1",
    holds="the L2 sensitivity is the square root of 2; the sound epsilon uses it",
    size="a claimed epsilon of 1 is 1.45 (exact Gaussian composition, delta 1e-7)",
    evidence="proved",
    source="GAP, Lemma 1; ProGAP, Theorem 4.1",
)
GAP_DEGREE_BOUND = Gap(
    title="Bounding degrees by resampling",
    claim="with at most D out-edges kept a node, one node changes the aggregate by at most the square root of D",
    fails="when a node leaves, the lists that held it are refilled, and any number of rows may change",
    holds="the square root of D holds if the sample of edges is frozen before anybody leaves; that is how "
    "the sound path bounds degrees, and the neighbouring relation says so",
    size="a claimed epsilon of 1 audits at 9.6 (200 nodes, D = 10)",
    evidence="audited",
    source="GAP, Lemma 3; ProGAP, Theorem 4.2",
)
GAP_EPOCH_SELECTION = Gap(
    title="Choosing the epoch on private labels",
    claim="the best epoch by validation accuracy is released at no cost",
    fails="at node level the validation labels are private too, and the choice of epoch is computed from "
    "them without noise",
    holds="nothing, where the epoch is chosen so: the sound epsilon is infinite. The last epoch is free, at "
    "the same noise",
    size="no finite epsilon covers it: with two models to choose from, one private label can decide which is released",
    evidence="proved",
    source="GAP and ProGAP, node level, as their code does",
)
GAP_TUNING = Gap(
    title="Tuning is unpaid",
    claim="the epsilon of the best of several settings is that of one run",
    fails="every setting that was tried on the private data has released something, if only its accuracy",
    holds="all runs together cost their composition, unless they were tried on public data",
    size="20 edge-level settings at epsilon 1 compose to 5.1 (exact Gaussian composition, delta 1e-7)",
    evidence="proved",
    source="the common practice of all papers reproduced here",
)


def make_statement(
    *,
    unit: str,
    neighbours: Neighbours,
    relation: str,
    release: Release,
    released: str,
    public: Sequence[str],
    delta: float,
    delta_rule: str,
    ledger: Ledger | Sequence[LedgerEntry],
    published: Accountant | float | None = None,
    assumptions: Sequence[str] = (),
    gaps: Sequence[Gap] = (),
    accountant: Accountant | None = None,
    accountant_as_published: str = "",
) -> PrivacyStatement:
    """The statement of a run, planned or done.

    `ledger` holds what was run; its sound events are accounted by `accountant` (default: the tightest
    sound one), its events as published by `published`, the paper's own accountant, or a number computed
    elsewhere, or None where no paper has a formula. Unit none is never private. `ASSUME_SECRET_KEY` and
    `ASSUME_FLOATING_POINT` are added to every private statement.
    """
    book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    if accountant is None:
        epsilon, name = tight().best(book.event(), delta)
    else:
        epsilon, name = accountant.epsilon(book.event(), delta), accountant.name
    if unit == "none":
        epsilon, name = math.inf, "none"
    if published is None or isinstance(published, int | float):
        as_published = published
    else:
        as_published = published.epsilon(book.event_as_published(), delta)
        accountant_as_published = accountant_as_published or published.name
    always = () if unit == "none" else (ASSUME_SECRET_KEY, ASSUME_FLOATING_POINT)
    return PrivacyStatement(
        unit=unit,
        neighbours=neighbours,
        relation=relation,
        release=release,
        released=released,
        public=tuple(public),
        delta=delta,
        delta_rule=delta_rule,
        epsilon=epsilon,
        epsilon_as_published=as_published,
        accountant=name,
        accountant_as_published=accountant_as_published if as_published is not None else "",
        assumptions=(*assumptions, *(text for text in always if text not in assumptions)),
        gaps=tuple(gaps),
        ledger=book.entries,
    )


def sensitivity_price(ledger: Ledger, delta: float) -> tuple[float, float]:
    """Exact accounting with the published and with the proved sensitivities: the gap that is theirs alone."""
    judge = tight()
    return judge.epsilon(ledger.event_as_published(), delta), judge.epsilon(ledger.event(), delta)


def undirected_edge_gap(ledger: Ledger, delta: float) -> Gap:
    """`GAP_UNDIRECTED_EDGE` with its size at the noise of this ledger.

    The entries' `event` is relative to the sensitivity sqrt 2, their `event_as_published` to 1.
    """
    claimed, sound = sensitivity_price(ledger, delta)
    return replace(
        GAP_UNDIRECTED_EDGE,
        size=f"with this run's noise, at delta {delta:g}, one and the same exact accountant gives "
        f"{_number(claimed)} for the paper's sensitivity, 1, and {_upper(sound)} for the proved one, "
        "the square root of 2. The epsilon as published is the first of these two claims once more, by "
        "the paper's own accountant (Renyi divergences), which is less tight than the exact one",
    )


def tuning_price(event: PrivacyEvent, delta: float, settings: int, accountant: Accountant | None = None) -> float:
    """Epsilon of `settings` runs, each of which costs `event`, released together."""
    if settings < 1:
        raise ValueError(f"settings must be at least 1 (got {settings})")
    judge = tight() if accountant is None else accountant
    parts = tuple(Repeated(event=single, count=count * settings) for single, count in flatten(event))
    return judge.epsilon(Composed(parts), delta)


def tuning_gap(event: PrivacyEvent, delta: float, settings: int = 20) -> Gap:
    """`GAP_TUNING` with its size for `settings` runs that cost `event` each."""
    one, all_of_them = tight().epsilon(event, delta), tuning_price(event, delta, settings)
    return replace(
        GAP_TUNING,
        size=f"{settings} settings of this run, {_upper(one)} each, compose to {_upper(all_of_them)} "
        f"at delta {delta:g}",
    )


_UNITS = {
    "none": "nothing",
    "edge": "a single edge",
    "node": "a single node, with its features, its label and all its edges",
}


_RECORD = "a single node, with its features and its label"
"""Of statements of earlier versions, where edges are not used."""

FAULT = "Known fault, which no epsilon here counts"


def attacked(adversary: Adversary | None) -> str:
    """What an adversary attacks: never the very run, whose noise is drawn and stays secret."""
    return ADVERSARIES[adversary or Adversary.UNKNOWN]


PREMISES = {
    Adversary.WORST_CASE: "if the noise is Gaussian, as the ledger says",
    Adversary.CANARIES: "if the noise is Gaussian, and the sampling and the number of steps are as the ledger says",
}
"""What the Gaussian trade-off of an audit takes for granted."""


def premise(statement: PrivacyStatement) -> str:
    """What the audited epsilon takes for granted; "" where nothing.

    The trade-off of Gaussian noise is among an audit's routes where all that was played is Gaussian, and
    among those of canaries where there is noise at all. Which route the number is of, a statement does not
    say: with the premise it holds in any case.
    """
    told = PREMISES.get(statement.adversary or Adversary.UNKNOWN, "")
    if not statement.epsilon_audited or not told or not statement.ledger:
        return ""
    held = [one for one, _ in flatten(Ledger(statement.ledger).event())]
    if statement.adversary is Adversary.CANARIES:
        return "" if all(isinstance(one, NonPrivate) for one in held) else told
    return told if all(isinstance(one, Gaussian) for one in held) else ""


def trains_in_public(public: Sequence[str]) -> bool:
    """Whether among what a statement takes to be `public` is who trains: then its epsilon hides nobody's part
    in training, but their record alone."""
    return any(one.startswith(WHO_TRAINS) for one in public)


class Said(StrEnum):
    """What a line of `lines` speaks of, for those who show some of them elsewhere."""

    TERMS = "terms"
    GAP = "gap"
    FAULT = "fault"
    NUMBER = "number"
    LEDGER = "ledger"


def lines(statement: PrivacyStatement) -> Iterator[tuple[Said, str]]:
    """The statement in plain sentences without any markup, and what each speaks of."""
    record = statement.neighbours is Neighbours.NODE_RECORD
    yield Said.TERMS, f"Protected: {_RECORD if record else _UNITS[statement.unit]}."
    for fault in statement.known_faults:
        yield Said.FAULT, f"{FAULT}: {fault}"
    yield Said.TERMS, f"Neighbouring relation: {statement.relation}."
    yield Said.TERMS, f"Released: {statement.released}."
    if statement.public:
        yield Said.TERMS, f"Taken to be public: {'; '.join(statement.public)}."
    yield from ((Said.NUMBER, text) for text in _numbers(statement))
    if statement.data_dependent:
        yield Said.TERMS, "This epsilon was computed from the private data and is itself not private."
    for holder, epsilon in statement.per_holder:
        yield Said.TERMS, f"For {holder}: epsilon {_upper(epsilon)}."
    for assumption in statement.assumptions:
        yield Said.TERMS, f"Assumed: {assumption}."
    for entry in statement.ledger:
        yield Said.LEDGER, _entry_text(entry)
    for gap in statement.gaps:
        yield (
            Said.GAP,
            f"Gap ({gap.evidence}): {gap.title}. Claimed: {gap.claim}. It fails because {gap.fails}. "
            f"What holds: {gap.holds}. Size: {gap.size}. Source: {gap.source}.",
        )


def _numbers(statement: PrivacyStatement) -> Iterator[str]:
    """The three epsilons."""
    if math.isinf(statement.epsilon):
        yield "Sound epsilon: infinite. Nothing is guaranteed."
    else:
        yield (
            f"Sound epsilon: {_upper(statement.epsilon)} at delta {statement.delta:g} "
            f"({statement.delta_rule}), by {statement.accountant}."
        )
    if statement.epsilon_as_published is None:
        yield "Epsilon as published: no paper gives a formula for it."
    else:
        by = f", by {statement.accountant_as_published}" if statement.accountant_as_published else ""
        said = _number(statement.epsilon_as_published)
        yield f"Epsilon as published, for comparison with the paper's tables: {said}{by}."
    if statement.epsilon_audited is None:
        yield "Epsilon audited: none; no attack or audit has shown a lower bound."
    else:
        sure = "" if statement.audit_confidence is None else f" with confidence {statement.audit_confidence:g}"
        told = f", {taken}" if (taken := premise(statement)) else ""
        shown = _lower(statement.epsilon_audited)
        yield f"Epsilon audited: an attack has shown at least {shown}{sure}{told}."
        published = statement.epsilon_as_published
        if published is not None and statement.epsilon_audited > published:
            yield (
                f"An attack refutes the published epsilon{told}: at least {shown} was shown, {_number(published)} "
                "published."
            )
        yield f"Attacked: {attacked(statement.adversary)}."


def statement_text(statement: PrivacyStatement) -> str:
    """Write a statement in plain sentences, one a line, without any markup.

    Args:
        statement: The statement of a plan, or of a run.

    Returns:
        What is protected, released and assumed, the three epsilons, the ledger, and the gaps of published
        analyses.

    Raises:
        OptionError: `statement` is none.
    """
    if not isinstance(statement, PrivacyStatement):
        raise OptionError(f"statement must be that of a plan or a run, such as plan.statement (got {short(statement)})")
    return "\n".join(text for _, text in lines(statement))


def _entry_text(entry: LedgerEntry) -> str:
    times = "once" if entry.count == 1 else f"{entry.count:,} times"
    text = f"Ledger: {entry.mechanism}, {entry.stage}, {times}"
    if entry.noise_std is not None:
        text += f", noise of standard deviation {entry.noise_std:.6g}"
    if entry.sensitivity is not None:
        text += f" for {entry.norm} sensitivity {entry.sensitivity:.6g}"
    if entry.sampling_rate is not None:
        text += f", sampling rate {entry.sampling_rate:.6g}"
    return text + (f" ({entry.note})." if entry.note else ".")


def _number(value: float) -> str:
    return "infinity" if math.isinf(value) else f"{value:.4g}"


def _upper(value: float) -> str:
    """Four digits, rounded up: a guarantee is never said to be better than it is.

    >>> _upper(1.94841), _upper(2.0), _upper(0.0)
    ('1.949', '2', '0')
    """
    return _rounded(value, ROUND_CEILING)


def _lower(value: float) -> str:
    """Three digits, as wherever it is told, rounded down: an attack is never said to have shown more than it
    did."""
    return _rounded(value, ROUND_FLOOR, 3)


def _rounded(value: float, rounding: str, digits: int = 4) -> str:
    if math.isinf(value) or value == 0:
        return _number(value)
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal_from_float(value)):g}"
