"""What noisy labels of public nodes cost: the events of every release that PrivGNN's method offers, and their
price.

Unit: one private node with its features, label and edges. Relation: add or remove it. Queries, their features
and the public graph are public. Every query reads a Poisson sample of the private nodes, its own or one for
all; a table is not asked, but released whole.

Sensitivities, of what one sampled node changes in the answer to one query:

- `posterior`, the label of a noised posterior: any posterior may become any other, and the exact pair of
  `privgraph.papers.privgnn.argmax_atoms` covers it.
- `table`, the sums of phi(u) over the private nodes u of each class, released once: the node adds a vector of
  norm at most 1 to the column of its own label and changes nothing else: 1 in L2. No sample is drawn, and
  queries cost nothing.
- `votes`, the released vector of votes: the node adds a weight in [-1, 1] to the coordinate of its own label
  and changes nothing else: 1 in L2, and 1 in L1.
- `ensemble`, the noisy maximum of the votes of teachers: each node draws its own group, so that with it or
  without it nobody else moves and one teacher alone may change its mind: one count falls by 1 and another
  rises by 1. That is sqrt 2 in L2 (Gaussian noise), 2 in L1 (Laplace noise; a Laplace vector with L1 shift s
  is dominated by the one-dimensional shift s), and 1 in every score. With exponential noise of scale b, which
  is permute-and-flip, that is pure epsilon 2/b (McKenna and Sheldon 2020); with Gumbel noise, which is the
  exponential mechanism, a privacy loss whose range is 2/b (Durfee and Rogers 2019): the same epsilon for one
  query, and less for many.
- a gate, the largest count with Gaussian noise: 1, as no count moves by more.
"""

import math
from functools import lru_cache

from privgraph.papers import privgnn
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    PrivacyEvent,
    PureDP,
    Repeated,
    SampledOnce,
)

RELEASES = ("table", "votes", "ensemble", "posterior", "log-posterior")
MAXIMA = ("gaussian", "laplace", "exponential", "gumbel")

Answer = Gaussian | Laplace | PureDP | BoundedRange | Atoms
"""The answer to one query, given the sample."""


def votes_answer(sigma: float) -> Gaussian:
    """The vector of votes with Gaussian noise of standard deviation `sigma`: sensitivity 1."""
    return Gaussian(noise_multiplier=sigma)


def ensemble_answer(maximum: str, scale: float) -> Answer:
    """The noisy maximum of the teachers' votes; `scale` is sigma for gaussian, else the scale of the
    noise."""
    if maximum == "gaussian":
        return Gaussian(noise_multiplier=scale / math.sqrt(2))
    if maximum == "laplace":
        return Laplace(noise_multiplier=scale / 2)
    if maximum == "exponential":
        return PureDP(epsilon=2 / scale)
    if maximum == "gumbel":
        return BoundedRange(epsilon=2 / scale)
    raise ValueError(f"maximum must be one of {', '.join(MAXIMA)} (got {maximum})")


def asked(answer: Answer, *, queries: int, rate: float) -> Repeated:
    """`answer` to each of `queries` queries, each on a fresh Poisson sample."""
    return Repeated(event=PoissonSampled(rate=rate, event=answer), count=queries)


def asked_of_one_sample(answer: Answer, *, queries: int, rate: float) -> SampledOnce:
    """`answer` to each of `queries` queries, all on one Poisson sample: weakened once, not query by query."""
    return SampledOnce(rate=rate, event=Repeated(event=answer, count=queries))


def votes_event(*, sigma: float, rate: float, queries: int) -> Repeated:
    """Noisy votes of `queries` fresh samples."""
    return asked(votes_answer(sigma), queries=queries, rate=rate)


def ensemble_event(*, maximum: str, scale: float, rate: float, queries: int) -> Repeated:
    """Noisy maxima of the teachers of `queries` fresh samples."""
    return asked(ensemble_answer(maximum, scale), queries=queries, rate=rate)


