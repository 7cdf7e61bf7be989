"""What is stored of an audit is read back with every field of its type, or refused."""

import dataclasses

import pytest
from tests.figures.made_audits import audit

from privgraph.audits.record import AuditRecord


@pytest.mark.parametrize("name", [item.name for item in dataclasses.fields(AuditRecord)])
def test_a_field_of_another_type_is_refused(name: str) -> None:
    stored = audit().to_json()
    for wrong in ({"route": "threshold"}, "nobody's" if name not in ("run", "audit", "title", "score") else 3, [[3]]):
        with pytest.raises(ValueError, match=f"{name}"):
            AuditRecord.from_json({**stored, name: wrong})


def test_a_bound_without_a_number_is_refused() -> None:
    stored = audit().to_json()
    stored["bounds"][0]["epsilon"] = ""
    with pytest.raises(ValueError, match=r"Bound\.epsilon"):
        AuditRecord.from_json(stored)


def test_an_audit_of_another_version_is_refused() -> None:
    for stored in ({**audit().to_json(), "version": 3}, {}, None, []):
        with pytest.raises(ValueError, match="another version"):
            AuditRecord.from_json(stored)  # type: ignore[arg-type]
