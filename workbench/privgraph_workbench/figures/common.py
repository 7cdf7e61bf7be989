"""What figures share: the words for runs, which runs repeat one setting, and confidence over seeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row

RESAMPLES = 2000
EVALUATOR_BADGE = (
    "evaluator only: accuracies are measured on labels that an evaluator knows, and no guarantee covers them"
)
COMPOSED_BADGE = "{:,} runs of the same people: an ε is that of one run alone, and who sees all sees their composition"
UNIT_WORDS: Mapping[str, str] = {"edge": "edge-level", "node": "node-level", "none": "not private"}


def method_title(name: str) -> str:
    """The method's name for people; its own name where the table does not know it."""
    return METHODS[name].title if name in METHODS else name


def unit_of(record: RunRecord) -> str:
    """The unit that the run protects: what its statement says, else what was asked for."""
    return record.statement.unit if record.statement else str(record.spec.options.get("unit", "none"))


def given_noise(record: RunRecord) -> float | None:
    """Lambda of a run whose protecting noise was given (its scale is 1/lambda); None where it was calibrated to a budget,
    or where nothing is protected."""
    given = record.spec.options.get("lam")
    return float(given) if unit_of(record) != "none" and isinstance(given, int | float) and given > 0 else None


def asked_epsilon(record: RunRecord) -> float | None:
    """The budget that the noise was calibrated to; None where nothing is protected, or the noise itself was given."""
    asked = record.spec.options.get("epsilon")
    if unit_of(record) == "none" or given_noise(record) is not None or not isinstance(asked, int | float):
        return None
    return float(asked)


def setting(record: RunRecord) -> str:
    """Everything that was asked of the run but the seed and the device; equal for repetitions of one setting.

    A budget that was not used, because the noise was given, is no part of it.
    """
    asked = {key: value for key, value in record.spec.to_json().items() if key not in ("seed", "device", "version")}
    if given_noise(record) is not None:
        asked["options"] = {key: value for key, value in asked["options"].items() if key != "epsilon"}
    return json.dumps(asked, sort_keys=True)


def people(record: RunRecord) -> str:
    """Whose data the run read: the data set with its options. Splits of it are the same people."""
    return json.dumps([record.spec.dataset, dict(record.spec.data_options)], sort_keys=True)


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """For each run (by its id), how many of these runs read the same people: who sees them all sees a composition."""
    chosen = list(records)
    together = Counter(people(record) for record in chosen)
    return {record.id: together[people(record)] for record in chosen}


def badges_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What a figure of rows says of itself: that numbers are an evaluator's (column `evaluator`), and that several runs of the same
    people stand in it (column `composed`)."""
    most = max((row.get("composed") or 0 for row in rows), default=0)
    return (
        *((EVALUATOR_BADGE,) if any(row.get("evaluator") for row in rows) else ()),
        *((COMPOSED_BADGE.format(most),) if most > 1 else ()),
    )


def variants(records: Sequence[RunRecord], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """For each setting, the options in which it differs from the others of its method, data set and unit.

    The privacy budget or the noise that was given in its place, how it was accounted, and the options of `leave_out`
    are axes of their own and no variant; noise that protects nobody is one.
    """
    left = {"epsilon", "accounting", "unit", *leave_out}
    groups: dict[tuple[str, str, str], list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.spec.method, record.spec.dataset, unit_of(record)), []).append(record)
    words = {}
    for members in groups.values():
        loose = [_loose(record, left | ({"lam"} if unit_of(record) != "none" else set())) for record in members]
        keys = {key for one in loose for key in one}
        differing = sorted(key for key in keys if len({str(one.get(key)) for one in loose}) > 1)
        for record, one in zip(members, loose, strict=True):
            words[setting(record)] = ", ".join(f"{key.replace('_', ' ')} {one[key]}" for key in differing if key in one)
    return words


def _loose(record: RunRecord, left: set[str]) -> dict[str, object]:
    options = {key: value for key, value in record.spec.options.items() if key not in left}
    return {**options, **record.spec.data_options, "split": record.spec.split}


def confidence(values: Sequence[float], level: float = 0.95) -> tuple[float, float | None, float | None]:
    """Mean, and the percentile bootstrap's interval for it over seeds (Efron 1979); no interval for one value.

    The resampling has a fixed seed: equal values give equal intervals.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("confidence needs at least one value")
    mean = float(sample.mean())
    if sample.size == 1:
        return mean, None, None
    generator = np.random.default_rng(0)
    means = generator.choice(sample, size=(RESAMPLES, sample.size)).mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return mean, float(low), float(high)


def run_labels(records: Sequence[RunRecord]) -> list[str]:
    """A short name for each run, distinct: method, and of data set, budget asked for and seed what differs; the
    end of the id where nothing does."""
    parts = [
        (method_title(one.spec.method), one.spec.dataset, _budget(one), f"seed {one.spec.seed}") for one in records
    ]
    differing = [place for place in range(1, 4) if len({part[place] for part in parts}) > 1]
    names = [", ".join([part[0], *(part[place] for place in differing if part[place])]) for part in parts]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    return [
        f"{name} ({record.id[-4:]})" if name in repeated else name for name, record in zip(names, records, strict=True)
    ]


def _budget(record: RunRecord) -> str:
    unit, given, asked = unit_of(record), given_noise(record), asked_epsilon(record)
    if unit != "none" and given is not None:
        return f"{unit} λ {given:g}"
    return UNIT_WORDS["none"] if asked is None else f"{unit} ε {asked:g}"


def spans(low: float, high: float) -> tuple[float, float]:
    """Bounds of a logarithmic axis with some room on both sides."""
    return low / 1.4, high * 1.4
