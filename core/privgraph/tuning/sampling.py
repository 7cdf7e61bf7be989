"""Who proposes the options of a trial: Optuna's samplers, asked and told. No torch.

Optuna advises, and keeps nothing: each trial asks a study of its own, which is told what all earlier trials
came to where the sampler may know. `random` draws anew for each trial from random bits that nobody else has,
which is what `privacy.selection` prices. `tpe` reads earlier scores, and is admitted where all trials are
paid for.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from privgraph.options import OptionError, Scalar, nearest, short
from privgraph.privacy.selection import Fixed, Law

INDEPENDENT, ADAPTIVE = ("random",), ("tpe",)
SAMPLERS = (*INDEPENDENT, *ADAPTIVE)
SEEDS = 2**32
"""Seeds of a sampler lie below."""


def check_sampler(name: str, law: Law) -> None:
    """Raises `OptionError` for a sampler that there is none of, or that the law of the trials does not
    admit."""
    if name not in SAMPLERS:
        raise OptionError(f"sampler must be one of {', '.join(SAMPLERS)} (got {short(name)}){nearest(name, SAMPLERS)}")
    if name in ADAPTIVE and not isinstance(law, Fixed):
        raise OptionError(
            f"the sampler {name} reads what earlier trials came to, and the price of the best of a random number "
            "holds for independent trials alone: take the sampler random, or the law fixed, which pays for all trials"
        )


def library() -> Any:
    """Optuna. Raises `OptionError` where it is not installed."""
    try:
        import optuna
    except ImportError:
        raise OptionError("tuning needs optuna: pip install 'privgraph[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def propose(
    name: str,
    over: Mapping[str, Sequence[Scalar]],
    seed: int,
    past: Sequence[tuple[Mapping[str, Scalar], float]] = (),
) -> dict[str, Scalar]:
    """The options of a trial.

    Args:
        name: One of `SAMPLERS`.
        over: The values of each option.
        seed: Secret random bits of this trial, in [0, 2^32).
        past: What earlier trials had and came to, for a sampler that may know.

    Returns:
        One value of each option.
    """
    optuna = library()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}[name](seed=seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        laws = {option: optuna.distributions.CategoricalDistribution(list(values)) for option, values in over.items()}
        if name in ADAPTIVE:
            for options, score in past:
                params = {option: options[option] for option in over}
                study.add_trial(optuna.trial.create_trial(params=params, distributions=laws, value=score))
        return dict(study.ask(laws).params)
