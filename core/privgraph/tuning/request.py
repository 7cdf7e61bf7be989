"""What is asked of a tuning, checked, and what it will cost, before anything is trained. No torch."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from privgraph.data.facts import Query, describe, sizes
from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, Scalar, short
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Composed
from privgraph.privacy.kinds import NEIGHBOURS
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.rounding import upper
from privgraph.privacy.selection import Fixed, Law, Price, make_law, price, search_price
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import method
from privgraph.runs.spec import RunSpec
from privgraph.runs.sweep import sweep
from privgraph.runs.trials import Terms
from privgraph.tuning.sampling import check_sampler, library
from privgraph.tuning.scores import Score, score_of

SCORE_NOISE = 10.0
"""Standard deviation of the noise on a number of validation nodes, where a score takes noise."""
MOST_SETTINGS = 500
"""Combinations of values that are chosen among."""
MOST_STEPS = 8
_PRIVACY = ("unit", "epsilon", "delta", "accounting")
_LOWEST = 0.01
_NEAR = 0.98


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What both kinds of tuning have in common.

    Args:
        base: The run that gives everything else.
        score_noise: Standard deviation of the noise on the number of right validation nodes, where labels are
            private.
    """

    base: RunSpec
    score_noise: float = SCORE_NOISE

    def _check_noise(self) -> None:
        if not 0 <= self.score_noise < 1e9:
            raise OptionError(f"score_noise must be a number of nodes, 0 or more (got {short(self.score_noise)})")

    @cached_property
    def _sizes(self) -> tuple[PublicFacts, int]:
        """Sizes of the graph, and the number of its validation nodes."""
        spec = self.base
        found = describe(Query(name=spec.dataset, split=spec.split, split_seed=spec.seed, options=spec.data_options))
        if found.get("task", "node classification") != "node classification" or "val" not in found["split"]:
            raise OptionError(f"{spec.dataset} has no validation nodes to compare trials by")
        return sizes(found), found["split"]["val"]

    @property
    def nodes(self) -> int:
        """How many validation nodes trials are compared by."""
        return self._sizes[1]

    def at(self, spec: RunSpec, epsilon: float) -> RunSpec:
        """That run at another epsilon."""
        return replace(spec, options={**spec.options, "epsilon": epsilon})

    @cached_property
    def score(self) -> Score:
        """How trials are compared. Raises `OptionError` where no price covers that."""
        return self._judged(self.base)[0]

    def _judged(self, spec: RunSpec) -> tuple[Score, PrivacyStatement]:
        facts, nodes = self._sizes
        statement = spec.config().plan(facts).statement
        return score_of(spec, statement, nodes, self.score_noise), statement

    def event(self, spec: RunSpec) -> Composed:
        """What a trial of that spec is, its score included. Raises `OptionError`."""
        return self._judged(spec)[0].event(Ledger(spec.config().plan(self._sizes[0]).entries))


