"""Seeds and run ids in what others are given: a run's id is a digest of its settings and its seed, so that
whoever has the settings finds the seed by trying all of them. Both are numbered in the order in which they
are met: what was equal stays equal, and what was apart stays apart. Seeds are numbered within each setting: a
number of one setting says nothing of those of another, one of whose runs may be found by training again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.naming import setting

_PATH = re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\]+[^\s/\\:'\"]+){2,}[/\\]?")
"""A path of a file or folder, which may name its owner."""
_TOLD = re.compile(
    r"(?P<old>\bupload:[0-9a-f]{12}\b)"  # of an earlier version: a digest of a graph under no key
    r"|(?P<run>\b[a-z][a-z0-9-]*-(?P<digest>[0-9a-f]{12})\b)"  # as `RunSpec.id` makes them
    r"|\b(?:seed (?P<seed>\d+)|seeds (?P<seeds>\d+(?:(?:,| and|, and| to) \d+)*))\b"
    r"|\((?P<end>[0-9a-f]{4})\)"  # the end of an id, which tells namesakes apart
)


_CLAUSE = re.compile(r"[;:.\n] *")
"""What parts the words that name a seed from those before them."""
_NAMED = re.compile(r"\bseeds? \d")


@dataclass
class Withheld:
    """Numbers seeds and runs. `seeds` and `runs` hold what was met so far: a seed by its setting, and the
    digits of an id, or its end where no more was told; `settings`: those of the runs whose ids were met."""

    seeds: dict[str, dict[str, str]] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    def text(self, said: str, of: str = "") -> str:
        """The text without seeds and ids; seeds are those `of` that setting, or where it is not known, of
        whatever the words before them name.

        >>> Withheld().text("ProGAP, seed 7 (3fa0) as progap-cora-00000000beef")
        'ProGAP, seed #1 (run-01) as run-02'
        >>> Withheld().text("seeds 7, 8 and 7")
        'seeds #1, #2 and #1'
        >>> Withheld().text("GAP, seed 7; ProGAP, seed 4; GAP, seed 2")
        'GAP, seed #1; ProGAP, seed #1; GAP, seed #2'
        """
        return _TOLD.sub(lambda found: self._instead(found, of), said)

    def _instead(self, found: re.Match[str], of: str) -> str:
        if found["old"]:
            return "upload:withheld"
        if found["seed"] is not None or found["seeds"] is not None:
            known = self.seeds.setdefault(of or self._words(found.string[: found.start()]), {})
            return re.sub(r"\d+", lambda seed: f"#{known.setdefault(seed[0], str(len(known) + 1))}", found[0])
        return f"({self._run(found['end'])})" if found["end"] else self._run(found["digest"])

    @staticmethod
    def _words(before: str) -> str:
        """By which words seeds of a text are told apart: those of their clause before its first seed."""
        return _NAMED.split(_CLAUSE.split(before)[-1])[0]

    def _run(self, digits: str) -> str:
        """What a run is called, by the digits of its id or by their end: the same in prose and in files."""
        known = next((one for one in self.runs if one.endswith(digits) or digits.endswith(one)), digits)
        if len(digits) > len(known):  # its end was met before all of it
            self.runs[digits] = self.runs.pop(known)
            known = digits
        return self.runs.setdefault(known, f"run-{len(self.runs) + 1:02d}")

    def rows(self, rows: Sequence[Row], of: str = "") -> list[Row]:
        """The rows of a figure, each text in them without seeds and ids; seeds are numbered, as those `of`
        that setting or of the runs that a row names."""
        return [{name: self._value(name, value, of or self._of(row)) for name, value in row.items()} for row in rows]

    def _of(self, row: Row) -> str:
        """The one setting of the runs that a row names, else its words for what was run."""
        ids = str(row.get("runs") or row.get("run") or "").split()
        known = {self.settings[one] for one in ids if one in self.settings}
        words = (str(row.get(name) or "") for name in ("graph", "dataset", "title", "method", "unit", "variant"))
        return known.pop() if len(known) == 1 else ", ".join(filter(None, words))

    def _value(self, name: str, value: Any, of: str) -> Any:
        if isinstance(value, str):
            return self.text(value, of)
        if name == "seed" and value is not None:
            return self.seed(value, of)
        return value

    def seed(self, seed: int | str, of: str) -> str:
        """What stands for the seed of a run of that setting."""
        return self.text(f"seed {seed}", of).removeprefix("seed ")

    def labelled(self, held: Mapping[str, Any], of: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
        """What stands behind labels, which lose seeds and ids; `of`: their settings, where known."""
        return {self.text(label, of.get(label, "")): value for label, value in held.items()}

    def meet(self, record: RunRecord) -> None:
        """Number the run and its seed next, where they were not met yet."""
        self.settings[record.id] = setting(record)
        self.text(f"seed {record.spec.seed}, {record.id}", setting(record))

    def record(self, record: RunRecord) -> RunRecord:
        """The run under another id, as if its seed were 0, and with those of its results that may leave."""
        spec = record.stored_spec
        return replace(
            record,
            id=self.text(record.id),
            stored_spec=None if spec is None else replace(spec, seed=0),
            metrics=for_others.metrics(record.metrics),
            error=self.text(_PATH.sub("(path withheld)", record.error), setting(record)),
            batch="",
            note="",
        )
