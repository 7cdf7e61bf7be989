"""What a figure says of itself: badges, warnings, and the lines that stand below it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.markup import wrapped
from privgraph_workbench.words.naming import NO_PERSON, UNIT_WORDS, unit_of
from privgraph_workbench.words.statements import (
    audited_bound,
    cells,
    line,
    refuted_in_short,
    remarks,
)

MOST_NOTES = 6
ROOM = 40
"""Lines of statements below a picture that tells all that it states: it grows by so many at most."""
NO_STATEMENT = "No privacy guarantee: this figure is drawn from the data themselves, or from runs without a statement."
EVALUATOR = "Evaluator only: some numbers here are not part of what is released, and no guarantee covers them."
COMPOSED = (
    "Composition: {} runs on the same data. Each statement speaks of one run alone; all of them together "
    "reveal more than any one ε says."
)
DRAWN = "Composition: {} runs in this figure, of "
"""How the same begins where fewer runs are drawn than were made on these data."""
DATA_DEPENDENT = "Data-dependent: an ε here was computed from the private data, and is itself not private."


def badges(rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The warnings that rows and statements call for."""
    warnings = []
    if any(row.get("evaluator") for row in rows):
        warnings.append(EVALUATOR)
    if (most := max((row.get("composed") or 0 for row in rows), default=0)) > 1:
        several = len({row.get("graph") for row in rows}) > 1
        said = COMPOSED.format(f"{'up to ' * several}{most:,}")
        drawn = len({run for row in rows for run in str(row.get("runs") or "").split()})
        fewer = not several and 0 < drawn < most
        warnings.append(said.replace("Composition: ", DRAWN.format(f"{drawn:,}"), 1) if fewer else said)
    if any(row.get("data_dependent") for row in rows) or any(one.data_dependent for one in statements.values()):
        warnings.append(DATA_DEPENDENT)
    return warnings


def further(drawn: Sequence[str], rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The warnings of `badges` that are not `drawn` on the figure already, in the shorter words of its
    own."""
    counted, runs = (form.partition("}")[2] for form in (COMPOSED_BADGE, COMPOSED))
    has_evaluator, has_composed = EVALUATOR_BADGE in drawn, any(one.endswith(counted) for one in drawn)
    return [
        one
        for one in badges(rows, statements)
        if not (has_evaluator and one == EVALUATOR) and not (has_composed and one.endswith(runs))
    ]


def notes(rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The lines below an exported figure: its badges, then one line a statement, equal ones said once."""
    held: dict[str, list[str]] = {}
    for label, statement in statements.items():
        held.setdefault(line("", statement, no_edge=reads_no_edge(label)), []).append(label)
    said = [f"{', '.join(filter(None, labels[:3]))}{_rest(labels)}: {text}" for text, labels in held.items()]
    said = [text.removeprefix(": ") for text in said]
    if len(said) > MOST_NOTES:
        left = len(said) - MOST_NOTES
        said = [*said[:MOST_NOTES], _cut(left)]
    return [*badges(rows, statements), *(said or [NO_STATEMENT])]


COLUMNS = ("", "protects", *(EPSILONS[kind].title for kind in ("sound", "published", "audited")), "δ")
UNIT = "Protected unit:"
LABEL = 46
"""Letters of a line that say whose statement it is; a longer name goes on in the next line."""


def natural(text: str) -> list[tuple[int, float, str]]:
    """A key that sorts names as people do: by the numbers in them, and not by their digits.

    >>> sorted(["ε 10", "ε 2", "ε 0.5"], key=natural)
    ['ε 0.5', 'ε 2', 'ε 10']
    """
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(1, float(part), "") if place % 2 else (0, 0.0, part) for place, part in enumerate(parts)]


def _order(one: tuple[str, PrivacyStatement]) -> tuple[bool, list[tuple[int, float, str]]]:
    """First what protects somebody, which a short list must not cut off."""
    label, statement = one
    return statement.unit == "none", natural(label)


Stated = tuple[str, tuple[str, ...]]
"""A name, and the cells of `COLUMNS` behind it."""


