"""Sentences are for people: with every one of them scrambled, audits and figures decide as before."""

import itertools
from dataclasses import asdict, fields, replace
from typing import Any

import pytest

from privgraph.audits.canaries import shifts_of
from privgraph.audits.games.table import parts
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.planning import MECHANISM, PLAYED, WHITE_BOX, known, lacking
from privgraph.data.spec import PublicFacts
from privgraph.options import build, parameters
from privgraph.privacy.events import NonPrivate, Single
from privgraph.privacy.kinds import (
    ADVERSARIES,
    MECHANISMS,
    NEIGHBOURS,
    OF_GRADIENTS,
    RELEASES,
    Adversary,
    MechanismKind,
    Neighbours,
    Release,
)
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import AUDITS, METHODS
from privgraph.runs.final_statement import final_statement, interrupted_statement
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.words import meaning

FACTS = replace(
    PublicFacts(nodes=600, edges=1800, entries=3600, features=20, classes=4, train_nodes=450),
    **{"domains": ("one", "two"), "entities": (300, 300), "relations": (700, 700)},
)
DIRECTED = replace(FACTS, undirected=False)
QUICK: dict[str, object] = {
    **{"epochs": 3, "depth": 1, "batch_size": 150, "max_degree": 3},
    **{"queries": 40, "teachers": 20, "epsilon": 2.0},
}
UNITS = [(name, {"unit": unit}) for name, spec in METHODS.items() for unit in spec.units]
OPTIONS: list[tuple[str, dict[str, object]]] = [
    *(("privgnn", {"release": release}) for release in ("table", "votes", "posterior")),
    ("privgnn", {"release": "log-posterior", "accounting": "published"}),
    ("privgnn", {"release": "posterior", "sampling": "once"}),
    ("privgnn", {"release": "ensemble", "gate": 2.0}),
    ("pate", {"noise": "gaussian"}),
    ("gap", {"unit": "node", "own_rows": True}),
    ("gap", {"unit": "node", "selection": "validation"}),
    ("progap", {"unit": "node", "selection": "validation"}),
    ("dp-mlp", {"selection": "validation"}),
    ("dp-gpl", {"limit": 1.0, "vote_sigma": 5.0, "gate_sigma": 9.0}),
    ("dp-gpl", {"gate_sigma": 9.0, "answers": 20, "report": "sanitised", "epsilon": 9.0}),
    ("dp-gpl", {"limit": 1.0, "accounting": "published"}),
    ("dp-gpl", {"preset": "gcn-cora"}),
    ("dp-gpl", {"svd": "everybody", "epsilon": 9.0}),
    ("prompt-dpsgd", {"svd": "everybody"}),
    ("heter-poisson", {"preset": "as-published"}),
    ("heter-poisson", {"exclusive": True, "neighbours": 3}),
    ("heter-poisson", {"noise": "spherical-laplace", "accounting": "published"}),
    ("edge-rand", {"density": "private"}),
    ("edge-rand", {"response": "symmetric"}),
]
CASES = [(name, given, facts) for name, given in (*UNITS, *OPTIONS) for facts in (FACTS, DIRECTED)]


def a_subject(name: str, given: dict[str, object], facts: PublicFacts) -> Subject:
    kind = METHODS[name].load_config()
    names = {parameter.name for parameter in parameters(kind)}
    config: Any = build(kind, {key: value for key, value in QUICK.items() if key in names} | given)
    return Subject(run="run", method=name, config=config, statement=config.plan(facts).statement, graph=lambda: None)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{'-'.join(map(str, case[1].values()))}-{case[2].undirected}")
def subject(request: pytest.FixtureRequest) -> Subject:
    return a_subject(*request.param)


