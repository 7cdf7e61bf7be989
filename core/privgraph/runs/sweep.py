"""Many runs from one: grids of options and seeds. No torch."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privgraph.calls import in_words
from privgraph.options import OptionError, short
from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_COMMON_SAMPLES
from privgraph.runs.spec import RunSpec, make_spec


@in_words
def sweep(
    base: RunSpec, over: Mapping[str, Sequence[object]] | None = None, seeds: Iterable[int] = ()
) -> list[RunSpec]:
    """Make many specs from one: all combinations of the values in `over`, each with every seed.

    Submitted as one batch, runs that differ in what the method's stacking key leaves out are trained
    together.

    >>> import privgraph as pg
    >>> len(pg.sweep(pg.spec("progap", on="social"), over={"epsilon": (0.5, 2)}, seeds=range(3)))
    6

    Args:
        base: The spec that gives everything else.
        over: Options of the method, each with the values to try.
        seeds: Seeds to try, which vary fastest; empty keeps that of `base`.

    Returns:
        The specs; equal ones appear once.

    Raises:
        OptionError: The method has no such option, or not such a value of it; `base` is no spec, or `over`
            has no list of values for an option.
    """
    if not isinstance(base, RunSpec):
        raise OptionError(f"base must be a spec, which privgraph.spec makes (got {short(base)})")
    grid = _grid(over)
    chosen = _listed("seeds", seeds, "range(3)") or [base.seed]
    specs = [
        make_spec(
            base.method,
            base.dataset,
            {**base.options, **dict(zip(grid, values, strict=True))},
            data_options=base.data_options,
            split=base.split,
            seed=seed,
            device=base.device,
        )
        for values in itertools.product(*grid.values())
        for seed in chosen
    ]
    return list({spec.id: spec for spec in specs}.values())


def _grid(over: object) -> dict[str, list[object]]:
    """The values of each option. Raises `OptionError` where `over` is no mapping, or has no list for one."""
    if over is not None and not isinstance(over, Mapping):
        raise OptionError(
            f'over must give the values of each option, such as {{"epsilon": [1, 2]}} (got {short(over)})'
        )
    grid = {}
    for name, values in (over or {}).items():
        if name in ("seed", "seeds"):
            raise OptionError("seeds are no option of a method: write seeds=range(3) beside over")
        grid[name] = _listed(f"over[{name!r}]", values, "[1, 2]")
        if not grid[name]:
            raise OptionError(f"over[{name!r}] must hold at least one value")
    return grid


def _listed(name: str, values: object, example: str) -> list[Any]:
    """Values to try, as a list. Raises `OptionError` for a single value, a text among them."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise OptionError(f"{name} must be a list of values, such as {example} (got {short(values)})")
    return list(values)


def price_of_all(statements: Sequence[PrivacyStatement]) -> tuple[float, float]:
    """Epsilon and delta of all these runs together: what choosing the best of them on private data costs.

    All mechanisms of all ledgers are composed, at the largest of the deltas. Runs that are only done with
    several seeds count as well: each has read the private data. No statement that a single run makes holds
    this price. Infinite for several runs that read the same samples on purpose: theirs do not compose. The
    epsilons and deltas of runs that were chosen by tunings are added, and to those of the others. Raises
    `ValueError` where the runs do not protect one and the same unit.
    """
    units = {statement.unit for statement in statements}
    if len(units) != 1:
        raise ValueError(
            f"runs compose where they protect one and the same unit (got {', '.join(sorted(units)) or 'none'})"
        )
    delta = max(statement.delta for statement in statements)
    common = sum(ASSUME_COMMON_SAMPLES in statement.assumptions for statement in statements)
    if common > 1 or any(math.isinf(statement.epsilon) for statement in statements):
        return math.inf, delta
    chosen = [statement for statement in statements if statement.tuned]
    plain = [statement for statement in statements if not statement.tuned]
    epsilon, delta = (sum(getattr(one, name) for one in chosen) for name in ("epsilon", "delta"))
    if plain:
        own = max(statement.delta for statement in plain)
        together = Ledger(entry for statement in plain for entry in statement.ledger)
        epsilon, delta = epsilon + tight().epsilon(together.event(), own), delta + own
    return epsilon, delta