@dataclass(frozen=True, kw_only=True)
class Choice(_Asked):
    """Choose options: the best of trials, for `epsilon` in all.

    Args:
        over: The values of each option that is chosen.
        law: Of the number of trials.
        epsilon: What the whole tuning may cost.
        sampler: One of `sampling.SAMPLERS`.

    Raises:
        OptionError: An option or a value is none of the method's, or the sampler does not go with the law.
    """

    over: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    law: Law
    epsilon: float
    sampler: str = "random"

    def __post_init__(self) -> None:
        self._check_noise()
        check_sampler(self.sampler, self.law)
        library()
        if not _LOWEST <= self.epsilon <= 1000:
            raise OptionError(f"epsilon must lie between {_LOWEST:g} and 1000 (got {short(self.epsilon)})")
        if not self.over:
            raise OptionError("say what to choose (over), such as learning_rate among 0.01 and 0.1")
        fixed = [name for name in self.over if name in _PRIVACY]
        if fixed:
            raise OptionError(f"a tuning chooses no {fixed[0]}: what is protected, and at which epsilon, is asked for")
        for name, values in self.over.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise OptionError(f"over[{name!r}] must be a list of values, such as [1, 2] (got {short(values)})")
        settings = math.prod(len(values) for values in self.over.values())
        if settings > MOST_SETTINGS:
            raise OptionError(f"a tuning chooses among {MOST_SETTINGS} combinations at most (got {settings:,})")
        parsed: dict[str, list[Scalar]] = {name: [] for name in self.over}
        for spec in sweep(self.base, self.over):  # values as the options read them, "0.1" and 0.1 once
            for name, known in parsed.items():
                if spec.options[name] not in known:
                    known.append(spec.options[name])
        object.__setattr__(self, "over", parsed)
        object.__setattr__(self, "base", self.at(self.base, self.epsilon))

    @property
    def settings(self) -> list[RunSpec]:
        """All combinations."""
        return sweep(self.base, self.over)

    @property
    def text(self) -> str:
        """The whole request as one line: equal requests are one tuning."""
        record = {"over": self.over, "law": repr(self.law), "epsilon": self.epsilon, "sampler": self.sampler}
        return _line(self, "choice", record)

    def events(self, epsilon: float) -> list[Composed]:
        """What a trial may be, each trial alone calibrated to `epsilon`."""
        return list(dict.fromkeys(self.event(self.at(spec, epsilon)) for spec in self.settings))

    def terms(self) -> Terms:
        """What the tuning will promise: the largest epsilon of a trial with which all costs what was asked,
        at most.

        Raises `OptionError` where there is none, or no price.
        """
        delta = self._delta()
        alone, cost = self._calibrated(self._representatives(), delta)
        known = price(self.events(alone), self.law, delta)
        if known.epsilon > self.epsilon:  # an option moves the noise that the method did not say
            alone, cost = self._calibrated(self.settings, delta)
        else:
            cost = known
        return Terms(
            epsilon=cost.epsilon,
            delta=delta,
            accountant=cost.accountant,
            composed=isinstance(self.law, Fixed),
            law=str(self.law),
            sampler=self.sampler,
            trial_epsilon=alone,
            score=self.score.words,
            score_noise=self.score.noise,
        )

    def _delta(self) -> float:
        """Of all trials. A price is one of trials that are scored alike and promise of the same neighbouring
        datasets: the largest event of several relations bounds nothing under any of them."""
        judged = [self._judged(spec) for spec in self.settings]
        deltas = {said.delta for _, said in judged}
        if len(deltas) != 1:
            raise OptionError("the options change delta: give one delta for all trials")
        kinds = list(dict.fromkeys(NEIGHBOURS[said.neighbours] for _, said in judged))
        if len(kinds) != 1:
            raise OptionError(
                f"the options change which datasets are neighbours ({kinds[0]}, or {kinds[1]}), and no price covers "
                "both: tune them apart"
            )
        if len({score for score, _ in judged}) != 1:
            raise OptionError("the options change how a trial may be scored, and no price covers both: tune them apart")
        return deltas.pop()

    def _representatives(self) -> list[RunSpec]:
        """One setting for each that the method says has a price of its own."""
        found: dict[tuple[Scalar | None, ...], RunSpec] = {}
        for spec in self.settings:
            found.setdefault(tuple(spec.options.get(name) for name in spec.config().price.options), spec)
        return list(found.values())

    def _calibrated(self, settings: Sequence[RunSpec], delta: float) -> tuple[float, Price]:
        """Epsilon of a trial alone, and the price of all, which is at most what was asked for.

        What is returned has itself been priced.
        """

        def cost(epsilon: float) -> Price:
            return price([self.event(self.at(spec, epsilon)) for spec in settings], self.law, delta)

        good, bad, guess, paid = 0.0, self.epsilon, self.epsilon / 3, None
        for _ in range(30):
            guess = _down(guess)
            if guess < _LOWEST or bad - good < 1e-3 * bad:
                break
            found = cost(guess)
            if found.epsilon <= self.epsilon:
                good, paid = guess, found
                if found.epsilon >= _NEAR * self.epsilon:
                    break
            else:
                bad = guess
            guess *= 0.995 * self.epsilon / found.epsilon if math.isfinite(found.epsilon) else 0.5
            if not good < guess < bad:
                guess = math.sqrt(good * bad) if good else bad / 2
        if paid is None:
            at_least = cost(_LOWEST).epsilon
            if math.isinf(at_least):
                raise OptionError(
                    f"no accountant here can price a choice among trials of {method(self.base.method).title} by "
                    f"{self.law}, however small their epsilon: take another method, or another law"
                )
            raise OptionError(
                f"epsilon {self.epsilon:g} is too little for {self.law}: with trials of epsilon {_LOWEST:g}, the least "
                f"there is, all costs {upper(at_least)}; ask for fewer trials, or less noise-hungry scores"
            )
        return good, paid


