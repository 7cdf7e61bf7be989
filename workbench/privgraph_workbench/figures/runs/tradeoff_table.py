"""Accuracy against epsilon as a CSV: which columns it has, in how many digits, and what they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privgraph.privacy import rounding
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import has_public_noise
from privgraph_workbench.facts.references import interval
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs.tradeoff_shown import ADVISED
from privgraph_workbench.words.naming import reads_no_edge
from privgraph_workbench.words.numbers import number

TOGETHER = "together"
"""Of the rows of a file: what all runs behind them have shown together, in words."""
ALL_TOGETHER = ("epsilon_all_together", "delta_all_together")
"""Of a row the epsilon and delta of all runs on the same data that promise the same, composed."""
NAMES = {"composed": "runs_on_same_data", "gallery": "runs_from_gallery"}
"""What columns are called in a file whose reader knows no other word of ours."""
DIGITS = 6
"""Significant digits of a number in the file."""
MEASURED = ("mean", "low", "high", "guess", "low_by_test_nodes", "high_by_test_nodes")
"""Columns that are rounded to the nearest such number: they promise nothing."""
SAME = 1e-6
"""Noises whose ratio is nearer to 1 are one noise."""
TOLD = (
    f"In the CSV, epsilon, epsilon_for_edges and delta are rounded up to {DIGITS} significant digits, so that none "
    f"says less than holds; epsilon_as_published, means and their intervals are rounded to the nearest {DIGITS} "
    "digits. noise says in words what every mechanism of the run added: "
    "the standard deviation is in the units of what is released, and sensitivity is "
    "the most that one protected unit moves it, in the norm in brackets. noise_multiplier is that standard deviation "
    "divided by the sensitivity (no unit), and noise_std the standard deviation, where all mechanisms of a setting "
    "have the same; they are empty where these differ, where nothing is protected, and where what is random is no "
    "added noise (noise then says what it is). Noise is that of the seed with the largest sound epsilon, which the "
    "row states. noise_public is yes where anybody can draw the noise of a run behind the row again, so that this row "
    "protects nobody, no where it hangs on a secret key, and empty where nothing is protected. low and high are the "
    "95% interval over seeds (Student's t), which has no width where all seeds agree; low_by_test_nodes and "
    "high_by_test_nodes are what the number of test nodes alone leaves open of the mean (95%, Clopper and Pearson). "
    f"epsilon_audited is the largest lower bound that an attack has shown of a run behind the row, rounded down to "
    f"{DIGITS} digits, and empty where no attack was made. front is true where no other row of the graph and unit, "
    "measured on as many test nodes, has a higher mean at an epsilon that is no larger or larger by less than 1%; "
    "what reads no edge stands at 0 among rows that protect edges. "
    "runs_on_same_data counts the runs in the figure's table on the same data. epsilon_all_together, with "
    "delta_all_together, is the sound ε of all private runs on these data that protect the row's unit under its "
    "relation of neighbouring datasets, composed: what whoever sees all of them has been shown. It is empty where "
    "nothing is protected, where they are too many to be priced, and in files made elsewhere than on the page "
    "Trade-offs. runs_from_gallery counts those of the row's seeds that came with the program. advice is what that "
    "page says of the row. The JSON file has every digit, with runs_on_same_data as composed and runs_from_gallery as "
    "gallery."
)
"""What must be known of the columns, beside the CSV."""


def noise_public(statements: Sequence[PrivacyStatement]) -> bool | None:
    """Whether anybody can draw the noise of one of these runs again; None where none of them adds any."""
    private = [one for one in statements if one.unit != "none"]
    return any(map(has_public_noise, private)) if private else None


def noise_of(statement: PrivacyStatement | None) -> dict[str, Any]:
    """What a run added, as its ledger records it: columns noise (in words; "": nothing), noise_multiplier and
    noise_std (None: not one number)."""
    entries = [] if statement is None else [one for one in statement.ledger if one.count]
    ratios = [None if not one.noise_std or not one.sensitivity else one.noise_std / one.sensitivity for one in entries]
    return {
        "noise": "; ".join(dict.fromkeys(_words(one) for one in entries)),
        "noise_multiplier": _one(ratios),
        "noise_std": _one([one.noise_std or None for one in entries]),
    }


def _words(entry: LedgerEntry) -> str:
    """A mechanism, how often it was run, and its noise.

    Two stages with one noise are told apart; of a mechanism without added noise its note says what is random.
    """
    name = f"{entry.mechanism}{f', {entry.stage}' * bool(entry.stage)}{f' × {entry.count}' * (entry.count != 1)}"
    if not entry.noise_std:
        return f"{name}: {entry.note}" if entry.note else name
    said = f"{name}: standard deviation {number(entry.noise_std, DIGITS)}"
    return (
        said if entry.sensitivity is None else f"{said}, sensitivity {number(entry.sensitivity, DIGITS)} ({entry.norm})"
    )


def _one(values: Sequence[float | None]) -> float | None:
    """The number that all of them are, in the digits of a file; None where there is none.

    >>> _one([2.0, 2.0000000001]), _one([2.0, 3.0]), _one([2.0, None]), _one([])
    (2.0, None, None, None)
    """
    held = [one for one in values if one is not None]
    if not held or len(held) < len(values) or max(held) > min(held) * (1 + SAME):
        return None
    return float(f"{min(held):.{DIGITS}g}")


def table(rows: Sequence[Row]) -> list[Row]:
    """The rows as a CSV has them: without what the drawing alone asks for, epsilons in few digits (`TOLD`),
    with names that speak for themselves, and with `epsilon_for_edges`, which is 0 of what reads no edge: no
    noise is needed to hide them."""
    left_out = ("with_published", "with_front", "audit_premise", "release", TOGETHER, ADVISED)
    kept = [{name: value for name, value in row.items() if name not in left_out} for row in rows]
    return [_named(_rounded({**row, "epsilon_for_edges": _for_edges(row)})) for row in kept]


def _named(row: Row) -> Row:
    """A row under the names of a file, with what stands there alone."""
    public = row.get("noise_public")
    nodes = row["test_nodes"]
    low, high = (None, None) if not nodes else interval(row["mean"], nodes)
    more = {
        "noise_public": None if public is None else "yes" if public else "no",
        "low_by_test_nodes": low,
        "high_by_test_nodes": high,
        **{name: None if row.get(name) is None else above(row[name]) for name in ALL_TOGETHER},
    }
    whole = {**row, **more}
    short = {name: float(f"{whole[name]:.{DIGITS}g}") for name in MEASURED if whole.get(name) is not None}
    return {NAMES.get(name, name): value for name, value in {**whole, **short}.items()}


def _for_edges(row: Row) -> float | None:
    blind = row["unit"] == "none" and reads_no_edge(row["method"])
    return 0.0 if blind else float(row["epsilon"]) if row["unit"] == "edge" else None


def _rounded(row: Row) -> Row:
    up = {name: above(row[name]) for name in ("epsilon", "epsilon_for_edges", "delta") if row.get(name) is not None}
    published, audited = row.get("epsilon_as_published"), row.get("epsilon_audited")
    return {
        **row,
        **up,
        "epsilon_as_published": None if published is None else float(f"{published:.{DIGITS}g}"),
        "epsilon_audited": None if audited is None else float(rounding.lower(audited, DIGITS)),
    }


def above(value: float) -> float:
    """A bound in the digits of a file, never below its true value.

    >>> above(1.0000001), above(0.99968412345), above(2.0), above(math.inf)
    (1.00001, 0.999685, 2.0, inf)
    """
    return value if not math.isfinite(value) else float(rounding.upper(value, DIGITS))
