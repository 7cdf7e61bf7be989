"""The audited number beside the two claims: on a page, in a report, below a figure; and in red where it
exceeds one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.options import build
from privgraph.privacy.events import Laplace, NonPrivate
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import premise, statement_text
from privgraph.registry import method
from privgraph_workbench.words import statements

FACTS = PublicFacts(nodes=2000, edges=6000, entries=12000, features=10, classes=3, train_nodes=1500, undirected=True)


@pytest.fixture
def statement() -> PrivacyStatement:
    config = build(method("progap").load_config(), {"unit": "edge", "epsilon": 2.0})
    planned: PrivacyStatement = config.plan(FACTS).statement
    assert planned.epsilon_as_published is not None
    assert planned.epsilon_as_published < planned.epsilon
    return planned


@pytest.mark.parametrize(
    ("shown", "refuted"), [(None, []), (0.5, []), (1.9, ["published"]), (3.0, ["sound", "published"])]
)
def test_an_audit_refutes_the_claims_below_it(
    statement: PrivacyStatement, shown: float | None, refuted: list[str]
) -> None:
    said = statements.refutations(replace(statement, epsilon_audited=shown, audit_confidence=0.95))
    assert [sentence.split()[1] for sentence in said] == refuted


@pytest.mark.parametrize(
    ("adversary", "told"),
    [
        (Adversary.WORST_CASE, "if the noise is Gaussian, as the ledger says"),
        (
            Adversary.CANARIES,
            "if the noise is Gaussian, and the sampling and the number of steps are as the ledger says",
        ),
        (Adversary.OUTSIDER, ""),
    ],
)
def test_what_a_bound_takes_for_granted_goes_where_the_number_goes(
    statement: PrivacyStatement, adversary: Adversary, told: str
) -> None:
    shown = replace(statement, epsilon_audited=1.9, audit_confidence=0.95, adversary=adversary)
    said = (statements.audited_how(shown), *statements.refutations(shown), statement_text(shown))
    assert all(told in text for text in said)
    assert any("if the noise" in text for text in said) == bool(told)
    assert not premise(replace(shown, epsilon_audited=0.0)), "0 always holds"
    laplace = replace(shown, ledger=tuple(replace(one, event=Laplace(noise_multiplier=1.0)) for one in shown.ledger))
    assert bool(premise(laplace)) == (adversary is Adversary.CANARIES)
    bare = replace(shown, ledger=tuple(replace(one, event=NonPrivate(reason="none")) for one in shown.ledger))
    assert not premise(bare)