@dataclass(frozen=True, kw_only=True)
class Search(_Asked):
    """Find the smallest epsilon at which a method reaches an accuracy, by bisection.

    Args:
        accuracy: The score that is wished for, in (0, 1).
        lowest: The smallest epsilon that is searched.
        highest: The largest one.
        steps: Trials at most: 2^steps - 1 epsilons at even ratios are searched.
    """

    accuracy: float
    lowest: float = 0.1
    highest: float = 10.0
    steps: int = 4

    def __post_init__(self) -> None:
        self._check_noise()
        if not 0 < self.accuracy < 1:
            raise OptionError(f"accuracy must lie between 0 and 1 (got {short(self.accuracy)})")
        if not _LOWEST <= self.lowest < self.highest <= 1000:
            raise OptionError(f"the epsilons searched must be {_LOWEST:g} or more, the lowest below the highest")
        if not 2 <= self.steps <= MOST_STEPS:
            raise OptionError(f"steps must lie between 2 and {MOST_STEPS} (got {short(self.steps)})")
        object.__setattr__(self, "base", self.at(self.base, self.highest))

    @property
    def text(self) -> str:
        """The whole request as one line: equal requests are one tuning."""
        record = {"accuracy": self.accuracy, "lowest": self.lowest, "highest": self.highest, "steps": self.steps}
        return _line(self, "search", record)

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons that are searched, in order."""
        last = 2**self.steps - 2
        ratio = self.highest / self.lowest
        return (*(_down(self.lowest * ratio ** (place / last)) for place in range(last)), self.highest)

    def events(self) -> list[Composed]:
        """What a trial of each epsilon is."""
        return [self.event(self.at(self.base, epsilon)) for epsilon in self.epsilons]

    def terms(self) -> Terms:
        """What the search will promise, whatever it finds. Raises `OptionError` where there is no price."""
        delta = self._judged(self.base)[1].delta
        cost = search_price(self.events(), delta)
        if math.isinf(cost.epsilon):
            raise OptionError("this search has no finite price")
        return Terms(
            epsilon=cost.epsilon,
            delta=delta,
            accountant=cost.accountant,
            composed=True,
            law=f"a bisection of at most {self.steps} trials over epsilons from {self.lowest:g} to {self.highest:g}, "
            f"until {self.accuracy:g} is reached; all of them paid for",
            sampler="bisection",
            trial_epsilon=0.0,
            score=self.score.words,
            score_noise=self.score.noise,
        )


Request = Choice | Search


def make_request(
    base: RunSpec,
    *,
    over: Mapping[str, Sequence[object]] | None = None,
    epsilon: float | None = None,
    trials: float = 20,
    law: str = "geometric",
    shape: float = 1.0,
    sampler: str = "random",
    accuracy: float | None = None,
    lowest: float = 0.1,
    highest: float = 10.0,
    steps: int = 4,
    score_noise: float = SCORE_NOISE,
) -> Request:
    """A request from what people give; the arguments are those of `privgraph.tune`. Raises `OptionError`."""
    if over is not None and not isinstance(over, Mapping):
        raise OptionError(f'over must give the values of each option, such as {{"depth": [1, 2]}} (got {short(over)})')
    numbers = {"trials": trials, "shape": shape, "lowest": lowest, "highest": highest, "score_noise": score_noise}
    numbers |= {name: value for name, value in (("epsilon", epsilon), ("accuracy", accuracy)) if value is not None}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise OptionError(f"{name} must be a number (got {short(value)})")
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise OptionError(f"steps must be a whole number (got {short(steps)})")
    if accuracy is not None:
        if over or epsilon is not None:
            raise OptionError(
                "a search for an accuracy looks for the epsilon, with options as they are: leave out over and epsilon"
            )
        return Search(
            base=base, accuracy=accuracy, lowest=lowest, highest=highest, steps=steps, score_noise=score_noise
        )
    if epsilon is None:
        raise OptionError("say what the whole tuning may cost (epsilon), or which accuracy is wished for (accuracy)")
    return Choice(
        base=base,
        over=dict(over or {}),  # type: ignore[arg-type]  # values are read as the options say
        law=make_law(law, trials, shape),
        epsilon=float(epsilon),
        sampler=sampler,
        score_noise=float(score_noise),
    )


def covers(events: Sequence[Composed], run: Composed) -> bool:
    """Whether a run is one of the trials that were priced: mechanism for mechanism, in whatever order."""
    return dict(flatten(run)) in [dict(flatten(one)) for one in events]


def _line(asked: _Asked, kind: str, record: Mapping[str, Any]) -> str:
    whole = {"kind": kind, "base": asked.base.to_json(), "score_noise": asked.score_noise, **record}
    return json.dumps(whole, sort_keys=True, separators=(",", ":"))


def _down(value: float) -> float:
    """The value with four digits, rounded down."""
    if value <= 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 3)
    return float(f"{math.floor(value / unit * (1 + 1e-12)) * unit:.4g}")
