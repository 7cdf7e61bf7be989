"""Tuning from Python: options, or an epsilon, chosen on private data, with the price of the choice. No
torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING

from privgraph.api.planning import chosen_spec
from privgraph.api.run import Run
from privgraph.api.running import open_store
from privgraph.calls import in_words
from privgraph.privacy.rounding import upper
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.tuning.conducting import Tuned as Conducted
from privgraph.tuning.conducting import Tuning
from privgraph.tuning.request import SCORE_NOISE, make_request

if TYPE_CHECKING:
    from privgraph.data.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """A tuning that is done, as `privgraph.tune` returns it.

    Args:
        conducted: What it came to.
        store: The store that keeps it.
    """

    conducted: Conducted
    store: RunStore = field(repr=False)

    def __repr__(self) -> str:
        best = self.best
        found = "nothing is released" if best is None else f"{best.id} is released"
        return f"<Tuning {self.id}: {found}, sound epsilon {upper(self.epsilon)} for all of it>"

    @property
    def id(self) -> str:
        """Its id."""
        return self.conducted.id

    @property
    def best(self) -> Run | None:
        """The run that is released, with the price in its statement; None where there is none."""
        released = self.conducted.released
        return None if released is None else Run(released, self.store)

    @property
    def epsilon(self) -> float:
        """The price of all of it."""
        return self.conducted.terms.epsilon

    @property
    def terms(self) -> Terms:
        """What it promised before its first trial: price, delta, the law of the number of trials."""
        return self.conducted.terms

    @property
    def tried(self) -> list[tuple[Run, float | None]]:
        """Every trial that is still stored, with its score: for who holds the data, and not for release."""
        return [
            (Run(record, self.store), trial.score)
            for trial in self.conducted.trials
            for record in self.store.find(RunQuery(ids=(trial.run,)))
        ]


@in_words
def tune(
    method: str | RunSpec,
    *,
    on: str | Graph | None = None,
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
    split: str | None = None,
    seed: int | None = None,
    device: str = "auto",
    data_options: Mapping[str, object] | None = None,
    store: str | PathLike[str] | RunStore | None = None,
    **options: object,
) -> Tuned:
    """Choose options by validation accuracy on private data, and pay for the choice.

    Trials are trained by workers, as all runs are; the best is released, and its statement holds the price of
    the whole tuning, which is at most `epsilon`. How many trials there are, is drawn from `law`, and is not
    told before the end. A tuning that was interrupted goes on when it is asked for again; one that is done is
    given as it is. With `accuracy` it looks for the smallest epsilon at which the method reaches it, by
    bisection, and its price is that of everything looked at.

    Args:
        method: A method of `privgraph.METHODS`, or a spec, which needs nothing of `on`, `split`, `seed`,
            `device`, `data_options` and `options`.
        on: The name of a data set, or a graph as `privgraph.load` returned it.
        over: The values of each option that is chosen.
        epsilon: What the whole tuning may cost; needed unless `accuracy` is given.
        trials: How many trials on average, above 1; with the law `fixed`, how many.
        law: `geometric`, `logarithmic`, `negative binomial` (of `shape`), `poisson`, or `fixed`: all trials
            are paid for.
        shape: Of the negative binomial law, 0 to 100.
        sampler: `random`, or, with the law `fixed`, `tpe`.
        accuracy: The validation accuracy that is wished for, in (0, 1), in place of `over` and `epsilon`.
        lowest: The smallest epsilon of that search.
        highest: The largest one.
        steps: Trials of that search at most, 2 to 8.
        score_noise: Standard deviation of the noise on the number of validation nodes that are classified
            right, where labels are private.
        split: `random` (default), `public` or `inductive`.
        seed: Seed of every random choice that everybody may know, the split included (default: 0).
        device: `auto`, `cpu` or `cuda`.
        data_options: Options of an embedded data set that is given by its name.
        store: Where it is kept: as in `privgraph.open_store`.
        **options: Options of the method that are the same for all trials.

    Returns:
        The tuning: `best` (a `Run`), `epsilon` (its price), `terms`, `tried`.

    Raises:
        UnknownName: There is no such method or data set.
        OptionError: There is no such option or value; or a choice like this has no price, and why.
        DataError: The sizes of the data set cannot be had.
        StoreError: The store cannot keep it, or a trial failed: asked again, it goes on.
    """
    rest = {"split": split, "seed": seed, "device": device, "data_options": data_options, **options}
    base = chosen_spec(method, on, rest)
    request = make_request(
        base,
        over=over,
        epsilon=epsilon,
        trials=trials,
        law=law,
        shape=shape,
        sampler=sampler,
        accuracy=accuracy,
        lowest=lowest,
        highest=highest,
        steps=steps,
        score_noise=score_noise,
    )
    opened = open_store(store)
    return Tuned(Tuning(opened, request).conduct(), opened)
