"""PvGaLM (Privacy-preserving graph-aware language models): private fine-tuning on relations, one Gaussian a
batch.

The published accountant is Opacus' PRV with an error of 0.01, its upper end. The batch sizes and steps of
Table 11 are inferred, not printed. A relation stored in both directions is two examples, which the paper does
not count.
"""

from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated


def training_event(*, rate: float, steps: int, noise_multiplier: float) -> Repeated:
    """DP-Adam with Poisson batches of relations: Equation 3, noise once a batch."""
    return Repeated(event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=noise_multiplier)), count=steps)
