"""What a row of the page Report says of a figure: one short verdict, the private method first. All that it
finds stands in the report."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import findings, main_findings, other_questions
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.main_findings import SIMILARITY, Area
from privgraph_workbench.words.caveats import AGAIN
from privgraph_workbench.words.markup import literal
from privgraph_workbench.words.numbers import number
from privgraph_workbench.words.verdicts import than_classes, than_guessing

ATTACKED = ("attack_roc", "attack_areas")
"""Figures of which it is said what was attacked in the run's place."""


def of(one: Drawn) -> str:
    """The verdict in Markdown; of a figure that has none of its own here, what it finds."""
    if _is_of_attacks(one):
        return literal(" ".join(filter(None, (_attacked(one.rows), other_questions.of(one)))))
    return findings.of(one)


def drawn(one: Drawn) -> str:
    """The same without what attacks of other questions found, and what similarity alone tells."""
    return literal(_attacked(one.rows, similarity=False)) if _is_of_attacks(one) else findings.of(one)


def _is_of_attacks(one: Drawn) -> bool:
    return one.figure in ATTACKED and bool(one.rows) and not one.advice


def _attacked(rows: Sequence[Row], *, similarity: bool = True) -> str:
    """Of each question what the strongest attack tells of private models, then of those without privacy."""
    groups = main_findings.areas(rows)
    said = []
    for (asks, graph), held in groups.items():
        where = ", ".join(
            filter(
                None,
                (
                    asks if len({one for one, _ in groups}) > 1 else "",
                    f"on {graph}" if len({one for _, one in groups}) > 1 else "",
                ),
            )
        )
        private = [one for one in held if one.private]
        told = [_of(private, "private models")] if private else []
        if bare := [one for one in held if not one.private and not (one.blind and len(held) > 1)]:
            strongest = _of(bare, "models without privacy", named=not private)
            told.append(f"Without privacy: {strongest}" if private else strongest)
        told += [main_findings.similarity(held)] * (len(held) > 1 and similarity)
        said.append(f"{where[:1].upper()}{where[1:]}{': ' * bool(where)}{' '.join(filter(None, told))}")
    return " ".join(said)


def _of(held: list[Area], what: str, *, named: bool = True) -> str:
    most = max(held, key=lambda one: one.area[0])
    name = most.name.removesuffix(f": {SIMILARITY}") if most.blind else most.name
    lead = f"{name}{f' (most of {len(held)} {what})' * (len(held) > 1)}: " if named else ""
    caveat = f", {most.caveat}" * (most.caveat not in ("", AGAIN))  # that every model is, and a card is short
    return f"{lead}{_verdict(most)} (AUC {number(most.area[0])}{caveat})."


def _verdict(one: Area) -> str:
    """In a few words how much is told."""
    if one.blind:
        return f"{SIMILARITY}, and no leak: it reads no edge"
    if one.classes is not None:  # edges join nodes alike
        more = than_classes(one.area[1], one.area[2], one.classes)
        return f"{more} than true classes alone tell ({number(one.classes)})"
    if one.guessing:
        return "no better than guessing"
    return f"{than_guessing(*one.area[:2])} than guessing"
