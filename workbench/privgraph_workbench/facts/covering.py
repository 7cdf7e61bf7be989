"""What the number of a protection is about: which guess, and whom it does not cover, by the relation of
neighbouring datasets. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from privgraph.privacy.kinds import Neighbours, Release
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.meaning import ANY_WAGER, WHY_NOT_COVERED

Promised = tuple[str, str]
"""The title of a method that is taken, and the relation (`Neighbours`) of its runs."""
GUESSED: Mapping[str, str] = {
    **dict.fromkeys((Neighbours.UNDIRECTED_EDGE, Neighbours.DIRECTED_EDGE), "whether an edge is there"),
    **dict.fromkeys(
        (Neighbours.NODE_RECORD, Neighbours.NODE, Neighbours.ASSIGNED_NODE), "whether a person's data were used"
    ),
    **dict.fromkeys(
        (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES),
        "whether a person who is in the graph takes part or has opted out",
    ),
    Neighbours.REPLACED_RECORD: "which of two records a person gave",
}
"""What is guessed under a relation."""
_PLAIN: Mapping[str, Neighbours] = {"edge": Neighbours.UNDIRECTED_EDGE, "node": Neighbours.NODE}
EVEN = "where both were equally likely before (a coin: 50%)"
"""Before what is guessed is released."""
_LESS: Mapping[str, str] = {
    **dict.fromkeys((Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES), "opt-out"),
    Neighbours.REPLACED_RECORD: "which of two records",
}
"""What relations of people hide that do not cover somebody who was never there."""
_MEANS: Mapping[str, str] = {
    "opt-out": "whether somebody in the graph opted out",
    "which of two records": "which one somebody in the graph gave",
}
"""The same in whole words."""
WEIGHTS = "weights only"
NEVER_THERE = "somebody who was never there is not covered"


def promised_by(rows: Iterable[Row]) -> tuple[Promised, ...]:
    """What these rows promise under, each method and relation once."""
    return tuple(dict.fromkeys((str(row["title"]), str(row["neighbours"])) for row in rows))


def less(row: Row) -> tuple[str, ...]:
    """In what a row that protects people promises less than that whatever it says of a person's record or
    node is hidden, in weights and predictions; nothing of what protects edges, where all promise alike."""
    if row["unit"] != "node":
        return ()
    relation = _LESS.get(str(row["neighbours"]), "")
    weights = WEIGHTS if row.get("release") == Release.WEIGHTS else ""
    return tuple(filter(None, (relation, weights)))


def mark(row: Row) -> str:
    """The same in a few words; "" where nothing is missing.

    >>> mark({"unit": "node", "neighbours": "frozen sample", "release": "weights"})
    'hides opt-out; weights only may be released'
    >>> mark({"unit": "node", "neighbours": "node record", "release": "model"})
    ''
    """
    return "; ".join(f"{one} may be released" if one == WEIGHTS else f"hides {one}" for one in less(row))


def other_promise(row: Row, taken: Row) -> str:
    """How the promise of a row differs from that of what is taken at the same ε; "" where it does not.

    >>> full, less = {"unit": "node", "neighbours": "node"}, {"unit": "node", "neighbours": "frozen degrees"}
    >>> other_promise(less, full), other_promise(full, less), other_promise(less, less)
    ('weaker promise: opt-out', 'stronger promise: not only opt-out', '')
    """
    mine, theirs = less(row), less(taken)
    fewer, more = [one for one in theirs if one not in mine], [one for one in mine if one not in theirs]
    if more:
        return f"{'another' if fewer else 'weaker'} promise: {', '.join(more)}"
    return f"stronger promise: not only {both([one.removesuffix(' only') for one in fewer])}" if fewer else ""


def never_there(promised: Iterable[Promised]) -> str:
    """What the promises hide that do not cover everybody (`mark`), in a sentence each; "" where all do.

    >>> never_there([("GAP", "undirected edge")])
    ''
    >>> never_there([("DP-GNN", "frozen sample")]).partition("; ")[0]
    '“Hides opt-out” (DP-GNN): whether somebody in the graph opted out'
    """
    held: dict[str, list[str]] = {}
    for title, relation in dict.fromkeys(promised):
        if relation in WHY_NOT_COVERED:
            held.setdefault(_LESS[relation], []).append(title)
    return " ".join(
        f"“Hides {less}” ({both(list(dict.fromkeys(titles)))}): {_MEANS[less]}; {NEVER_THERE}."
        for less, titles in held.items()
    )


def short(promised: Iterable[Promised], unit: str) -> str:
    """The same in a line: of people the guess that covers what their methods say at more length, where they
    do not say the same, and whom some do not cover; "" where nothing is promised.

    >>> short([("GAP", "undirected edge")], "edge").partition(" is ")[2]
    'right about whether an edge is there, where both were equally likely before (a coin: 50%).'
    """
    held = tuple(promised)
    if not held:
        return ""
    found = {GUESSED.get(relation, ANY_WAGER.rstrip(",")) for _, relation in held}
    guess = next(iter(found)) if len(found) == 1 else GUESSED[_PLAIN[unit]]
    told = f"Protection: how often, at most, somebody who knows all else is right about {guess}, {EVEN}."
    return " ".join(filter(None, (told, never_there(held))))


def words(promised: Iterable[Promised], lead: str = "Protection: how often") -> str:
    """What the number of a protection is, once for all methods of one guess; "" where nothing is promised.

    >>> words([("GAP", "undirected edge")]).partition(" about ")[2]
    'whether an edge is there, where both were equally likely before (a coin: 50%).'
    """
    guesses: dict[str, list[str]] = {}
    for title, relation in promised:
        never = f" ({NEVER_THERE})" if relation in WHY_NOT_COVERED else ""
        guesses.setdefault(f"{GUESSED.get(relation, ANY_WAGER.rstrip(','))}{never}", []).append(title)
    if not guesses:
        return ""
    who = f"{lead}, at most, somebody who knows all else is right"
    if len(guesses) > 1:
        each = "; ".join(f"with {both(list(dict.fromkeys(titles)))}, {guess}" for guess, titles in guesses.items())
        return f"{who}, {EVEN}. What is guessed: {each}."
    guess, bracket, _ = next(iter(guesses)).partition(" (")
    return f"{who} about {guess}, {EVEN}." + (f" {NEVER_THERE[:1].upper()}{NEVER_THERE[1:]}." if bracket else "")
