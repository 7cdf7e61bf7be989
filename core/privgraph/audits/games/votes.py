"""Votes, posteriors and gates, played by `mechanisms.noisy_max` and by the methods' own counting and
coins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from scipy.special import log_expit, log_ndtr

from privgraph.audits.games.base import Array, Dice, Law, log_ratio, once
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, NoisyPosterior, NoisyVotes
from privgraph.methods.prompts.dp_gpl.querying import histogram
from privgraph.methods.teachers.privgnn.sampling import coins
from privgraph.methods.teachers.privgnn.table import class_sums
from privgraph.methods.teachers.privgnn.votes import PublicEncoder, count_votes, weights
from privgraph.papers.privgnn import argmax_atoms
from privgraph.streams import Secret

LOUD = 100.0
"""Length of an embedding that ought to have norm 1 at most."""
FAR = 60.0
"""How small the logarithm of a probability may be."""
CLASSES = 9
"""Of a histogram that is released whole: the first two are the unit's, the others show the noise."""
WIDTH = 6
"""Dimensions of a table of class sums."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Who is asked: a fresh Poisson sample for each answer, or one for all answers of a trial."""

    rate: float = 1.0
    at_once: bool = False

    def draw(self, trials: int, secret: Secret, known: np.ndarray | None) -> np.ndarray:
        """(trials,) bool: where the unit is in the sample."""
        if self.at_once and known is not None:
            return known
        return np.asarray(coins(trials, 1, self.rate, secret)[:, 0])

    @property
    def inner_rate(self) -> float:
        """The rate that a single answer's likelihood has to know of."""
        return 1.0 if self.at_once else self.rate

    def outer(self, scores: Array) -> Array:
        """Likelihoods of whole trials from those of their answers."""
        if self.at_once:
            scores[:, :2] = once(self.rate, scores[:, :2])
        return scores


@dataclass(frozen=True, kw_only=True)
class VotesGame:
    """PrivGNN's weighted votes: a node much alike (or unlike) every query votes in class 0; all noisy votes
    go out."""

    std: float
    sample: Sample

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        tossed, noise = dice.secret("sampling"), dice.secret("noise")
        mechanism = NoisyVotes(std=self.std)
        queries, members = np.full((trials, 1), LOUD), int(present)
        rate = self.sample.inner_rate
        laws = Law.of([(0.0, 1 - rate), (1.0, rate)]), Law.of([(0.0, 1.0)])
        scores, before, sampled = np.zeros((trials, 3)), None, None
        for step in range(count):
            turn = 1.0 if step % 2 == 0 else -1.0
            sampled = self.sample.draw(trials, tossed, sampled)
            weighted = weights(queries, np.full((members, 1), turn * LOUD)) * sampled[:, None]
            votes = count_votes(weighted, np.zeros(members, dtype=np.int64), CLASSES)
            released = mechanism.noisy(votes, noise)
            seen = turn * released[:, 0]
            scale = np.sqrt(np.square(released[:, 1:]).mean(1)) + 1e-12
            scores[:, 0] += log_ratio(seen, *laws, self.std)
            scores[:, 1] += log_ratio(seen, *laws, scale)
            if before is not None:
                scores[:, 2] += np.square(released[:, 0] - before)
            before = released[:, 0]
        return self.sample.outer(scores)


