"""How well attacks tell who was trained on, and what the sound epsilon of a run says they cannot reach."""

import math
import textwrap
from collections.abc import Sequence

import numpy as np

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.audits.bounds import at_most
from privgraph_workbench.figures.attacks.attack_areas import classes_alone
from privgraph_workbench.figures.audits.audit_roc import POINTS, SCALES, decade, frontier, square
from privgraph_workbench.figures.chart import Chart, Look, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, grouped, marks, one_of, single, table
from privgraph_workbench.leaks import guessing
from privgraph_workbench.words.numbers import number, stated

COLUMNS = {
    **{"attack": "attack", "curve": "curve", "false": "false_positive_rate", "true": "true_positive_rate"},
    **{"low": "true_positive_rate_low", "high": "true_positive_rate_high"},
}
"""What stands in a CSV, and as what; all else is the same for all rows of an attack."""


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
    band: over all of them; sound: the most that the run's sound epsilon allows, and chance with so few),
    false, true, low, high (of a band), own_area, area, area_low, area_high, models, rare_false, rare_true,
    rare_low, rare_high (the rarest false positive rate that so many others can show, what is found there),
    confidence (of all intervals), guessing (whether nothing says that it is better than a guess), drawn
    (whether members were drawn at random), epsilon (sound), by_classes (`classes_alone`), steps, scale,
    others (how many of them it is judged on), graph (of `graphs`), banded (whether bands are drawn). An
    infinite epsilon has no rows, nor has one whose neighbouring datasets lead from no node that trains to one
    that does not. Raises `ValueError` for an unknown scale.
    """
    one_of("the scale", scale, SCALES)
    rows, claims = list[Row](), set[tuple[float, float, int]]()
    titles = distinct(names or [one.title for one in records])
    for name, record, graph in zip(titles, records, graphs or [""] * len(records), strict=True):
        (area, low, high), rare, sound = record.found, record.rare_found, record.sound
        shared: Row = {"attack": name, "attack_name": record.attack, "run": record.run, "area": area}
        shared |= {"own_area": record.outcome.area, "area_low": low, "area_high": high, "models": len(record.areas)}
        shared |= {"rare_false": None if record.rare is None else record.rare.false}
        shared |= {f"rare_{end}": None if rare is None else getattr(rare, end) for end in ("true", "low", "high")}
        shared |= {"confidence": record.confidence, "guessing": guessing(record), "drawn": record.drawn}
        shared |= {"epsilon": sound, "by_classes": classes_alone(record), "steps": record.steps}
        shared |= {"delta": record.delta, "scale": scale, "others": record.outcome.others}
        shared |= {"graph": graph, "banded": banded}
        curves: dict[str, Sequence[Sequence[float]]] = {"attack": (record.roc_false, record.roc_true)}
        if len(record.areas) > 1:
            band = (record.band_false, record.band_mean, record.band_low, record.band_high)
            curves = {"band": band, **({"mean": band[:2]} if len(record.areas) >= FEW else {}), **curves}
        if record.drawn and record.steps is not None and math.isfinite(sound):
            claim = (sound, record.delta, record.steps)
            curves |= {} if claim in claims else {"sound": _claim(record, record.steps, scale)}
            claims.add(claim)
        for curve, ends in curves.items():
            columns = dict.fromkeys(("false", "true", "low", "high"))
            columns |= {end: list(held) for end, held in zip(columns, ends, strict=False)}
            rows += table({"curve": curve, **columns, **shared})
    return rows


def _claim(record: AttackRecord, steps: int, scale: str) -> tuple[list[float], list[float]]:
    """The most that a sound epsilon allows: the largest rates behind those that are observed (Clopper and
    Pearson, 2.5%)."""
    epsilon, delta = steps * record.sound, group_delta(record.sound, record.delta, steps)
    places = np.geomspace(1e-4, 1, POINTS) if scale == "log" else np.linspace(0, 1, POINTS)
    false = sorted({*places.tolist(), (1 - delta) / (1 + math.exp(min(epsilon, 700.0)))})
    found = [frontier(_with_chance(one, record.outcome.others), epsilon, delta) for one in false]
    return false, [_with_chance(one, record.outcome.members) for one in found]


def _with_chance(rate: float, of: int) -> float:
    return float(at_most(math.floor(rate * of + 1e-9), of, 0.025))


def leaving(rows: Rows) -> list[Row]:
    """The rows as they leave in a CSV: what differs from row to row, in six decimals; of bands and means, no
    share of false positives that is less than one of the others."""
    return [
        {name: round(value, 6) if isinstance(value := row[key], float) else value for key, name in COLUMNS.items()}
        for row in rows
        if row["curve"] not in ("band", "mean") or row["false"] == 0 or row["false"] >= _first(row)
    ]


def _first(row: Row) -> float:
    """The smallest false positive rate that is observed: one of the others; of a claim any."""
    return 0.0 if row["curve"] == "sound" else float((1 - 1e-9) / row["others"])


@figure("attack_roc", "What attacks find", data, needs="attacks", settings=True, table=leaving)
def chart(rows: Rows) -> Chart:
    """The curve of an attack is the mean over the attacked models, or that of one where these are few."""
    least = floor = 0.0
    if rows[0]["scale"] == "log":  # where no share lies between none and one of the others
        least = min(1e-3, decade(row["false"] for row in rows if row["curve"] == "attack" and row["false"] > 0))
        rows = [row for row in rows if row["false"] >= max(least, _first(row))]
        drawn = [row["true"] if row["low"] is None else row["low"] for row in rows if row["curve"] != "sound"]
        floor = min(0.1, max(least, decade(one for one in drawn if one > 0)))
        rows = [row for row in rows if max(row["true"], row["high"] or 0.0) > 0]
    x, y, guess = square("false positive rate", "true positive rate", least, floor)
    series, attacks = [guess], grouped(rows, "attack")
    only = len({row["attack"] for row in rows if row["curve"] == "sound"}) == 1
    for slot, (name, own) in enumerate(attacks.items()):
        curves, look = grouped(own, "curve"), Look(slot=slot, group=name)
        if band := curves.get("band") if own[0]["banded"] else None:
            low = tuple(max(row["low"], floor) for row in band)  # no logarithm of 0
            series.append(marks(band, "false", "high", name=name, kind="band", low=low, legend=False, **look))
        if curve := curves.get("mean") or curves.get("attack"):
            # in steps, as an attacker reaches it who keeps to a threshold, and as rates in tables are counted
            area, kind = ("area", "line") if curve[0]["curve"] == "mean" else ("own_area", "steps")
            told = textwrap.fill(f"{name} (area {number(curve[0][area])})", 66)
            series.append(marks(curve, "false", "true", name=told, kind=kind, **look))
        if claim := curves.get("sound"):
            # several limits would be one line in several places: each has its curve's colour then
            alone: Look = {"epsilon": "sound"} if only else {"slot": slot, "shape": 5}
            told = f"sound ε = {stated('sound', claim[0]['epsilon'])} allows no more{f': {name}' * (not only)}"
            series.append(marks(claim, "false", "true", name=textwrap.fill(told, 66), kind="line", **alone))
    return single(x, y, series, each=420)
