"""The best guess against Gaussian noise, beside a numerical route and the bound from epsilon and delta."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from tests.figures import made_runs

from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import WorstCase
from privgraph_workbench.figures.teachers import ensembles
from privgraph_workbench.words import meaning

MUS = (0.05, 0.596, 2.5)


@pytest.mark.parametrize("mu", MUS)
def test_it_is_the_best_threshold_between_two_normal_laws(mu: float) -> None:
    at = np.linspace(-10, 10 + mu, 400_001)
    best = float(((ndtr(at) + ndtr(mu - at)) / 2).max())  # right in the one world and in the other
    assert meaning.guess_at(mu) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("delta", [1e-5, 1e-2])
def test_it_never_exceeds_what_epsilon_and_delta_allow(mu: float, delta: float) -> None:
    assert meaning.guess_at(mu) <= meaning.guess(gaussian_epsilon(mu, delta), delta) + 1e-12


def test_the_shift_of_all_answers_is_the_one_that_is_priced() -> None:
    for queries, votes, gate, weight in ((1, 5.0, 0.0, 1.0), (100, 12.0, 0.0, 2.5), (40, 9.0, 20.0, 0.4)):
        mu = weight * math.sqrt(queries * (2 / votes**2 + (1 / gate**2 if gate else 0)))
        assert gaussian_epsilon(mu, 1e-5) == pytest.approx(
            ensembles.price(queries, votes, gate, weight, 1e-5), rel=1e-6
        )


@pytest.mark.parametrize("depth", [1, 5])
def test_a_statement_has_the_guess_at_its_noise_where_all_of_it_is_plain_gaussian(depth: int) -> None:
    said = made_runs.statement(made_runs.edge_entries(9.0, depth))
    assert meaning.guess_of(said) == pytest.approx(ndtr(np.sqrt(2 * depth) / 9 / 2), abs=1e-9)
    assert meaning.guess_of(said) < meaning.guess(said.epsilon, said.delta)


def test_of_other_noise_only_epsilon_and_delta_speak() -> None:
    plain = made_runs.statement(made_runs.edge_entries(9.0))
    first, *others = plain.ledger
    assert meaning.guess_of(made_runs.statement(made_runs.node_entries(4.0), "node")) is None, "drawn on samples"
    assert meaning.guess_of(made_runs.statement((), unit="none")) is None
    assert meaning.guess_of(replace(plain, known_faults=("a fault",))) is None
    assert meaning.guess_of(replace(plain, epsilon=plain.epsilon * 1.01)) is None, "priced by another rule"
    gated = replace(plain, ledger=(replace(first, kind=MechanismKind.GATE), *others))
    assert meaning.guess_of(gated) is None, "what passes a gate is not known before"
    behind = replace(plain, ledger=(replace(first, worst=WorstCase(gate_std=3.0)), *others))
    assert meaning.guess_of(behind) is None, "nor where the gate is of the same entry"