@dataclass(frozen=True, kw_only=True)
class TableGame:
    """PrivGNN's table: a node adds its vector to the column of class 0; the other columns show the noise.

    The node's features are far too loud, along a direction that turns round in every second release; the
    encoder weighs each feature by 1. Whoever else is in the table is known, and is left out of both datasets.
    """

    std: float

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        noise = dice.secret("noise")
        mechanism = NoisyVotes(std=self.std)
        encoder = PublicEncoder(np.arange(WIDTH), np.zeros(WIDTH), np.eye(WIDTH))
        scores, before = np.zeros((trials, 3)), None
        for step in range(count):
            turn = 1.0 if step % 2 == 0 else -1.0
            loud = torch.full((1, WIDTH), turn * LOUD)
            direction = np.full(WIDTH, turn / math.sqrt(WIDTH))
            table = class_sums(encoder.private(loud[: int(present)]), np.zeros(int(present), dtype=np.int64), CLASSES)
            released = mechanism.noisy(np.broadcast_to(table, (trials, WIDTH, CLASSES)), noise)
            along = released[:, :, 0] @ direction
            others = np.square(released[:, :, 1:]).mean((1, 2)) + 1e-12
            # the log-likelihood ratio of N(1, std^2) against N(0, std^2)
            scores[:, 0] += (along - 0.5) / self.std**2
            scores[:, 1] += (along - 0.5) / others
            here = released[:, 0, 0]
            if before is not None:
                scores[:, 2] += np.square(here - before)
            before = here
        return scores


@dataclass(frozen=True, kw_only=True)
class CountsGame:
    """Counts of teachers' votes with Gaussian noise, released whole: one teacher's vote moves between two
    classes."""

    std: float
    weight: float

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        noise = dice.secret("noise")
        mechanism = NoisyMax(kind="gaussian", scale=self.std)
        scores, before = np.zeros((trials, 3)), None
        for step in range(count):
            first = int(present) if step % 2 == 0 else int(not present)
            votes = np.full((1, trials), 1 - first, dtype=np.int64)
            released = mechanism.noisy(histogram(votes, np.array([self.weight]), CLASSES), noise)
            turn = 1.0 if step % 2 == 0 else -1.0
            # twice the weight apart along (1, -1): the log-likelihood ratio of two Gaussians
            along = turn * self.weight * (released[:, 0] - released[:, 1])
            scores[:, 0] += along / self.std**2
            scores[:, 1] += along / (np.square(released[:, 2:]).mean(1) + 1e-12)
            here = released[:, 0] - released[:, 1]
            if before is not None:
                scores[:, 2] += np.square(here - before)
            before = here
        return scores


@dataclass(frozen=True, kw_only=True)
class Both:
    """Two games as often as each other, as a test and an answer are."""

    first: LabelGame
    second: CountsGame | LabelGame

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        one, other = (replace(dice, name=f"{dice.name}/{part}") for part in ("first", "second"))
        return self.first.play(present, trials, count, one) + self.second.play(present, trials, count, other)


@dataclass(frozen=True, kw_only=True)
class LabelGame:
    """Answers with few outcomes: the class of a noisy maximum, or whether a gate is passed.

    `with_unit` and `without` are the noiseless inputs of one answer whose sample holds the unit, and of one
    whose sample does not; `log_laws` the claimed logarithms of their outcomes' chances, all that lie beyond
    the last taken together.
    """

    mechanism: NoisyPosterior | NoisyMax | NoisyGate
    with_unit: Array
    without: Array
    log_laws: tuple[Array, Array] = field(repr=False)
    sample: Sample

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        tossed, noise = dice.secret("sampling"), dice.secret("noise")
        rate = self.sample.inner_rate
        upper, lower = self.log_laws
        ratios = upper - lower
        if rate < 1:
            ratios = np.logaddexp(math.log1p(-rate), math.log(rate) + ratios)
        scores, before, sampled = np.zeros((trials, 3)), None, None
        for _ in range(count):
            sampled = self.sample.draw(trials, tossed, sampled)
            holds = sampled & present
            inputs = np.where(holds[:, None], self.with_unit[None, :], self.without[None, :])
            outcome = self._outcome(inputs, noise)
            scores[:, :2] += ratios[np.minimum(outcome, len(ratios) - 1)][:, None]
            if before is not None:
                scores[:, 2] += outcome != before
            before = outcome
        return self.sample.outer(scores)

    def _outcome(self, inputs: Array, noise: Secret) -> np.ndarray:
        if isinstance(self.mechanism, NoisyGate):
            return self.mechanism.passes(inputs, noise).astype(np.int64)
        return np.asarray(self.mechanism.noisy(inputs, noise).argmax(-1))