def stated(
    statements: Mapping[str, PrivacyStatement], most: int = MOST_NOTES, *, single: int | None = None
) -> tuple[str, list[Stated], int]:
    """What all names have in common, the statements under the rest of their names, secret noise first and
    then by these, and how many more there are than `most` lines: never one, which takes as much room to say.
    Equal ones are said once; where there are more than `single` (None: than `most`), those that differ in ε
    alone share a line, with the range of each number, if that makes fewer lines."""
    held: dict[tuple[str, ...], list[str]] = {}
    for label, statement in sorted(statements.items(), key=_order):
        held.setdefault(cells(statement, no_edge=reads_no_edge(label)), []).append(label)
    shared = _shared(list(statements)) if len(statements) > 1 else ""
    said = [(_named([label.replace(shared, "", 1) for label in labels]), values) for values, labels in held.items()]
    if len(statements) > (most if single is None else single):
        said = min(said, [(name.replace(shared, "", 1), values) for name, values in _together(statements)], key=len)
    most += len(said) == most + 1
    return shared.strip(), said[:most], max(0, len(said) - most)


def block(
    statements: Mapping[str, PrivacyStatement], most: int = MOST_NOTES, *, single: int | None = None
) -> list[str]:
    """The same as lines of a table with columns of equal width; where there is none it says so."""
    if not statements:
        return [NO_STATEMENT]
    shared, said, left = stated(statements, most, single=single)
    *above, last = wrapped(shared, LABEL) or [""]
    rows: list[Sequence[str]] = [*((line, *("" for _ in COLUMNS[1:])) for line in above), (last, *COLUMNS[1:])]
    for name, values in said:
        first, *more = wrapped(name, LABEL) or [""]
        rows.append((first, *values))
        rows += [(f"  {rest}", *("" for _ in values)) for rest in more]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*lines, _cut(left)] if left else lines


def _cut(left: int) -> str:
    """That so many statements are not printed, and where they are."""
    return f"and {left} more statement{'s' * (left > 1)}, in this file's metadata"


IN_FULL = "What is promised, in full: the TXT file of this figure, and this picture's metadata."
"""Where the rest is, below a picture that has one line of it."""