def scrambled(statement: PrivacyStatement) -> PrivacyStatement:
    """The statement with no word of any sentence left, and no two that are alike."""
    noise = (f"gradients, replacement, edge, unknown {number}" for number in itertools.count())

    def event(of: Single | None) -> Single | None:
        return NonPrivate(reason=next(noise)) if isinstance(of, NonPrivate) else of

    def entry(of: LedgerEntry) -> LedgerEntry:
        said = {name: next(noise) for name in ("mechanism", "stage", "note")}
        return replace(of, event=event(of.event), event_as_published=event(of.event_as_published), **said)  # type: ignore[arg-type]

    texts = ("relation", "released", "delta_rule", "accountant", "accountant_as_published", "audited_by")
    lists = ("public", "assumptions", "known_faults")
    return replace(
        statement,
        **{name: next(noise) for name in texts},
        **{name: tuple(next(noise) for _ in getattr(statement, name)) for name in lists},
        gaps=tuple(replace(gap, **{item.name: next(noise) for item in fields(gap)}) for gap in statement.gaps),
        per_holder=tuple((next(noise), epsilon) for _, epsilon in statement.per_holder),
        ledger=tuple(entry(one) for one in statement.ledger),
    )


def decided(subject: Subject) -> dict[str, Any]:
    """Everything that generic code decides of such a run."""
    said = subject.statement
    refused = {name: spec.refuses(subject) for name, spec in AUDITS.items()}
    options = AuditOptions(trials=1000)
    games = [] if refused["mechanism"] else [(part.game, part.count, part.title) for part in parts(subject)]
    gradients = [entry for entry in said.ledger if entry.kind in OF_GRADIENTS]
    rows = ledger.data(said.ledger, said.delta)
    prose = ("mechanism", "stage", "note")
    half = interrupted_statement(said, Ledger(said.ledger[:1]), stopped=True)
    return {
        "refused": {name: reason is not None for name, reason in refused.items()},
        "plans": [plan.refuses(subject) is None for plan in (MECHANISM, WHITE_BOX)],
        "cost": [spec.cost(subject, options) for spec in AUDITS.values()],
        "games": [(type(game), str(game), count, title) for game, count, title in games],
        "canaries": [] if refused["white-box"] else [shifts_of(entry) for entry in gradients],
        "rows": [{name: value for name, value in row.items() if name not in prose} for row in rows],
        "shares": len(ledger.chart(rows).series),
        "protects": meaning.protected(said.unit, said.neighbours),
        "final": final_statement(said, Ledger(said.ledger)).epsilon,
        "half": (half.epsilon, half.release, half.neighbours),
        "kinds": [asdict(entry.worst) | {"kind": entry.kind} for entry in said.ledger],
    }


def test_scrambled_words_change_nothing(subject: Subject) -> None:
    before = decided(subject)
    said = scrambled(subject.statement)
    assert said.relation != subject.statement.relation
    assert decided(replace(subject, statement=said)) == before
    stored = statement_from_json(statement_to_json(said), {"max_degree": 99, "gate_sigma": 99.0})
    assert decided(replace(subject, statement=stored)) == before


def test_every_private_entry_has_a_kind_and_all_that_its_audit_needs(subject: Subject) -> None:
    said = subject.statement
    assert said.neighbours is not Neighbours.UNKNOWN
    assert said.release not in (Release.UNKNOWN, Release.PART)
    assert (said.neighbours is Neighbours.NONE) == (said.unit == "none")
    for entry in said.ledger:
        assert entry.kind is not MechanismKind.UNKNOWN
        assert lacking(entry, said.unit) is None
        assert said.unit == "none" or (entry.kind in PLAYED) == known(entry)
        if entry.worst.neighbours is not None and not isinstance(entry.event, NonPrivate):
            told = [getattr(entry.event, name) for name in ("neighbours", "largest_degree", "exclusive")]
            assert told == [entry.worst.neighbours, entry.worst.largest_degree, entry.worst.exclusive]
        if entry.kind is MechanismKind.LISTED_GRADIENTS:
            assert (entry.event.present, entry.event.absent) == (entry.worst.max_degree + 1, entry.worst.max_degree)  # type: ignore[union-attr, operator]


def test_every_kind_has_words_and_no_two_the_same() -> None:
    tables: list[tuple[Any, Any]] = [
        *((MechanismKind, MECHANISMS), (Neighbours, NEIGHBOURS)),
        *((Release, RELEASES), (Adversary, ADVERSARIES)),
    ]
    for kinds, said in tables:
        assert set(said) == set(kinds)
        assert len(set(said.values())) == len(said)
    assert OF_GRADIENTS < set(PLAYED) < set(MECHANISMS)
