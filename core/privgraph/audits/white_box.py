"""White-box audit: the run's method trains once more on the run's data, with canaries among the gradients.

Xiang et al., Preserving Node-level Privacy in Graph Neural Networks, S&P 2024, Algorithm 5, after Nasr et
al., Tight Auditing of Differentially Private Machine Learning, USENIX Security 2023; with many canaries in
one training, and the bound of Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run,
NeurIPS 2023.

The adversary is the one that the guarantee is proved against: it sees every noisy sum before it is scaled,
and knows what all others have added to it. It does not know the noise, nor who was drawn, nor which canaries
are in.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privgraph.audits.bounds import least_shift, shared_confidence, shared_notes, threshold_bound
from privgraph.audits.canaries import Array, Shifts, shifts_of
from privgraph.audits.one_run import one_run_epsilon
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord, Bound
from privgraph.audits.roc import picture
from privgraph.home import home
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.methods.keys import run_keys
from privgraph.methods.training import Context, train_one
from privgraph.options import OptionError
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.kinds import OF_GRADIENTS, Route
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.progress import Progress
from privgraph.registry import audit as audit_spec
from privgraph.registry import method
from privgraph.streams import Secret, noise_key, stream

SCORE = (
    "sum over all steps of the log-likelihood ratio of a canary's coordinate, at the scale of noise "
    "that the other coordinates show"
)
_SMALLEST_SCALE = 1e-9
_SMALLEST_SHIFT = 1e-3
"""In standard deviations: less shows nothing that an accountant could resolve."""
_FEWEST = 4
"""Observations in each dataset that a bound needs."""
_BLOCKS = 400
"""Blocks that a Gaussian bound would rather have than longer ones."""


class Miscounted(Exception):
    """More or fewer sums were released than the ledger counts; the message is one sentence."""


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Observations of the Gaussian route: `steps` steps in each of which a canary's draw was one of `shift`
    clips.

    By a shift between the datasets: what it does if it is in, less what it would do if it were out.
    """

    shift: float
    steps: int

    @staticmethod
    def of(law: Shifts, noise: float, steps: int, canaries: int) -> Blocks:
        """The shift that tells most in `steps` steps with `noise` clips of noise, and blocks two deviations
        long, if they fit.

        Where the noise is less or more than that, blocks are longer or shorter than would be best, and as
        valid.
        """
        present, absent, chances = law.table
        shifts = present - absent
        shift = float(shifts[np.argmax(chances * shifts**2)])
        often = float(chances[shifts == shift].sum()) * steps
        fitting = int(min(often, often * canaries / _BLOCKS))
        return Blocks(shift=shift, steps=max(1, min(fitting, math.ceil((2 * noise / shift) ** 2))))

    def noise(self, mu: float) -> float:
        """The noise of a step, in clips, where a block is `mu` deviations long; infinite where it is none."""
        return self.shift * math.sqrt(self.steps) / mu if mu > _SMALLEST_SHIFT else math.inf