def short(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The least that a picture says of its epsilons, a line for each protected unit: which unit, the sound
    epsilons and those as published, and delta; and where the rest is."""
    if not statements:
        return [NO_STATEMENT]
    units: dict[str, list[tuple[str, PrivacyStatement]]] = {}
    for label, statement in statements.items():
        units.setdefault(statement.unit, []).append((label, statement))
    units.pop("none", None)
    said = []
    for unit, members in sorted(units.items()):
        _, sound, published, audited, delta = _ranges(members)
        known = any(one.epsilon_audited is not None for _, one in members)
        names = [EPSILONS[kind].title for kind in ("sound", "published", "audited")]
        numbers = [
            f"{names[0].capitalize()} {sound}",
            f"{names[1]} {published}",
            *([f"audited: {audited}"] if known else []),
        ]
        said.append(f"{UNIT} one {unit}. {'; '.join(numbers)}; δ {delta}.")
    said += _refuted(statements)
    said += unprotected(statements)
    return [*said, IN_FULL]


def _refuted(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """Which claims attacks have refuted, a line for all of whom the same is said."""
    shared, held = _shared(list(statements)), dict[str, list[str]]()
    for label, one in sorted(statements.items(), key=lambda each: natural(each[0])):
        if one.unit != "none" and (refuted := refuted_in_short(one)):
            held.setdefault(refuted, []).append(label.replace(shared, "", 1))
    return [f"{_named(labels)}: {refuted}." for refuted, labels in held.items()]


def unprotected(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """How many settings guarantee nothing, and which of those without a guarantee read no edge, and so hide
    every one; nothing where all guarantee something."""
    open_ = [label for label, one in statements.items() if one.unit == "none"]
    if not open_:
        return []
    if len(open_) == len(statements) and not any(map(reads_no_edge, open_)):
        return ["No setting here guarantees anything.", *_of_none(statements)]
    blind = dict.fromkeys(label.partition(" on ")[0] for label in open_ if reads_no_edge(label))
    count = sum(not reads_no_edge(label) for label in open_)
    nothing = f"{count} of the {len(statements)} settings guarantee{'s' * (count == 1)} nothing: no ε"
    hides = (
        f"{' and '.join(blind)} hide{'s' * (len(blind) == 1)} every edge without noise (ε 0 for edges), and no person"
    )
    told = "; ".join([*([nothing] if count else []), *([hides] if blind else [])])
    return [f"{told}.", *_of_none(statements)]


def _of_none(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """What attacks have shown of settings that guarantee nothing, and apart of those that read no edge."""
    shown: dict[str, float] = {}
    for label, one in statements.items():
        if one.unit == "none" and one.epsilon_audited is not None:
            whose = f"{label.partition(' on ')[0]}, for people" if reads_no_edge(label) else "what guarantees nothing"
            shown[whose] = max(shown.get(whose, 0.0), one.epsilon_audited)
    return [f"{EPSILONS['audited'].title} of {whose}: {audited_bound(bound)}." for whose, bound in shown.items()]


EXAMPLE_BADGE = "example runs"
"""Above a file's figure whose noise key ships with the program."""


def warned(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """The badge of example runs, where there are any."""
    return [EXAMPLE_BADGE] if any(map(has_public_noise, statements.values())) else []


def told(statements: Mapping[str, PrivacyStatement], most: int = MOST_NOTES) -> list[str]:
    """What must be known beside the numbers of `block`, a sentence each, and whose it is."""
    held: dict[str, list[str]] = {}
    for label, statement in sorted(statements.items(), key=lambda one: natural(one[0])):
        for remark in remarks(statement):
            held.setdefault(remark, []).append(label)
    every, private = len(statements), sum(one.unit != "none" for one in statements.values())

    def whose(labels: Sequence[str]) -> str:
        all_private = len(labels) == private > 3 and all(statements[label].unit != "none" for label in labels)
        return f"All {private} private settings" if all_private else _named(labels)

    said = [
        f"{remark[:1].upper()}{remark[1:]}." if len(labels) == every else f"{whose(labels)}: {remark}."
        for remark, labels in held.items()
    ]
    left = len(said) - most
    return said if left <= 0 else [*said[:most], f"And {left} more remark{'s' * (left > 1)}, in this file's metadata."]


_BUDGET = re.compile(r"ε \d[\d.,e+-]*\d|ε \d")
_REPEATED = re.compile(r" \(\d+\)$")
_GRAPH = re.compile(r" on (?:[^,(]|\([^)]*\))+(?=,)")  # its sizes stand in brackets, with commas


def _shared(names: Sequence[str]) -> str:
    """The graph in the words of names (" on Cora") where all have the same; "" otherwise."""
    found = {match[0] if (match := _GRAPH.search(name)) else "" for name in names}
    return found.pop() if len(found) == 1 else ""


def _together(statements: Mapping[str, PrivacyStatement]) -> list[tuple[str, tuple[str, ...]]]:
    """A name and its cells for the statements of each method and setting, whatever their ε."""
    groups: dict[tuple[str, str], list[tuple[str, PrivacyStatement]]] = {}
    for label, statement in sorted(statements.items(), key=_order):
        name = _BUDGET.sub("ε", _REPEATED.sub("", label), count=1)
        groups.setdefault((name, statement.unit), []).append((label, statement))
    found = []
    for (name, _), members in groups.items():
        budgets = sorted({match[0][2:] for label, _ in members if (match := _BUDGET.search(label))}, key=natural)
        shown = members[0][0] if len(members) == 1 else name.replace("ε", f"ε {_range(budgets)}", 1)
        found.append((shown, _ranges(members, no_edge=reads_no_edge(members[0][0]))))  # of one method, and so of all
    return found


def reads_no_edge(label: str) -> bool:
    """Whether a label (`naming.describe`) is that of a run that reads no edge and guarantees nothing."""
    return f", {NO_PERSON}" in label


def _ranges(labelled: Sequence[tuple[str, PrivacyStatement]], *, no_edge: bool = False) -> tuple[str, ...]:
    """The cells of several statements with labels: one value where all have it, and a range otherwise."""
    members = [one for _, one in labelled]
    by_size = {
        1: sorted(members, key=lambda one: one.epsilon),
        2: sorted(members, key=lambda one: -1.0 if one.epsilon_as_published is None else one.epsilon_as_published),
        3: sorted(
            (one for one in members if one.epsilon_audited is not None), key=lambda one: one.epsilon_audited or 0
        ),
        4: sorted(members, key=lambda one: one.delta),
    }
    found = []
    for place in range(len(COLUMNS) - 1):
        values = list(dict.fromkeys(cells(one, no_edge=no_edge)[place] for one in by_size.get(place, members)))
        found.append(_range(values) or cells(members[0])[place])
    if 0 < len(by_size[3]) < len(members):
        found[3] = _where_audited(labelled, found[3])
    return tuple(found)


def _where_audited(labelled: Sequence[tuple[str, PrivacyStatement]], said: str) -> str:
    """What was shown, of which budgets, and how many more were not audited."""
    held = [label for label, one in labelled if one.epsilon_audited is not None]
    budgets = sorted({match[0][2:] for label in held if (match := _BUDGET.search(label))}, key=natural)
    left = len(labelled) - len(held)
    where = f"at ε {_range(budgets)}: " if budgets else ""
    return f"{where}{said}; the other {left} not audited"


def _range(values: Sequence[str]) -> str:
    """The first and the last of them; words that both begin with are said once.

    >>> _range(["1", "2", "8"]), _range(["at least 5.17", "at least 6.43"]), _range(["2"])
    ('1 to 8', 'at least 5.17 to 6.43', '2')
    """
    return f"{values[0]} to {values[-1].removeprefix('at least ')}" if len(values) > 1 else "".join(values)


def _named(labels: Sequence[str]) -> str:
    """Names in one: those that hold commas are not parted by them."""
    apart = "; " if any(", " in label for label in labels) else ", "
    return f"{apart.join(labels[:3])}{_rest(labels)}"


def _rest(labels: Sequence[str]) -> str:
    return f" and {len(labels) - 3} more" if len(labels) > 3 else ""


TRUTH_BADGE = "evaluator only: nobody who takes part knows the truth about a query"
EVALUATOR_BADGE = (
    "evaluator only: accuracies are measured on labels that an evaluator knows, and no guarantee covers them"
)
COMPOSED_BADGE = "{:,} runs on the same data: each ε is that of one run alone, and all of them together reveal more"


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """For each run (by its id), how many of these runs read the same people: who sees them all sees a
    composition. 0 where none of them is private: there is no epsilon that says less than that."""
    known = list(records)
    people = {one.id: GraphId.of(one.spec).people for one in known}
    together, private = Counter(people.values()), {people[one.id] for one in known if unit_of(one) != "none"}
    return {run: together[read] if read in private else 0 for run, read in people.items()}


def badges_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What a figure of rows says of itself: that numbers are an evaluator's (column `evaluator`), and that
    several runs of the same people stand in it (column `composed`): of several graphs (column `graph`), on
    the one with most of them."""
    most = max((row.get("composed") or 0 for row in rows), default=0)
    several = len({row.get("graph") for row in rows}) > 1
    return (
        *((EVALUATOR_BADGE,) if any(row.get("evaluator") for row in rows) else ()),
        *((f"{'up to ' * several}{COMPOSED_BADGE.format(most)}",) if most > 1 else ()),
    )


def mixed_units(rows: Iterable[Row]) -> str | None:
    """The warning for rows (unit, epsilon, epsilon_as_published) whose epsilons protect different units.

    What has no epsilon to compare, because nothing or everything is protected, can be mistaken for nothing.
    """
    found = (row["unit"] for row in rows if placed(row["epsilon"]) or placed(row["epsilon_as_published"]))
    units = sorted(set(found) - {"none"})
    if len(units) < 2:
        return None
    words = " and ".join(UNIT_WORDS[unit] for unit in units)
    return f"{words} runs stand together here: an ε for one unit says nothing about the other, so do not compare them"
