"""What attacks found on the settings of a report, in its tables: for people, and as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench import attack_means
from privgraph_workbench.blocks import Block, Table
from privgraph_workbench.table_lines import Line
from privgraph_workbench.words import strongest
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.naming import graph_of
from privgraph_workbench.words.statements import LEFT_OUT as UNTOLD

STRONGEST = "Strongest attack"
ATTACKS = ("Attack on", "Asks", STRONGEST, "AUC (95% interval)", "Found (TPR at FPR)", "Mean AUC over runs")
ATTACKED = (
    "Strongest attack: the largest area under the ROC curve (AUC; guessing has 0.5) of all that were made on the "
    "setting, with its 95% interval, and the true positive rate (TPR) at few false positives (FPR); chance favours "
    "the strongest of several. Where none was made nothing is known."
)


def there(one: Line) -> bool:
    """Whether attacks on the setting are told."""
    return bool(one.attacks or one.averaged)


def made(one: Line) -> bool:
    """Whether any was made: of what is not told it is said that it is left out."""
    return there(one) or one.untold


def words(one: Line) -> str:
    """The strongest attack on a setting, and what those found on average that were made on several of its
    runs."""
    if one.untold and not there(one):
        return UNTOLD
    single = strongest.words(one.attacks, one.seed_of) if one.attacks or not one.averaged else ""
    return "; ".join(filter(None, (single, attack_means.words(one.attacked))))


def table(lines: Sequence[Line], graphs: Mapping[str, str]) -> list[Block]:
    """The strongest attack on each setting, a row for each question, with what the same found on average;
    none where nothing was attacked. `graphs`: what these are called, by `graph_of`."""
    if not any(map(made, lines)):
        return []
    rows = []
    for one in lines:
        label = f"{one.label} on {graphs[graph_of(one.record)]}" if one.heading else one.label
        means = {(mean.attack, mean.asks): mean for mean in reversed(one.attacked)}
        for best in strongest.strongest(one.attacks):
            mean = means.pop((best.attack, sides(best.attack).asks), None)
            rows.append((label, *strongest.cells(best, one.seed_of), "" if mean is None else mean.cell))
        rows += [(label, mean.asks, called(mean.attack), "", "", mean.cell) for mean in means.values()]
        rows += [] if there(one) else [(label, UNTOLD if one.untold else strongest.NONE, "", "", "", "")]
    wide = len(ATTACKS) if any(row[-1] for row in rows) else len(ATTACKS) - 1  # without a column that says nothing
    return [Table(ATTACKS[:wide], tuple(row[:wide] for row in rows))]


def averaged(one: Line) -> dict[str, object]:
    """The largest mean area of an attack over runs of the setting."""
    mean = next(iter(one.attacked), None)
    return {
        "attack_of_mean": mean and mean.attack,
        "mean_auc_runs": mean and mean.runs,
        "mean_auc": mean and mean.mean,
        "mean_auc_low": mean and mean.low,
        "mean_auc_high": mean and mean.high,
    }


def numbers(attacks: Sequence[AttackRecord]) -> dict[str, object]:
    """The attack that exceeds what its area is to be compared with the most, whatever it asks."""
    best = strongest.furthest(attacks)
    level = None if best is None else strongest.baseline(best)
    rare = best and best.rare_found
    return {
        "strongest_attack": best and best.attack,
        "attack_asks": best and sides(best.attack).asks,
        "attack_auc": best and round(best.found[0], 6),
        "attack_auc_low": best and round(best.found[1], 6),
        "attack_auc_high": best and round(best.found[2], 6),
        "attack_baseline": None if level is None else round(level, 6),
        "attack_fpr": rare and rare.false,
        "attack_tpr": rare and round(rare.true, 6),
    }
