"""Seeds and run ids in what others are given: a run's id is a digest of its settings and its seed, so that
whoever has the settings finds the seed by trying all of them. Both are numbered in the order in which they
are met: what was equal stays equal, and what was apart stays apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row

_PATH = re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\]+[^\s/\\:'\"]+){2,}[/\\]?")
"""A path of a file or folder, which may name its owner."""
_TOLD = re.compile(
    r"(?P<old>\bupload:[0-9a-f]{12}\b)"  # of an earlier version: a digest of a graph under no key
    r"|(?P<run>\b[a-z][a-z0-9-]*-(?P<digest>[0-9a-f]{12})\b)"  # as `RunSpec.id` makes them
    r"|\b(?:seed (?P<seed>\d+)|seeds (?P<seeds>\d+(?:(?:,| and|, and| to) \d+)*))\b"
    r"|\((?P<end>[0-9a-f]{4})\)"  # the end of an id, which tells namesakes apart
)


@dataclass
class Withheld:
    """Numbers seeds and runs. `seeds` and `runs` hold what was met so far: a seed, and the digits of an id,
    or its end where no more was told."""

    seeds: dict[str, str] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)

    def text(self, said: str) -> str:
        """The text without seeds and ids.

        >>> Withheld().text("ProGAP, seed 7 (3fa0) as progap-cora-00000000beef")
        'ProGAP, seed #1 (run-01) as run-02'
        >>> Withheld().text("seeds 7, 8 and 7")
        'seeds #1, #2 and #1'
        """
        return _TOLD.sub(self._instead, said)

    def _instead(self, found: re.Match[str]) -> str:
        if found["old"]:
            return "upload:withheld"
        if found["seed"] is not None or found["seeds"] is not None:
            return re.sub(r"\d+", self._seed, found[0])
        return f"({self._run(found['end'])})" if found["end"] else self._run(found["digest"])

    def _run(self, digits: str) -> str:
        """What a run is called, by the digits of its id or by their end: the same in prose and in files."""
        known = next((one for one in self.runs if one.endswith(digits) or digits.endswith(one)), digits)
        if len(digits) > len(known):  # its end was met before all of it
            self.runs[digits] = self.runs.pop(known)
            known = digits
        return self.runs.setdefault(known, f"run-{len(self.runs) + 1:02d}")

    def _seed(self, found: re.Match[str]) -> str:
        return f"#{self.seeds.setdefault(found[0], str(len(self.seeds) + 1))}"

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a figure, each text in them without seeds and ids; seeds are numbered."""
        return [{name: self._value(name, value) for name, value in row.items()} for row in rows]

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if name == "seed" and value is not None:
            return self.text(f"seed {value}").removeprefix("seed ")
        return value

    def labelled(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """What stands behind labels, which lose seeds and ids."""
        return {self.text(label): value for label, value in held.items()}

    def meet(self, record: RunRecord) -> None:
        """Number the run and its seed next, where they were not met yet."""
        self.text(f"seed {record.spec.seed}, {record.id}")

    def record(self, record: RunRecord) -> RunRecord:
        """The run under another id, as if its seed were 0, and with those of its results that may leave."""
        spec = record.stored_spec
        return replace(
            record,
            id=self.text(record.id),
            stored_spec=None if spec is None else replace(spec, seed=0),
            metrics=for_others.metrics(record.metrics),
            error=self.text(_PATH.sub("(path withheld)", record.error)),
            batch="",
            note="",
        )