def posterior(lam: float, classes: int, sample: Sample) -> LabelGame:
    """PrivGNN's posterior, which is certain of class 0 with the unit and of class 1 without it."""
    atoms = argmax_atoms(lam, classes)
    upper, lower = np.log(np.maximum(atoms.upper, 1e-300)), np.log(np.maximum(atoms.lower, 1e-300))
    unit = np.eye(classes)
    return LabelGame(
        mechanism=NoisyPosterior(lam=lam, classes=classes),
        with_unit=unit[0],
        without=unit[1],
        log_laws=(upper, lower),
        sample=sample,
    )


def log_posterior(lam: float, sample: Sample) -> LabelGame:
    """The same with logarithms of probabilities, which have no bound: `FAR` apart, as a confident network's
    are."""
    return LabelGame(
        mechanism=NoisyPosterior(lam=lam, classes=2),
        with_unit=np.array([0.0, -FAR]),
        without=np.array([-FAR, 0.0]),
        log_laws=_two(math.log1p(-math.exp(-FAR * lam)), -FAR * lam),
        sample=sample,
    )


def maximum(kind: str, scale: float, sample: Sample, weight: float = 1.0) -> LabelGame:
    """Teachers who are all but tied between two classes: the unit's vote, of that weight, decides."""
    return LabelGame(
        mechanism=NoisyMax(kind=kind, scale=scale),
        with_unit=weight * np.array([11.0, 10.0]),
        without=weight * np.array([10.0, 11.0]),
        log_laws=_two(_log_ahead(kind, scale / weight), _log_behind(kind, scale / weight)),
        sample=sample,
    )


def gate(std: float, weight: float, sample: Sample) -> LabelGame:
    """A largest count half a vote above the threshold with the unit, and half a vote below it without."""
    threshold, half = 10 * weight, weight / 2
    return LabelGame(
        mechanism=NoisyGate(std=std, threshold=threshold, weight=weight),
        with_unit=np.array([threshold + half, 0.0]),
        without=np.array([threshold - half, 0.0]),
        log_laws=_two(float(log_ndtr(-half / std)), float(log_ndtr(half / std))),
        sample=sample,
    )


def classes_of(lam: float, upper: float) -> int:
    """How many classes a noisy argmax had whose right class has chance `upper`: that chance falls with each
    class more.

    Raises `ValueError` where no number of classes up to a thousand gives it.
    """
    for classes in range(2, 1001):
        if math.isclose(argmax_atoms(lam, classes).upper[0], upper, rel_tol=1e-9):
            return classes
    raise ValueError(f"no number of classes gives the first of them the chance {upper:g}")


def _two(first: float, second: float) -> tuple[Array, Array]:
    """Logarithms of two outcomes' chances with the unit, and their mirror image without it."""
    return np.array([first, second]), np.array([second, first])


def _log_ahead(kind: str, scale: float) -> float:
    """The log-chance that a count keeps its lead of one over another, both with noise of this kind."""
    if kind == "gaussian":
        return float(log_ndtr(1 / (math.sqrt(2) * scale)))
    if kind == "gumbel":
        return float(log_expit(1 / scale))
    return math.log1p(-math.exp(_log_behind(kind, scale)))


def _log_behind(kind: str, scale: float) -> float:
    """The log-chance that a count loses its lead of one: the difference of two noises is beyond it."""
    if kind == "gaussian":
        return float(log_ndtr(-1 / (math.sqrt(2) * scale)))
    if kind == "gumbel":
        return float(log_expit(-1 / scale))
    gap = 1 / scale
    tail = 1 + gap / 2 if kind == "laplace" else 1.0
    return math.log(tail / 2) - gap
