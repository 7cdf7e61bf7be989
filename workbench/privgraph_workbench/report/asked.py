"""What a report is made of: words of its author, and entries, as plain JSON. No Streamlit."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

from privgraph.options import OptionError
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row

MOST = 60
"""Entries of a report."""
LETTERS: Mapping[str, int] = {"title": 200, "author": 200, "date": 60, "remark": 5000, "caption": 2000}
"""Letters that a text of the author may have."""
_RUN = re.compile(r"[a-z][a-z0-9-]*-[0-9a-f]{12}(?![0-9a-f])")
_SINGLE = ("run", "runs", "seed")
"""Columns that name single runs."""
_UNSEEN = ("Cc", "Cf", "Cs", "Cn")
_JOINERS = "\u200c\u200d"
"""Invisible letters that Persian, Indic scripts and emoji are written with."""


def visible(text: str) -> str:
    """A text without control characters, direction marks and other letters that nobody sees.

    >>> visible("a\\x00b\\u202ec\\td")
    'a bc d'
    """
    spaced = "".join(" " if one != "\n" and unicodedata.category(one) == "Cc" else one for one in text)
    return "".join(one for one in spaced if one in f"\n{_JOINERS}" or unicodedata.category(one) not in _UNSEEN)


def clean(value: Any) -> Any:
    """JSON values whose texts are `visible`, without ids of runs."""
    if isinstance(value, str):
        return _RUN.sub("", visible(value))
    if isinstance(value, Mapping):
        return {clean(str(name)): clean(one) for name, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list | tuple) else value


def named(rows: Sequence[Row], runs: Sequence[str] = ()) -> tuple[str, ...]:
    """The ids of the runs that a figure names, those first that are named beside its rows (`runs`).

    >>> named([{"runs": "gap-cora-00000000beef mlp"}, {"run": ""}], ["mlp-cora-00000000cafe"])
    ('mlp-cora-00000000cafe', 'gap-cora-00000000beef')
    """
    words = (word for row in rows for key in ("run", "runs") for word in str(row.get(key) or "").split())
    return tuple(dict.fromkeys((*runs, *filter(_RUN.fullmatch, words))))


def mark_of(figure: str, rows: Sequence[Row], runs: Sequence[str]) -> str:
    """What tells an entry from others: its figure, its runs, and the words and numbers of its first row."""
    first = [str(value) for row in rows[:1] for name, value in row.items() if name not in _SINGLE]
    return hashlib.sha256(json.dumps([figure, len(rows), first, list(runs)]).encode()).hexdigest()[:12]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A figure of settings; without a `figure` the settings of `runs` alone."""

    figure: str = ""
    rows: Sequence[Row] = field(default=(), repr=False)
    statements: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """As JSON, by label."""
    runs: tuple[str, ...] = ()
    """Ids, which stay in the home."""
    title: str = ""
    caption: str = ""
    ticked: bool = False
    """Whether the author lets an attack or audit in."""

    def __post_init__(self) -> None:
        if self.figure:
            figure_of(self.figure)

    @classmethod
    def of(
        cls, figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], runs: Sequence[str] = ()
    ) -> Self:
        """A figure as it is now. Raises `OptionError` for one that is not of settings."""
        if not figure_of(figure).settings:
            raise OptionError(f"the figure {figure} is of a single run")
        told = {label: statement_to_json(one) for label, one in statements.items()}
        kept = [{name: value for name, value in row.items() if name not in _SINGLE} for row in rows]
        return cls(figure=figure, rows=clean(kept), statements=clean(told), runs=named(rows, runs))

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Self:
        """Of what `asdict` wrote. Raises `TypeError`, `ValueError` or `OptionError` for anything else."""
        one = cls(**{**told, "runs": tuple(told["runs"])})
        one.held  # noqa: B018  a statement that cannot be read is found here
        return one

    @property
    def examines(self) -> bool:
        """Whether it shows what attacks or audits found."""
        return self.figure != "" and figure_of(self.figure).examines

    @property
    def shown(self) -> bool:
        """Whether it goes into the report."""
        return not self.examines or self.ticked

    @cached_property
    def held(self) -> dict[str, PrivacyStatement]:
        """The statements."""
        return {label: statement_from_json(one) for label, one in self.statements.items()}

    @cached_property
    def mark(self) -> str:
        """The same wherever it stands, and whatever it is called."""
        return mark_of(self.figure, self.rows, self.runs)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A report. Raises `OptionError` where nothing goes into it, and for too long texts."""

    title: str
    author: str = ""
    date: str = ""
    remark: str = ""
    notebook: bool = True
    appendix: bool = True
    entries: Sequence[Entry] = ()

    def __post_init__(self) -> None:
        texts = [(name, getattr(self, name)) for name in LETTERS if name != "caption"]
        texts += [(name, getattr(one, name)) for one in self.entries for name in ("title", "caption")]
        for name, text in texts:
            if len(text) > LETTERS[name]:
                raise OptionError(f"the {name} has at most {LETTERS[name]:,} letters (got {len(text):,})")
        if not self.title.strip():
            raise OptionError("a report needs a title")
        if not self.shown:
            raise OptionError("a report needs at least one run or figure")

    @property
    def shown(self) -> list[Entry]:
        """The entries that go into it."""
        return [one for one in self.entries if one.shown]

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Self:
        """Of what `asdict` wrote."""
        return cls(**{**told, "entries": [Entry.read(one) for one in told["entries"]]})

    def json(self) -> str:
        """As text."""
        return json.dumps(asdict(self))
