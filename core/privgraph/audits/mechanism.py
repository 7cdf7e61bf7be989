"""The audit `mechanism`: play all that a run's ledger lists, many times on two neighbouring datasets, and
tell them apart."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from privgraph.audits.bounds import (
    Event,
    Shown,
    gaussian_bound,
    most_by_threshold,
    shared_confidence,
    shared_notes,
    threshold_bound,
)
from privgraph.audits.games import votes
from privgraph.audits.games.aggregation import AggregationGame
from privgraph.audits.games.base import SCORES, Array, Dice
from privgraph.audits.games.subgraphs import StarGame
from privgraph.audits.games.table import Part, parts
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord, Bound
from privgraph.audits.roc import picture
from privgraph.home import home
from privgraph.privacy.accountants import tight
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.ledger import Ledger
from privgraph.progress import Progress
from privgraph.streams import derived_key, noise_key

TITLE = "Mechanisms, played many times"
CHUNKS = 20
"""Pieces of a dataset's trials, after each of which progress is told; more where they would be large."""
AT_LEAST, AT_MOST = 250, 2000
"""Trials of a piece: fewer would not be worth a call, more would keep a stop waiting."""
SLOW = (StarGame, AggregationGame)
"""Games that build a graph in each trial: some milliseconds each, so that their pieces are as small as pieces
get."""


def audit(subject: Subject, options: AuditOptions) -> Iterator[Progress | AuditRecord]:
    """Progress, then the record.

    Unit and relation: those of the run's statement. Every mechanism of the ledger is played as often as it
    stands there, by the code that the run itself called, on a pair of neighbouring datasets that is as bad as
    its sensitivity proof allows. A trial's score is the sum of the log-likelihood ratios of everything
    released in it: the best test where mechanisms are independent given the datasets. So the bound covers the
    run's guarantee, not one release of it. No data of the run are read. Raises `ValueError` where the ledger
    holds what no game plays.
    """
    start = time.perf_counter()
    games, dice = parts(subject), coins(subject, options)
    each = options.trials // 2
    datasets: list[Array] = []
    most = AT_LEAST if any(isinstance(part.game, SLOW) for part in games) else AT_MOST
    chunks = max(1, min(CHUNKS, each // AT_LEAST), each // most)
    done, total = 0, 2 * chunks
    for present in (True, False):
        pieces = []
        for chunk in range(chunks):
            size = each * (chunk + 1) // chunks - each * chunk // chunks
            pieces.append(_played(games, present, size, dice, chunk))
            done += 1
            yield Progress(step=done, total=total, stage="with the unit" if present else "without it")
        datasets.append(np.concatenate(pieces))
    yield _record(subject, options, games, datasets[0], datasets[1], time.perf_counter() - start)


def coins(subject: Subject, options: AuditOptions) -> Dice:
    """By which everything is drawn: the audit's seed, and, where it takes a turn among the run's audits, the
    turn and a key of this machine, so that nobody tries seeds beforehand and then plays the best."""
    if not subject.turn:
        return Dice(seed=options.seed, name="audit")
    key = derived_key(noise_key(home()), "audit/coins", subject.run, str(subject.turn), repr(options))
    return Dice(seed=options.seed, name="audit", key=key)


def _played(games: list[Part], present: bool, trials: int, dice: Dice, chunk: int) -> Array:
    """Scores (trials, 3), summed over all mechanisms."""
    scores = np.zeros((trials, len(SCORES)))
    for number, part in enumerate(games):
        dataset = "with" if present else "without"
        own = replace(dice, name=f"{dice.name}/{dataset}/{number}/{chunk}")
        scores += part.game.play(present, trials, part.count, own)
    return scores


def _played_words(part: Part) -> str:
    """What a trial does with one mechanism, for people."""
    often = "once" if part.count == 1 else f"{part.count:,} times"
    return (
        f"every trial runs one mechanism of the ledger {often}, and its two neighbouring datasets differ "
        f"in this: {part.title}"
    )


def _record(
    subject: Subject, options: AuditOptions, games: list[Part], present: Array, absent: Array, seconds: float
) -> AuditRecord:
    statement = subject.statement
    delta, event = options.at(statement), Ledger(statement.ledger).event()
    own = delta == statement.delta
    # The label of a noisy maximum is post-processing of a Gaussian, and has not its trade-off.
    answers = any(isinstance(part.game, votes.LabelGame | votes.Both) for part in games)
    plain = not answers and all(isinstance(one, Gaussian) for one, _ in flatten(event))
    # Two routes share what may go wrong, so that the larger bound may be believed; one has all of it.
    confidence = shared_confidence(options.confidence, subject.turn)
    confidence = (1 + confidence) / 2 if plain else confidence
    shown = threshold_bound(present, absent, delta=delta, confidence=confidence)
    bounds = [Bound(route=Route.THRESHOLD, epsilon=shown.epsilon, detail=_told(shown))]
    if plain:
        # Of the scores only the first is a Gaussian's.
        other = gaussian_bound(present[:, 0], absent[:, 0], delta=delta, confidence=confidence)
        detail = f"mu at least {other.mu:.3g}, if what is released is Gaussian noise on a fixed shift; {_told(other)}"
        bounds.append(Bound(route=Route.GAUSSIAN, epsilon=other.epsilon, detail=detail))
        bounds.sort(key=lambda bound: -bound.epsilon)
        shown = other if other.epsilon >= shown.epsilon else shown
    drawn = picture(*(_upward(scores, shown.event) for scores in (present, absent)))
    return AuditRecord(
        run=subject.run,
        audit="mechanism",
        adversary=Adversary.WORST_CASE,
        title=TITLE,
        covers="run",
        delta=delta,
        confidence=options.confidence,
        epsilon=bounds[0].epsilon,
        bounds=tuple(bounds),
        sound=statement.epsilon if own else tight().epsilon(event, delta),
        published=statement.epsilon_as_published if own else None,
        trials=2 * len(present),
        seconds=seconds,
        seed=options.seed,
        score=SCORES[shown.event.column],
        edges=drawn.edges,
        scores_with=drawn.scores_with,
        scores_without=drawn.scores_without,
        roc_false=drawn.roc_false,
        roc_true=drawn.roc_true,
        area=drawn.area,
        notes=(
            "the adversary sees what each mechanism of the ledger gives out, before it is post-processed, and "
            "knows everything but whether the protected unit is there",
            *(_played_words(part) for part in games),
            "the mechanisms are the product's own code; the worst case is made for them, and no data of the "
            "run are read",
            "a score, a threshold and an order of the two datasets were chosen on one half of the trials, "
            f"and judged on the other; {len(present) // 2:,} trials on a dataset can show at most epsilon "
            f"{most_by_threshold(len(present), delta=delta, confidence=confidence):.2f} by a threshold",
            *shared_notes(options.confidence, subject.turn),
        ),
        turn=subject.turn,
    )


def _told(shown: Shown) -> str:
    dataset, other = ("with", "without") if shown.event.with_unit else ("without", "with")
    return (
        f"an event of chance at least {shown.likely:.3g} {dataset} the unit, and at most "
        f"{shown.unlikely:.3g} {other} it"
    )


def _upward(scores: Array, event: Event) -> Array:
    """The chosen score, turned so that high values speak for the unit."""
    return scores[:, event.column] * (1.0 if event.above == event.with_unit else -1.0)
