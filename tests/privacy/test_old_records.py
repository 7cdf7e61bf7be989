"""Stores that versions 0.4.0 and 0.5.0 wrote with names alone: every run gets the kinds that those names
meant."""

import json
import math
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from privgraph.audits.games.table import parts
from privgraph.audits.options import AuditOptions
from privgraph.privacy import old_records
from privgraph.privacy.events import SampledTerms
from privgraph.privacy.kinds import Adversary, MechanismKind, Neighbours, Release
from privgraph.privacy.serialisation import entry_from_json, statement_from_json, statement_to_json
from privgraph.registry import AUDITS, METHODS
from privgraph.runs import auditing
from privgraph.runs.known_faults import voided
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.audits import audit_bounds
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words import naming

STORES = sorted(Path(__file__).parents[1].glob("fixtures/store-*.sqlite"))


@pytest.fixture(params=STORES, ids=lambda path: path.stem)
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path))
    shutil.copy(request.param, tmp_path / "runs.sqlite")
    opened = RunStore.open()
    yield opened
    opened.close()


def test_every_run_is_given_its_kinds(store: RunStore) -> None:
    records = store.find()
    methods = {record.spec.method for record in records}
    assert methods == set(METHODS) - {"relational", "relation-rand", "label-hist"}, "these came later"
    seen = set()
    for record in records:
        entries = json.loads(record.statement_text or "")["ledger"]
        assert not [entry for entry in entries if "kind" in entry]
        said = record.statement
        assert (record.unreadable, record.state) == ("", "done")
        assert said.neighbours is not Neighbours.UNKNOWN
        assert said.release is not Release.UNKNOWN
        assert MechanismKind.UNKNOWN not in {entry.kind for entry in said.ledger}
        seen |= {entry.kind for entry in said.ledger}
        assert ledger.data(said.ledger, said.delta)
        for event in store.events(record.id):
            if event.kind == "spent":
                assert entry_from_json(event.payload["entry"]).kind in {entry.kind for entry in said.ledger}
        again = statement_from_json(json.loads(json.dumps(statement_to_json(said))))
        assert again == said
    missing = set(MechanismKind) - seen
    # an additive mechanism came later, with methods of other packages
    assert missing <= {MechanismKind.UNKNOWN, MechanismKind.CLASS_SUMS, MechanismKind.ADDITIVE}


def test_audits_of_then_have_their_adversaries_and_can_be_made_again(store: RunStore) -> None:
    audited = [record for record in store.find() if store.audits(record.id)]
    assert {audit.adversary for record in audited for audit in store.audits(record.id)} == {
        Adversary.WORST_CASE,
        Adversary.CANARIES,
    }
    for record in audited:
        for audit in store.audits(record.id):
            assert audit_bounds.data(audit)
            assert type(audit).from_json(audit.to_json()) == audit
        if record.statement.epsilon_audited is not None:
            assert record.statement.adversary is AUDITS[record.statement.audited_by].adversary
    for record in store.find():
        if record.spec.unit == "none":
            continue
        subject = auditing.subject(record)
        refused = AUDITS["mechanism"].refuses(subject)
        if refused is None:
            assert parts(subject)
            assert AUDITS["mechanism"].cost(subject, AuditOptions(trials=100))
        else:
            voided = record.statement is not None and math.isinf(record.statement.epsilon)
            assert "no game plays" in refused or "nothing to play" in refused or (voided and "leaves out" in refused)
        expected = any("gradients" in entry.mechanism for entry in subject.statement.ledger)
        assert (AUDITS["white-box"].refuses(subject) is None) == expected


