"""How well attacks tell who was trained on, or what else they ask, and the curve that a run's sound epsilon
says they cannot cross."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import numpy as np

from privgraph.attacks.record import FEW, AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.attacks.colours import slots
from privgraph_workbench.figures.attacks.limits import claim_rows
from privgraph_workbench.figures.audits.audit_roc import SCALES
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, distinct, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ATTACKS
from privgraph_workbench.leaks import by_similarity, guessing
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number, stated

ABOVE = 1.04
"""Where the axis of what is found ends: a line that runs along 1 is seen."""
DOTTED = 5
"""The dash of limits where there are several."""
LINE = 66
"""The longest line of an entry in the legend: a longer one would be cut off."""
COLUMNS = {
    "attack": "attack",
    "curve": "curve",
    "false": "false_positive_rate",
    "true": "true_positive_rate",
    "low": "true_positive_rate_low",
    "high": "true_positive_rate_high",
}
"""What stands in a CSV, and as what; all else is the same for all rows of an attack, and told in the text
beside it."""
OWN, FAINT = "the run's own training nodes", "faint: each run's own training nodes"
"""The faint line of a single attack in the legend, and those of several."""
BAND = "band: all attacked models"
CROWD = 3
"""Attacks from which on one line is drawn of each: faint ones beside them would hide them."""


def data(
    records: Sequence[AttackRecord],
    scale: str = "linear",
    names: Sequence[str] = (),
    graphs: Sequence[str] = (),
    *,
    banded: bool = True,
) -> list[Row]:
    """One row per point of each curve, from few false positives to many.

    attack (its name in the legend: of `names`, else its title), attack_name (in `ATTACKS`), run, curve
    (attack: on the run's own training nodes; mean: over the attacked models, where they are at least `FEW`;
    band: over all of them; sound: the most that the run's sound epsilon allows, and chance with so few
    members and others), false, true, low, high (of a band; None elsewhere), own_area (of the line), area,
    area_low, area_high, models, rare_false, rare_true, rare_low, rare_high (the rarest false positive rate
    that so many others can show, and its true positive rate with its interval), confidence (of all
    intervals), guessing (whether nothing says that it is better than a guess), drawn (whether members were
    drawn at random), epsilon (sound), by_classes (the area of the true classes alone, where the attack goes
    by similarity; else None), steps, scale, asks, members_are, others_are (the attack's question and its two
    sides in words), others (how many of them it is judged on: their smallest share that can be named is one
    of so many), graph (of `graphs`, what it was on), banded (whether bands are drawn; a CSV has them in any
    case). An infinite
    epsilon has no rows, for it allows everything, nor has one whose neighbouring datasets lead from no node
    that trains to one that does not. Raises `ValueError` for an unknown scale."""
    if scale not in SCALES:
        raise ValueError(f"the scale must be one of {', '.join(SCALES)} (got {scale})")
    rows: list[Row] = []
    claims: set[tuple[float, float, int | None]] = set()
    titles = distinct(names or [one.title for one in records])
    for name, record, graph in zip(titles, records, graphs or [""] * len(records), strict=True):
        area, rare, apart = record.found, record.rare_found, sides(record.attack)
        shared: Row = {"attack": name, "attack_name": record.attack, "run": record.run, "area": area[0]}
        shared |= {"own_area": record.outcome.area, "area_low": area[1], "area_high": area[2]}
        shared |= {"models": len(record.areas), "rare_false": None if record.rare is None else record.rare.false}
        shared |= {f"rare_{end}": None if rare is None else getattr(rare, end) for end in ("true", "low", "high")}
        shared |= {"confidence": record.confidence, "guessing": guessing(record), "drawn": record.drawn}
        shared |= {"epsilon": record.sound, "by_classes": record.by_classes if by_similarity(record) else None}
        shared |= {"steps": record.steps, "delta": record.delta, "scale": scale, "asks": apart.asks}
        shared |= {"members_are": apart.members, "others_are": apart.others, "others": record.outcome.others}
        shared |= {"graph": graph, "banded": banded}
        band = (record.band_false, record.band_mean, record.band_low, record.band_high)
        blank = [None] * len(record.band_false)
        curves = {
            "band": band if len(record.areas) > 1 else ((),) * 4,
            "mean": (*band[:2], blank, blank) if len(record.areas) >= FEW else ((),) * 4,
            "attack": (record.roc_false, record.roc_true, *([None] * len(record.roc_false),) * 2),
        }
        rows += [
            {"curve": curve, "false": false, "true": true, "low": low, "high": high, **shared}
            for curve, ends in curves.items()
            for false, true, low, high in zip(*ends, strict=True)
        ]
        claim = (record.sound, record.delta, record.steps)
        if record.drawn and record.steps is not None and math.isfinite(record.sound) and claim not in claims:
            claims.add(claim)
            rows += claim_rows(record, record.steps, shared)
    return rows


def table(rows: Sequence[Row]) -> list[Row]:
    """The rows as they leave in a CSV: what differs from row to row, in six decimals; of bands and means, no
    share of false positives that is less than one of the others."""
    return [
        {name: round(value, 6) if isinstance(value := row[key], float) else value for key, name in COLUMNS.items()}
        for row in rows
        if row["curve"] not in ("band", "mean") or row["false"] == 0 or row["false"] >= _first(row, 0.0)
    ]


@figure("attack_roc", "What attacks find", data, needs=ATTACKS, settings=True, table=table)
def chart(rows: Sequence[Row]) -> Chart:
    """A curve for each attack with its band over attacked models, the claims, and a guess by chance.

    The curve is the mean over the attacked models, whose area is told; that of one model alone is faint."""
    if not rows:
        return empty("no attack is chosen")
    logarithmic = rows[0]["scale"] == "log"
    low = _least(rows) if logarithmic else 0.0
    floor = _lowest(rows, low) if logarithmic else 0.0
    guess = np.geomspace(max(low, floor), 1, 30).tolist() if logarithmic else [0.0, 1.0]
    series = [Series(name="guessing", kind="line", x=tuple(guess), y=tuple(guess), slot=NEUTRAL, shape=2)]
    names = list(dict.fromkeys(row["attack"] for row in rows))
    asked = list(dict.fromkeys(row["asks"] for row in rows))
    only = len({row["attack"] for row in rows if row["curve"] == "sound"}) < 2
    lone = len(names) == 1
    epsilons = {row["attack"]: row["epsilon"] for row in rows}
    for slot, name in zip(slots([epsilons[name] for name in names]), names, strict=True):
        # no share of the others lies between none and one of them: there a logarithmic curve has no place
        held = [row for row in rows if row["attack"] == name and (not logarithmic or row["false"] >= _first(row, low))]
        band = [row for row in held if row["curve"] == "band" and row.get("banded", True)]
        band = [row for row in band if not logarithmic or row["high"] > 0]
        if band:
            # no logarithm of 0: there the band reaches to the lower edge
            own: Look = {"slot": slot, "low": tuple(max(row["low"], floor) for row in band), "legend": False}
            series.append(marks(band, "false", "high", name=name, group=name, kind="band", **own))
        drawn = [row for row in held if not logarithmic or row["true"] is None or row["true"] > 0]
        mean = [row for row in drawn if row["curve"] == "mean"]
        single_model = _stepped([row for row in drawn if row["curve"] == "attack"])
        for curve in (mean or single_model,) if len(names) >= CROWD else (mean, single_model):
            if curve:
                faint = curve is single_model and bool(mean)
                whose = OWN if lone and faint else name  # a group has one entry in the legend
                told = textwrap.fill(f"{whose} ({_areas(curve[0])})", LINE)
                own = {"slot": slot, "group": whose, "faint": faint, "legend": not faint or lone}
                series.append(marks(curve, "false", "true", name=told, kind="line", **own))
        if claim := [row for row in held if row["curve"] == "sound"]:
            limit = f"sound ε = {stated('sound', claim[0]['epsilon'])} allows no more"
            # several limits would be one line in several places: each has its curve's colour then
            own = {"epsilon": "sound"} if only else {"slot": slot, "shape": DOTTED}
            told = limit if only else textwrap.fill(f"{limit}: {name}", LINE)
            series.append(marks(claim, "false", "true", name=told, kind="line", **own))
    if any(one.faint and not one.legend for one in series):
        series.append(Series(name=FAINT, kind="line", slot=NEUTRAL, shape=0, faint=True))
    if any(one.kind == "band" for one in series):
        series.append(Series(name=BAND, kind="band", slot=NEUTRAL))
    graphs = {row["graph"] for row in rows} if len({row["graph"] for row in rows}) == 1 else ()
    return single(
        _axis("false positive rate (", logarithmic, low),
        _axis("true positive rate (", logarithmic, floor, ABOVE),
        series,
        title=" ".join([f"{asked[0][:1].upper()}{asked[0][1:]}?", *graphs]) if len(asked) == 1 else "",
        height=470,
        legend=True,
    )


def _areas(row: Row) -> str:
    """The area of the curve that is drawn, and of how many models it is."""
    classes = "" if row["by_classes"] is None else f"; true classes alone: {number(row['by_classes'])}"
    if row["curve"] == "mean":
        return f"mean of {row['models']} models, area {number(row['area'])}{classes}"
    one = f"one of {row['models']} models, " if row["models"] > 1 else ""
    return f"{one}area {number(row['own_area'])}{classes}"


def _first(row: Row, low: float) -> float:
    """The smallest false positive rate of a logarithmic curve: one of the others, of what is observed."""
    return low if row["curve"] == "sound" else max(low, (1 - 1e-9) / row["others"])


def _stepped(curve: Sequence[Row]) -> list[Row]:
    """The curve in steps: what an attacker reaches who keeps to a threshold. A straight line between two
    thresholds would take a coin between them, which the rates in tables and the band do not."""
    steps: list[Row] = []
    for row in curve:
        if steps and row["false"] > steps[-1]["false"] and row["true"] > steps[-1]["true"]:
            steps.append({**steps[-1], "false": row["false"]})
        steps.append(row)
    return steps


def _axis(title: str, logarithmic: bool, low: float, high: float = 1.0) -> Axis:
    if logarithmic:
        return Axis(title=f"{title}logarithmic)", scale="log", low=low, high=high)
    return Axis(title=f"{title}linear)", low=0.0, high=high)


def _least(rows: Sequence[Row]) -> float:
    """The power of ten at or below the smallest false positive rate that an attack reached, at most 0.001."""
    seen = [row["false"] for row in rows if row["curve"] == "attack" and row["false"] > 0]
    return float(min(1e-3, 10.0 ** math.floor(math.log10(min(seen, default=0.1) * 0.999))))


def _lowest(rows: Sequence[Row], low: float) -> float:
    """The power of ten at or below all that is drawn of attacks, at most 0.1: where they find much,
    the curves do not lie in a sliver below the upper edge."""
    drawn = [
        row["true"] if row["low"] is None else row["low"]
        for row in rows
        if row["curve"] != "sound"
        and (row["curve"] != "band" or row.get("banded", True))
        and row["false"] >= _first(row, low)
    ]
    seen = [one for one in drawn if one > 0]
    return float(min(0.1, max(low, 10.0 ** math.floor(math.log10(min(seen, default=low) * 0.999)))))
