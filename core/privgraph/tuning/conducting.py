"""A tuning from its first trial to the run that is released. No torch.

Everything that chance decides comes from the key of the installation and the id of the tuning, which is
random: how many trials there are, what each tries, and the word that gives it noise of its own. So a tuning
that was interrupted goes on as it was meant, by the same request, and nobody can draw the number of trials
again. That number stands nowhere: whoever watches sees trials that are over, and not how many are to come, so
that nobody stops early by what they came to. Nothing is released before the last one is scored.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import final

from privgraph.home import home
from privgraph.options import OptionError
from privgraph.privacy.events import Composed
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.selection import Fixed, draw
from privgraph.runs.launch import capacity, launch
from privgraph.runs.records import FINISHED, RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.runs.tunings import StoredTrial, Tunings
from privgraph.streams import OPEN_KEY, Secret, derived_key, fingerprint, noise_key
from privgraph.tuning.request import Choice, Request, covers
from privgraph.tuning.sampling import ADAPTIVE, SEEDS, propose
from privgraph.tuning.scores import METRIC, ScoreError

_LOOK_SECONDS = 0.2


class TuningStopped(StoreError):
    """A tuning is not done, and the same request goes on with it; the message is one sentence."""


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """A tuning that is done.

    Args:
        id: Its id.
        terms: What it promised before its first trial: price, delta, law.
        released: The run that is released, with the price in its statement; None where there was no trial, or
            none that reached what was wished for.
        trials: All that was tried, with scores: for who holds the data, and not for release.
    """

    id: str
    terms: Terms
    released: RunRecord | None
    trials: tuple[StoredTrial, ...]


@final
class Tuning:
    """A tuning of a store: begun by its request, or found where the request was made before."""

    def __init__(self, store: RunStore, request: Request) -> None:
        installation = noise_key(home())
        if installation == OPEN_KEY:
            raise OptionError("the noise key of this home is public, so that no choice can be kept secret by it")
        # how many trials there are hangs on the key: another home would draw another number for it
        store.leases.agree(installation)
        self._store, self._request, self._tunings = store, request, Tunings(store)
        known = self._tunings.asked(request.text)
        self.resumed = known is not None
        own = fingerprint(installation)
        if known is not None and not known.done and known.terms.key not in ("", own):
            raise OptionError(
                "this tuning was begun with another noise key, and a new one would draw its trials again: "
                "it can go on with that key alone; asked for otherwise, it is another tuning, with its own price"
            )
        self._tuning = known or self._tunings.begin(
            request.text, replace(request.terms(), key=own), request.base.method
        )
        self._key = derived_key(installation, "tuning", self._tuning.id)
        self._again: set[str] = set()

    @property
    def id(self) -> str:
        """Its id."""
        return self._tuning.id

    @property
    def terms(self) -> Terms:
        """What it promises."""
        return self._tuning.terms

    @property
    def done(self) -> bool:
        """Whether its run was released before."""
        return self._tuning.done

    def conduct(self, watch: Callable[[int, Sequence[RunRecord]], None] | None = None) -> Tuned:
        """Run what is left of it, and release its run.

        Args:
            watch: Told at each look how many trials are over, and the runs that are under way.

        Raises:
            TuningStopped: A trial failed, was stopped or was lost. It is tried again when the request is made
                again.
            StoreError: The store does not answer, or a run is not what was priced.
            KeyboardInterrupt: Its trials under way were asked to stop.
        """
        if not self.done:
            # What was under way before, or ended without a result, is tried again once.
            self._again = {one.run for one in self._unscored()}
            try:
                best = self._choose(watch) if isinstance(self._request, Choice) else self._search(watch)
            except KeyboardInterrupt:
                for one in self._unscored():
                    if self._store.find(RunQuery(ids=(one.run,))):
                        self._store.request_stop(one.run)
                raise
            self._tuning = self._tunings.release(self._tuning, best.run if best is not None else "")
        released = self._tuning.released
        return Tuned(
            id=self.id,
            terms=self.terms,
            released=self._store.get(released) if released else None,
            trials=tuple(self._tunings.trials(self._tuning)),
        )

    # Choosing options

    def _choose(self, watch: Callable[[int, Sequence[RunRecord]], None] | None) -> StoredTrial | None:
        request = self._request
        assert isinstance(request, Choice)
        events = request.events(self.terms.trial_epsilon)
        count = draw(request.law, Secret(self._key, 0, "noise/trials"))
        one_by_one = request.sampler in ADAPTIVE
        at_once = 1 if one_by_one else max(1, capacity())  # 0: others pull, any number
        while True:
            trials = self._tunings.trials(self._tuning)
            pending = [one for one in trials if one.score is None]
            while len(trials) < count and len(pending) < at_once:
                self._tunings.add(self._tuning, len(trials), self._proposed(request, trials))
                trials = self._tunings.trials(self._tuning)
                pending = [one for one in trials if one.score is None]
            if not pending:
                return max(trials, key=_score, default=None)
            self._look(pending, events, watch, len(trials) - len(pending))

    def _proposed(self, request: Choice, trials: Sequence[StoredTrial]) -> RunSpec:
        place = len(trials)
        seed = Secret(self._key, place, "noise/options").integer(64) % SEEDS
        past = [(one.spec.options, _score(one)) for one in trials if one.score is not None]
        options = propose(request.sampler, request.over, seed, past)
        spec = replace(request.base, options={**request.base.options, **options})
        return self._trial(request.at(spec, self.terms.trial_epsilon), place)

    def _trial(self, spec: RunSpec, place: int) -> RunSpec:
        """The spec with a word of its own, which does not tell its place."""
        return replace(spec, trial=derived_key(self._key, "trial", str(place)).hex()[:24])

    # Searching for an epsilon

    def _search(self, watch: Callable[[int, Sequence[RunRecord]], None] | None) -> StoredTrial | None:
        request = self._request
        assert not isinstance(request, Choice)
        events, low, high, place = request.events(), 0, len(request.epsilons), 0
        reached: StoredTrial | None = None
        while low < high:
            middle = low + (high - low) // 2
            if len(self._tunings.trials(self._tuning)) == place:
                spec = request.at(request.base, request.epsilons[middle])
                self._tunings.add(self._tuning, place, self._trial(spec, place))
            while (trial := self._tunings.trials(self._tuning)[place]).score is None:
                self._look([trial], events, watch, place)
            if _score(trial) >= request.accuracy:
                reached, high = trial, middle
            else:
                low = middle + 1
            place += 1
        return reached

    # Trials under way

    def _unscored(self) -> Iterator[StoredTrial]:
        return (one for one in self._tunings.trials(self._tuning) if one.score is None)

    def _look(
        self,
        pending: Sequence[StoredTrial],
        events: Sequence[Composed],
        watch: Callable[[int, Sequence[RunRecord]], None] | None,
        over: int,
    ) -> None:
        """Submit what is not submitted, score what is done, and wait a moment."""
        known = {one.id: one for one in self._store.find(RunQuery(ids=tuple(one.run for one in pending)))}
        for one in pending:
            record = known.get(one.run)
            if record is None:
                self._store.submit(one.spec, batch=self.id)
            elif record.state == "done":
                self._tunings.judge(self._tuning, one.place, self._scored(record, events))
            elif record.state in FINISHED:
                if one.run not in self._again:
                    why = record.error or "somebody stopped it"
                    raise TuningStopped(
                        f"a trial of {self.id} was {record.state} ({record.id}: {why}); asked again, it goes on"
                    )
                self._again.remove(one.run)
                self._store.retry(one.run)
        launch(self._store, [one.run for one in pending], others=False)
        if watch is not None:
            watch(over, [one for one in known.values() if one.pending])
        if not any(one.state == "done" for one in known.values()):
            time.sleep(_LOOK_SECONDS)

    def _scored(self, record: RunRecord, events: Sequence[Composed]) -> float:
        """The score of a run that is done, if it is what was priced."""
        alone = record.own_statement
        if alone is None or alone.delta != self.terms.delta:
            raise StoreError(f"{record.id} has another delta than its tuning was priced for")
        if not covers(events, self._request.score.event(Ledger(alone.ledger))):
            raise StoreError(f"{record.id} is none of the trials that its tuning was priced for")
        try:
            return self._request.score.of(record.metrics.get(METRIC))
        except ScoreError as error:
            raise StoreError(f"{record.id}: {error}") from None


def _score(trial: StoredTrial) -> float:
    assert trial.score is not None
    return trial.score


def expected(request: Request) -> str:
    """How many trials there will be, as far as anybody may know."""
    if not isinstance(request, Choice):
        return f"at most {request.steps} trials"
    if isinstance(request.law, Fixed):
        return f"{request.law.count} trials"
    return f"about {request.law.mean:g} trials, how many is drawn and not told"