def test_an_unknown_name_is_never_taken_for_a_weaker_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence or a name that nobody wrote: the run is read and shown, and no audit plays it."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path))
    file = tmp_path / "runs.sqlite"
    shutil.copy(STORES[-1], file)
    raw = sqlite3.connect(file)
    raw.execute(
        "UPDATE runs SET statement = replace(statement, 'one undirected edge', 'one friendship') WHERE unit = 'edge'"
    )
    raw.execute("UPDATE runs SET statement = replace(statement, 'private gradients', 'sorcery') WHERE unit = 'node'")
    raw.execute("UPDATE runs SET statement = replace(statement, '\"weights of', '\"leights of')")
    raw.commit()
    raw.close()
    store = RunStore.open()
    edge = next(one for one in store.find() if one.spec.method == "progap" and one.spec.unit == "edge")
    node = next(one for one in store.find() if one.spec.method == "progap" and one.spec.unit == "node")
    assert edge.statement is not None
    assert node.statement is not None
    assert (edge.statement.neighbours, edge.statement.release) == (Neighbours.UNKNOWN, Release.UNKNOWN)
    assert MechanismKind.UNKNOWN in {entry.kind for entry in node.statement.ledger}
    for spec in AUDITS.values():
        for record, sentence in (
            (edge, "what two neighbouring datasets of this run are"),
            (node, "a kind that is not known"),
        ):
            assert sentence in str(spec.refuses(auditing.subject(record)))
    with pytest.raises(ValueError, match="not known what two neighbouring"):
        parts(auditing.subject(edge))
    with pytest.raises(ValueError, match="no game plays sorcery"):
        parts(auditing.subject(node))
    store.close()


NODE = "add or remove one private node, with its features, its label and all its edges"


@pytest.mark.parametrize(
    ("rest", "kind"),
    [
        ("", Neighbours.NODE),
        (", which may change what every teacher learns from", Neighbours.NODE),
        ("; the other private nodes keep their seats", Neighbours.ASSIGNED_NODE),
        ("; the other private nodes keep their teachers, because each node draws its own", Neighbours.ASSIGNED_NODE),
    ],
)
def test_where_a_node_may_change_every_teacher_nothing_is_taken_to_be_assigned(rest: str, kind: Neighbours) -> None:
    assert old_records.statement({"relation": NODE + rest})["neighbours"] == kind.value


def test_what_an_entry_does_not_tell_stays_unknown() -> None:
    """Of an entry alone, whose run's options are not at hand."""
    listed = {"mechanism": "private gradients of subgraphs", "sensitivity": 7.0, "event": {"kind": "RevealedMixture"}}
    assert old_records.entry(listed)["worst"] == {}
    assert old_records.entry(listed, {"max_degree": 3})["worst"] == {"clip": 1.0, "max_degree": 3}
    event = SampledTerms(rate=0.5, present=4, absent=3, noise_multiplier=1.0)
    assert old_records.entry({**listed, "event": {"absent": event.absent}})["worst"]["max_degree"] == 3
    star = {"mechanism": "private subgraph gradients", "sensitivity": 0.5, "event": {"kind": "NonPrivate"}}
    assert "exclusive" not in old_records.entry(star)["worst"]
    assert old_records.entry(star, {"preset": "own", "exclusive": False})["worst"]["exclusive"] is False
    assert old_records.entry(star, {"preset": "as-published", "exclusive": False})["worst"]["exclusive"] is True
    limited = {"mechanism": "tests and noisy counts of votes (gaussian), up to a teacher's limit"}
    assert old_records.entry(limited)["worst"] == {}
    assert old_records.entry(limited, {"gate_sigma": 9.0})["worst"] == {"gate_std": 9.0}
    for odd in (None, 3, ["private gradients"], "Private gradients", "a gate"):
        assert old_records.entry({"mechanism": odd})["kind"] == "unknown"
    assert old_records.entry({"mechanism": "private gradients", "sensitivity": 1e300})["worst"] == {}
    for read, record in ((old_records.entry, {"kind": "gate"}), (old_records.audit, {"adversary": "canaries"})):
        with pytest.raises(ValueError, match=r"version|later"):
            read(record)  # type: ignore[operator]


def test_an_epsilon_that_was_refuted_since_is_shown_nowhere(store: RunStore) -> None:
    """Of version 0.4.0, whose epoch was chosen by private labels: statement, name, list and figure."""
    records = [one for one in store.find() if voided(one.spec, one.version)]
    assert bool(records) == all(one.version == "" for one in store.find())
    for record in records:
        assert math.isinf(record.statement.epsilon)
        assert "nothing guaranteed" in naming.privacy(record)
        (row,) = store.find_rows(RunQuery(ids=(record.id,)))
        assert row["sound_epsilon"] == math.inf
        assert not any(line["epsilon"] < math.inf for line in tradeoff.data([record]))
    for row in store.find_rows(RunQuery()):
        record = store.get(str(row["id"]))
        if record.statement is not None:
            assert row["sound_epsilon"] == record.statement.epsilon