def gated_event(answer: Answer, *, gate_sigma: float, queries: int, answers: int, rate: float) -> Composed:
    """Every query is tested, and at most `answers` of those that pass are answered, each on a sample of its
    own.

    The test is the largest count with noise of standard deviation `gate_sigma`. Which queries are answered
    depends on the tests, so that tests and answers come in an order of the adversary's choice; only their
    numbers are bounded. That costs no more than all tests and then all answers. Proof sketch, by induction on
    what is left: whatever comes first, with ratio r of its two laws, H_c = E_Q[r H_(c/r)(the rest)]; by
    induction the rest is at most the fixed composition F of what is left, whichever outcome came, and r
    H_(c/r)(F) is convex in r, so that the first is at most its own dominating pair. The product does not
    depend on which of the two came first. Fewer answers than allowed are padded by answers to nothing.
    """
    gate = Repeated(event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=gate_sigma)), count=queries)
    return Composed((gate, asked(answer, queries=min(answers, queries), rate=rate)))


def answer_of(release: str, *, scale: float, classes: int, maximum: str = "gaussian") -> Answer | NonPrivate:
    """The answer to one query of a release, or the whole table; `scale` is the scale of its noise, 1/lambda
    (sigma for Gaussians)."""
    if release in ("table", "votes"):
        return votes_answer(scale)
    if release == "ensemble":
        return ensemble_answer(maximum, scale)
    if release == "posterior":
        return privgnn.argmax_atoms(1 / scale, classes)
    if release == "log-posterior":
        return NonPrivate(reason="the logarithm of a probability has no bounded sensitivity")
    raise ValueError(f"release must be one of {', '.join(RELEASES)} (got {release})")


def release_event(
    release: str,
    *,
    scale: float,
    rate: float,
    queries: int,
    classes: int,
    maximum: str = "gaussian",
    once: bool = False,
    gate_sigma: float = 0.0,
    answers: int = 0,
) -> PrivacyEvent:
    """All that a release does to the private graph. `gate_sigma` 0: no gate; `once`: one sample for all
    queries."""
    answer = answer_of(release, scale=scale, classes=classes, maximum=maximum)
    if isinstance(answer, NonPrivate):
        return answer
    if release == "table":
        if once or gate_sigma:
            raise ValueError("release_event: a table has no samples and no gate")
        return answer
    if once and gate_sigma:
        raise ValueError("release_event: a gate needs a fresh sample for every query")
    if once:
        return asked_of_one_sample(answer, queries=queries, rate=rate)
    if gate_sigma:
        return gated_event(answer, gate_sigma=gate_sigma, queries=queries, answers=answers, rate=rate)
    return asked(answer, queries=queries, rate=rate)


def published_event(
    release: str,
    *,
    scale: float,
    rate: float,
    queries: int,
    maximum: str = "gaussian",
    gate_sigma: float = 0.0,
    answers: int = 0,
) -> PrivacyEvent | None:
    """What the paper's own way of counting sees: a fresh sample a query, whatever the ablation; sensitivity
    1.

    None of a table: the paper answers query by query, and has no formula for anything else.
    """
    if release == "table":
        return None
    if release in ("posterior", "log-posterior"):
        answer: Answer = Laplace(noise_multiplier=scale)
    else:
        ours = answer_of(release, scale=scale, classes=2, maximum=maximum)
        assert not isinstance(ours, NonPrivate)
        answer = ours
    if gate_sigma:
        return gated_event(answer, gate_sigma=gate_sigma, queries=queries, answers=answers, rate=rate)
    return asked(answer, queries=queries, rate=rate)


@lru_cache(maxsize=4096)
def price(
    release: str,
    lam: float,
    rate: float,
    queries: int,
    classes: int,
    delta: float,
    *,
    maximum: str = "gaussian",
    once: bool = False,
    gate_sigma: float = 0.0,
    answers: int = 0,
) -> tuple[float, float | None]:
    """The sound epsilon of a release, and the epsilon by the paper's own way of counting where it has one, at
    `delta`.

    `lam` is 1 over the scale of the noise (of Gaussian noise: over its standard deviation). No data is read,
    and no torch: for sliders that move before anything is trained. Remembered, so that going back costs
    nothing.
    """
    if not (lam > 0 and math.isfinite(lam)):
        raise ValueError(f"price: lambda must be positive and finite (got {lam})")
    scale = 1 / lam
    event = release_event(
        release,
        scale=scale,
        rate=rate,
        queries=queries,
        classes=classes,
        maximum=maximum,
        once=once,
        gate_sigma=gate_sigma,
        answers=answers,
    )
    as_published = published_event(
        release, scale=scale, rate=rate, queries=queries, maximum=maximum, gate_sigma=gate_sigma, answers=answers
    )
    printed = None if as_published is None else privgnn.paper_accountant().epsilon(as_published, delta)
    return tight().epsilon(event, delta), printed
