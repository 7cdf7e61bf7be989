"""The membership attack of HeterPoisson's Figure 8a: is a gradient canary in the training or not?

Xiang et al., Preserving Node-level Privacy in Graph Neural Networks, S&P 2024, section 5.3 and Algorithm 5.
The attacker is the strongest there is: it sees every noisy sum of gradients, has added gradients of its own
choice (canaries), knows what everybody else adds, and asks of each canary whether it was added. It does not
know the noise, nor which steps drew the canary. It is the adversary of the white-box audit, and its scores
are those of `audits.white_box.Canaries`; nothing is trained for it. Where the paper plays one canary and
compares its observations of all steps, these are many canaries, each in or out for the whole run, and a score
is the log-likelihood ratio of all steps.

A canary whose one step has Gaussian noise of 1/mu shifts (or whose whole run is mu deviations long) is told
with an area of Phi(mu / sqrt 2), and a right guess has chance Phi(mu / 2).
"""

from dataclasses import dataclass

import numpy as np

from privgraph.attacks.outcome import Outcome, outcome
from privgraph.attacks.signals import Array
from privgraph.audits.bounds import at_least, at_most
from privgraph.audits.roc import roc
from privgraph.audits.white_box import Canaries


@dataclass(frozen=True, kw_only=True)
class CanaryAttack:
    """What the attack came to.

    accuracy: the share of right guesses, averaged over canaries that are in and out, where a positive score
    says in: the best rule for a likelihood ratio and a fair coin, fixed before anything is seen. It lies
    between accuracy_low and accuracy_high (Clopper and Pearson for either side). outcome.balanced_accuracy is
    that of the best threshold, as the paper chooses it (Appendix A.3): chosen by what it is judged on, it is
    above 1/2 also where there is nothing to see. roc_false, roc_true: the curve.
    """

    outcome: Outcome
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    roc_false: tuple[float, ...]
    roc_true: tuple[float, ...]


def attack_observations(present: Array, absent: Array, *, confidence: float = 0.95) -> CanaryAttack:
    """Of scores (n,) with the canary and (m,) without it, of which large ones speak for it.

    Raises `ValueError` for fewer than two of a side, or for a score that is not a number.
    """
    present, absent = (np.asarray(side, dtype=np.float64) for side in (present, absent))
    if present.ndim != 1 or absent.ndim != 1:
        raise ValueError(f"observations must have shapes (n,) and (m,) (got {present.shape} and {absent.shape})")
    members = np.arange(present.size + absent.size) < present.size
    found = outcome(np.concatenate([present, absent]), members, confidence=confidence)
    false, true = roc(present, absent)
    # a score of 0 speaks for neither side, and is guessed by a coin
    rights = [float((side > 0).sum() + (side == 0).sum() / 2) for side in (present, -absent)]
    level = (1 - confidence) / 4
    sizes = (present.size, absent.size)
    low, high = (
        sum(float(bound(int(rounded(right)), size, level)) for right, size in zip(rights, sizes, strict=True)) / 2
        for bound, rounded in ((at_least, np.floor), (at_most, np.ceil))
    )
    return CanaryAttack(
        outcome=found,
        accuracy=sum(right / size for right, size in zip(rights, sizes, strict=True)) / 2,
        accuracy_low=low,
        accuracy_high=high,
        roc_false=tuple(false.tolist()),
        roc_true=tuple(true.tolist()),
    )


def canary_attack(canaries: Canaries, *, confidence: float = 0.95) -> CanaryAttack:
    """Of the canaries that a training has seen. Raises `ValueError` where they have seen no step, or where
    fewer than two are in or out."""
    if not canaries.steps:
        raise ValueError("canaries need a training that shows them its gradients: they have seen no step")
    scores, included = canaries.scores[: canaries.placed], canaries.included[: canaries.placed]
    return attack_observations(scores[included], scores[~included], confidence=confidence)