class Canaries:
    """An `Observer` with canaries, each of which is in for the whole run or not at all, by a fair coin.

    In a step with P coordinates, canary i < P/2 has a coordinate of its own; where there are more canaries
    than that, the rest stay out of the step, and their scores as they were. What all others add is subtracted
    again from what is released, so that a canary's coordinate holds its own doing and noise.

    `blocks`: the observations of the Gaussian route, which tell how much noise there is, and nothing of the
    draws.
    """

    def __init__(self, shifts: Shifts, count: int, seed: int, blocks: Blocks) -> None:
        self.included = stream(seed, "attack/canaries/included").random(count) < 0.5
        self.scores: Array = np.zeros(count)
        self.placed, self.steps, self.clip = 0, 0, math.nan
        self.loudness = 0.0
        self.shifts, self._seed = shifts, seed
        self._coins = Secret(b"the key of audits", seed, "attack/canaries/draws")
        self._places: dict[int, Tensor] = {}
        self.blocks = blocks
        self._observed: tuple[list[Array], list[Array]] = ([np.zeros(0)], [np.zeros(0)])
        self._sums, self._counts = np.zeros(count), np.zeros(count, dtype=np.int64)
        self._with = self._without = np.zeros(count)
        self._clean = torch.zeros(0)

    def join(self, total: Tensor, clip: float) -> None:
        """See `Observer`."""
        places = self._placed_on(total)
        self.clip = clip
        self._with, self._without = self.shifts.draw(self._drawn)
        self._clean = total.clone()
        added = np.where(self.included, self._with, self._without)[: places.numel()] * clip
        total[places] += torch.from_numpy(added).to(total)

    def see(self, released: Tensor) -> None:
        """See `Observer`."""
        places = self._placed_on(released)
        noise = (released - self._clean).double() / self.clip
        x = noise[places].cpu().numpy()
        rest = float(noise.square().sum()) - float(np.square(x).sum())
        scale = max(math.sqrt(max(rest, 0.0) / (noise.numel() - x.size)), _SMALLEST_SCALE)
        self.scores[: x.size] += self.shifts.log_ratio(x, scale)
        here, without = self.included[: x.size], self._without[: x.size]
        shift = self._with[: x.size] - without
        self._observe(x - without, shift, here)
        self.loudness += math.sqrt(float(np.square(np.where(here, shift, 0) + without).sum()) / noise.numel()) / scale
        self.placed, self.steps = max(self.placed, x.size), self.steps + 1

    def observations(self) -> tuple[Array, Array]:
        """Means over whole blocks of the canaries that were in, and of those that were out."""
        present, absent = (np.concatenate(observed) for observed in self._observed)
        return present, absent

    def _observe(self, x: Array, shift: Array, here: NDArray[np.bool_]) -> None:
        drawn = np.flatnonzero(shift == self.blocks.shift)
        self._sums[drawn] += x[drawn]
        self._counts[drawn] += 1
        full = drawn[self._counts[drawn] == self.blocks.steps]
        for observed, dataset in zip(self._observed, (here, ~here), strict=True):
            observed.append(self._sums[full[dataset[full]]] / self.blocks.steps)
        self._sums[full], self._counts[full] = 0.0, 0

    def _drawn(self, rate: float) -> NDArray[np.bool_]:
        drawn = np.zeros(self.scores.size, dtype=np.bool_)
        drawn[poisson_batch(self.scores.size, rate, self._coins).numpy()] = True
        return drawn

    def _placed_on(self, total: Tensor) -> Tensor:
        """Coordinates of the canaries in a gradient of that size, the same in every step."""
        size = total.numel()
        if size not in self._places:
            chosen = stream(self._seed, f"attack/canaries/places/{size}").permutation(size)
            self._places[size] = torch.from_numpy(chosen[: min(self.scores.size, size // 2)]).to(total.device)
        return self._places[size]


def audit(subject: Subject, options: AuditOptions) -> Iterator[Progress | AuditRecord]:
    """Train with canaries, then bound epsilon. Raises `OptionError` where the run's gradients have no canary.

    Unit: one canary stands for one protected unit. Where the ledger says that the noise is Gaussian, the
    bound is that of Nasr et al. 2023: what a single step shows, composed as the ledger says
    (`Shifts.least_epsilon`). It rests on noise that is fresh in every step, and on the ledger's sampling and
    number of steps. Elsewhere it is that of one run, which rests on none of these, and shows less. Which of
    the two is fixed before anything is seen.
    """
    started = time.monotonic()
    entries = [entry for entry in subject.statement.ledger if entry.kind in OF_GRADIENTS]
    shifts, clips = {shifts_of(entry) for entry in entries}, {entry.worst.clip for entry in entries}
    clip = next(iter(clips), None)
    if len(shifts) != 1 or len(clips) != 1 or clip is None:
        raise OptionError(f"canaries need private gradients of one kind and one clip (got {len(shifts)})")
    law, steps = shifts.pop(), sum(entry.count for entry in entries)
    noise = (entries[0].noise_std or 0.0) / clip
    canaries = Canaries(law, options.canaries, options.seed, Blocks.of(law, noise, steps, options.canaries))
    ledger = Ledger()
    graph = subject.graph()
    # noise of its own, as secret as a run's: it trains on the run's private data
    (key,) = run_keys(
        noise_key(home()), [f"audit/{subject.run}/{subject.turn}/{options}"], [graph], torch.device(subject.device).type
    )
    context = Context(
        seed=subject.seed,
        noise_key=key.noise,
        device=torch.device(subject.device),
        ledger=ledger,
        observer=canaries,
    )
    for event in train_one(method(subject.method).load_train(), subject.config, graph, context):
        if isinstance(event, Progress):
            yield replace(event, stage=f"with canaries: {event.stage}")
    counted = sum(entry.count for entry in ledger.entries if entry.kind in OF_GRADIENTS)
    if not counted == canaries.steps == steps:
        raise Miscounted(
            f"the statement counts {steps} noisy gradients, the ledger {counted}, and {canaries.steps} were released"
        )
    yield _record(subject, options, entries, canaries, started)


def _record(
    subject: Subject, options: AuditOptions, entries: list[LedgerEntry], canaries: Canaries, started: float
) -> AuditRecord:
    delta, placed = options.at(subject.statement), canaries.placed
    scores, included = canaries.scores[:placed], canaries.included[:placed]
    if not min(included.sum(), (~included).sum()) >= _FEWEST:
        raise OptionError(f"{placed} canaries are too few: choose more, or a wider network")
    bounds, confidence = [], shared_confidence(options.confidence, subject.turn)
    if not any(isinstance(entry.event, NonPrivate) for entry in entries):
        bounds += _gaussian(canaries, delta, confidence)
        bounds.append(_threshold(scores, included, delta, confidence))
    shown = one_run_epsilon(scores, included, delta, confidence)
    detail = f"{placed} canaries, {int(included.sum())} of them in; rests on no assumption about the noise"
    bounds.append(Bound(route=Route.ONE_RUN, epsilon=shown, detail=detail))
    seen = picture(scores[included], scores[~included])
    return AuditRecord(
        run=subject.run,
        audit="white-box",
        adversary=audit_spec("white-box").adversary,
        title=audit_spec("white-box").title,
        covers="run",
        delta=delta,
        confidence=options.confidence,
        epsilon=bounds[0].epsilon,
        bounds=tuple(bounds),
        sound=tight().epsilon(Ledger(entries).event(), delta),
        # a claim at a delta holds at every larger one
        published=subject.statement.epsilon_as_published if delta >= subject.statement.delta else None,
        trials=placed,
        seconds=time.monotonic() - started,
        seed=options.seed,
        score=SCORE,
        edges=seen.edges,
        scores_with=seen.scores_with,
        scores_without=seen.scores_without,
        roc_false=seen.roc_false,
        roc_true=seen.roc_true,
        area=seen.area,
        notes=(*_notes(subject, options, entries, canaries), *shared_notes(options.confidence, subject.turn)),
        turn=subject.turn,
    )


def _gaussian(canaries: Canaries, delta: float, confidence: float) -> list[Bound]:
    """The most noise that blocks of steps admit, composed; nothing where there are too few of them.

    Coordinates of one step and of different steps have noise of their own: the mean of n of them is Gaussian
    with a deviation of noise / sqrt(n), in which `least_shift` bounds the shift from below.
    """
    present, absent = canaries.observations()
    if min(present.size, absent.size) < _FEWEST:
        return []
    noise = canaries.blocks.noise(least_shift(present, absent, confidence=confidence))
    shown = canaries.shifts.least_epsilon(noise, canaries.steps, delta) if math.isfinite(noise) else 0.0
    most = f"at most {noise:.4g} clips" if math.isfinite(noise) else "as large as you like"
    detail = (
        f"the noise of a step is {most}, by {present.size + absent.size:,} observations; rests on fresh "
        "Gaussian noise in every step, and on the ledger's sampling and number of steps"
    )
    return [Bound(route=Route.GAUSSIAN, epsilon=shown, detail=detail)]


def _threshold(scores: Array, included: NDArray[np.bool_], delta: float, confidence: float) -> Bound:
    """Every canary's whole run as a trial of its own."""
    shown = threshold_bound(scores[included], scores[~included], delta=delta, confidence=confidence)
    detail = "every canary is a trial: rests on noise of its own in every coordinate"
    return Bound(route=Route.THRESHOLD, epsilon=shown.epsilon, detail=detail)


STANDS_FOR = {"node": "node", "edge": "relation"}
"""What one gradient is of, by the unit that is protected."""


def _notes(subject: Subject, options: AuditOptions, entries: list[LedgerEntry], canaries: Canaries) -> tuple[str, ...]:
    notes = [
        f"each canary stands for one {STANDS_FOR[subject.statement.unit]}, whose gradients are the worst that the "
        "proof allows, along a coordinate of their own; it is drawn at the claimed rate, by the sampler that the run "
        "uses",
        f"the canaries change the training: in a step they add {canaries.loudness / canaries.steps:.0%} of "
        "the norm of the noise, on average",
    ]
    if canaries.placed < options.canaries:
        notes.append(
            f"{canaries.placed} canaries and not {options.canaries}: each needs a weight of its own, and as "
            "many are left to see the noise"
        )
    others = [entry.mechanism for entry in subject.statement.ledger if entry not in entries]
    if others:
        notes.append(
            "the run's gradients alone are attacked, and the sound epsilon beside this bound is theirs; "
            f"{others[0]} can only add to it"
        )
    return tuple(notes)
