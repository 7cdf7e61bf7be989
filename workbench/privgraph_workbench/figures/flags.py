"""The warnings that a figure carries: an enumeration, with one sentence each in text/figures.toml."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.text import texts
from privgraph_workbench.words.naming import unit_of

_EPSILONS = ("epsilon", "epsilon_as_published")


class Flag(StrEnum):
    """What must be known of a figure before its numbers are believed."""

    EXAMPLE = "example"
    MIXED_UNITS = "mixed_units"
    MIXED_GRAPHS = "mixed_graphs"
    DATA_DEPENDENT = "data_dependent"
    EVALUATOR = "evaluator"
    COMPOSED = "composed"
    PRIVATE = "private"
    RAW = "raw"
    GIVEN_NOISE = "given_noise"
    ILLUSTRATION = "illustration"
    ONE_STEP = "one_step"
    REFUTED = "refuted"
    UNPROVED = "unproved"
    UNPROTECTED = "unprotected"
    CUT = "cut"
    HIDDEN = "hidden"
    FAULTY = "faulty"
    UNGUARANTEED = "unguaranteed"

    @property
    def sentence(self) -> str:
        return str(texts("figures")["flags"][self.value])


def of_rows(rows: Sequence[Mapping[str, Any]]) -> list[Flag]:
    """The flags that columns of rows call for: `evaluator`, `data_dependent`, `composed`, `unit`."""
    held = {
        Flag.EVALUATOR: any(row.get("evaluator") for row in rows),
        Flag.DATA_DEPENDENT: any(row.get("data_dependent") for row in rows),
        Flag.COMPOSED: any((row.get("composed") or 0) > 1 for row in rows),
        Flag.MIXED_UNITS: mixed_units(rows),
    }
    return [flag for flag, there in held.items() if there]


def of_statements(statements: Mapping[str, PrivacyStatement]) -> list[Flag]:
    """The flags that privacy statements call for."""
    said = statements.values()
    held = {
        Flag.EXAMPLE: any(map(has_public_noise, said)),
        Flag.DATA_DEPENDENT: any(one.data_dependent for one in said),
        Flag.REFUTED: any(map(_refuted, said)),
        Flag.FAULTY: any(one.known_faults for one in said),
    }
    return [flag for flag, there in held.items() if there]


def _refuted(statement: PrivacyStatement) -> bool:
    claims = (statement.epsilon, statement.epsilon_as_published)
    shown = statement.epsilon_audited
    return shown is not None and any(claim is not None and shown > claim for claim in claims)


def mixed_units(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether epsilons of rows (unit, epsilon, epsilon_as_published) protect different units."""
    private = (row for row in rows if row.get("unit") not in (None, "none"))
    return len({row["unit"] for row in private if any(placed(row.get(one)) for one in _EPSILONS)}) > 1


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """How many of these runs read the same people, by the id of each; 0 where none of them is private."""
    known = list(records)
    people = {one.id: GraphId.of(one.spec).people for one in known}
    together, private = Counter(people.values()), {people[one.id] for one in known if unit_of(one) != "none"}
    return {run: together[read] if read in private else 0 for run, read in people.items()}
