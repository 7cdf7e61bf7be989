"""The noise of a run with weighted teachers, as sliders hold it and as it is priced."""

from __future__ import annotations

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.teachers.one_vote import Noise

LEAST, MOST = 0.1, 1000.0
"""Where the sliders of the noise end."""


def sliders(ensemble: Ensemble) -> dict[str, float]:
    """The run's noise in as many digits as it is shown with (it is priced with all of them, `exact`), and its
    threshold, within the sliders; what a run without a gate might take for one."""
    sigma = float(np.clip(ensemble.vote_sigma, LEAST, MOST))
    gate = float(np.clip(ensemble.gate_sigma, LEAST, MOST)) if ensemble.gate_sigma > 0 else sigma
    threshold = ensemble.threshold if ensemble.gate_sigma > 0 else round(ensemble.weights.sum() / 2)
    return {"sigma": float(f"{sigma:.3g}"), "gate_sigma": float(f"{gate:.3g}"), "threshold": float(threshold)}


def held(ensemble: Ensemble) -> Noise:
    """The run's noise as the sliders hold it."""
    own = sliders(ensemble)
    if ensemble.gate_sigma <= 0:
        return Noise(vote_sigma=own["sigma"])
    return Noise(vote_sigma=own["sigma"], gate_sigma=own["gate_sigma"], threshold=own["threshold"])


def exact(ensemble: Ensemble, noise: Noise) -> Noise:
    """The noise that sliders stand for: each that holds the run's own in fewer digits means all of them, with
    the run's gate, another or none. Or one noise would have two prices on a page."""
    own = sliders(ensemble)
    vote = ensemble.vote_sigma if noise.vote_sigma == own["sigma"] else noise.vote_sigma
    if noise.gate_sigma <= 0:
        return Noise(vote_sigma=vote)
    tested = ensemble.gate_sigma if ensemble.gate_sigma > 0 else ensemble.vote_sigma
    gate = tested if noise.gate_sigma == own["gate_sigma"] else noise.gate_sigma
    return Noise(vote_sigma=vote, gate_sigma=gate, threshold=noise.threshold)
