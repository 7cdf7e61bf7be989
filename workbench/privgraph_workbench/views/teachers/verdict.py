"""What the numbers of weighted teachers say, in words: which epsilon holds, whether weights pay, what was
left unspent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import seeds
from privgraph_workbench.figures.teachers import ensembles
from privgraph_workbench.words import naming
from privgraph_workbench.words.numbers import number, percent, signed, upper

METRIC = "test_accuracy"
OF_WEIGHTS = ("weighting", "w_min", "w_max", "ranks")
"""Options that say how votes are weighted; equal weights read no other of them than the first."""
EQUAL = "uniform"


def why(ensemble: Ensemble) -> str:
    """Why the data-dependent epsilon of the paper's tables is another one; "" where one of the two is not
    known."""
    heaviest = int(ensemble.weights.argmax())
    sound, dependent = float(ensemble.sound[heaviest]), float(ensemble.dependent[heaviest])
    if math.isnan(dependent) or math.isinf(sound):
        return ""
    if not ensemble.per_teacher:
        said = "smaller: it charges a node its own teacher's vote alone, and in this run a node may move them all."
    elif dependent > sound:
        said = (
            "larger here: the paper adds up Rényi costs, whose conversion into ε is looser than the exact sum "
            "behind the sound ε, and the votes were not clear enough to make up for that."
        )
    else:
        said = "smaller here: it charges less for what was clear before noise."
    return f"The data-dependent ε of the paper's tables is {said}"


def spent(ensemble: Ensemble, measure: str) -> str:
    """What was spent beside what is guaranteed; nothing of the data-dependent epsilon, which guarantees
    nothing."""
    if measure != "sound" or not np.isfinite(ensemble.sound).all():
        return ""
    asked = len(ensemble.released)
    if (ensembles.spent(ensemble)[:, -1] >= ensemble.sound * (1 - 1e-6)).all():
        return f" All {asked:,} queries were answered, so that the whole guarantee was spent."
    unanswered = int((ensemble.released < 0).sum())
    return (
        f" The guarantee holds whatever is answered; {unanswered:,} of {asked:,} queries were not, and less was spent."
        if unanswered
        else " The guarantee holds whatever is answered; some nodes had spent less of it in the end."
    )


@dataclass(frozen=True, kw_only=True)
class Said:
    """Whether weights pay in one sentence, and what stands behind it."""

    whole: str
    parts: tuple[str, ...]


def weights(record: RunRecord, ensemble: Ensemble, store: RunStore) -> Said | None:
    """What unequal weights bring: for whom they save, whether heavy teachers are better, and how the student
    does beside those of equal weights. None where weights move no guarantee."""
    if not ensemble.per_teacher or np.ptp(ensemble.weights) < 1e-9 or not np.isfinite(ensemble.sound).all():
        return None
    most = float(ensemble.sound.max())
    less = int((ensemble.sound < most * (1 - 1e-6)).sum())
    cost, student = _students(record, beside_equal(record, store), most)
    whole = f"They save ε for the nodes of {less:,} of {len(ensemble.weights):,} teachers{cost}."
    return Said(whole=whole, parts=(*_teachers(ensemble), student))


def _teachers(ensemble: Ensemble) -> list[str]:
    """Whether the heaviest teachers are better than the lightest."""
    _, own = ensembles.groups(ensemble, "weight")
    measured = np.isfinite(ensemble.accuracy)
    light, heavy = ((own == place) & measured for place in (0, int(own.max())))
    if min(light.sum(), heavy.sum()) < seeds.FEWEST:
        return []
    ends = [ensemble.accuracy[held] for held in (heavy, light)]
    best, least = ((float(one.mean()), float(one.std(ddof=1)) / math.sqrt(len(one)), len(one)) for one in ends)
    apart, low, high = seeds.difference(best, least)
    weighs = [number(float(ensemble.weights[held].mean()), 2) for held in (heavy, light)]
    judged = "Heavy teachers are better" if low > 0 else "Heavy teachers are worse" if high < 0 else "Neither is shown"
    return [
        f"**Are heavy teachers better?** By themselves, the {heavy.sum()} heaviest (weight {weighs[0]}) are right on "
        f"{percent(best[0])} of test nodes on average, the {light.sum()} lightest (weight {weighs[1]}) on "
        f"{percent(least[0])}: a difference of {signed(100 * apart)} points (95% interval "
        f"{signed(100 * low)} to {signed(100 * high)}). {judged}."
    ]


def beside_equal(record: RunRecord, store: RunStore) -> list[tuple[float, float]]:
    """Seed by seed, the student's accuracy in runs like this one, and with equal weights and all else alike,
    at the same largest epsilon; where the store has both. Weights that noise was not calibrated for have
    another largest epsilon, and nothing to be held against."""
    if record.spec.asked_epsilon is None:
        return []
    found: dict[str, dict[int, float]] = {}
    query = RunQuery(methods=(record.spec.method,), datasets=(record.spec.dataset,), states=("done",))
    for one in store.find(query):
        if not one.unreadable and METRIC in one.metrics:
            found.setdefault(_key(one), {})[one.spec.seed] = one.metrics[METRIC]
    own, equal = found.get(_key(record), {}), found.get(_key(record, EQUAL), {})
    return [(own[seed], equal[seed]) for seed in sorted(own.keys() & equal.keys())]


def equal_run(record: RunRecord, store: RunStore) -> str | None:
    """The run with equal weights and all else alike, of the same seed where there is one."""
    query = RunQuery(methods=(record.spec.method,), datasets=(record.spec.dataset,), states=("done",))
    own = _key(record, EQUAL)
    found = [one for one in store.find(query) if not one.unreadable and METRIC in one.metrics and _key(one) == own]
    return next((one.id for one in found if one.spec.seed == record.spec.seed), found[0].id if found else None)


def _key(record: RunRecord, weighting: str | None = None) -> str:
    """What was asked of the run but the seed, with another weighting where one is named."""
    options = {**naming.options_read(record), **({} if weighting is None else {"weighting": weighting})}
    if options.get("weighting") == EQUAL:
        options = {name: value for name, value in options.items() if name not in OF_WEIGHTS[1:]}
    return json.dumps([GraphId.of(record.spec).words(), options], sort_keys=True)


def _students(record: RunRecord, pairs: Sequence[tuple[float, float]], most: float) -> tuple[str, str]:
    """What weights cost the student, in a few words, and the student beside that of equal weights."""
    unknown = "; what they cost the student is not known here"
    if not pairs:
        return unknown, "**The student.** No run with equal weights, and all else alike, is here to hold it against."
    own, equal = (fmean(values) for values in zip(*pairs, strict=True))
    here = f" ({percent(record.metrics[METRIC])} in this run)"
    several = f" on average over {len(pairs)} seeds{here}" if len(pairs) > 1 else ""
    said = (
        f"**The student** is right on {percent(own)}{several}; with equal weights, where all nodes pay "
        f"ε {upper(most)}, on {percent(equal)}"
    )
    found = seeds.paired(pairs)
    if found is None:
        return unknown, f"{said}. Fewer than {seeds.FEWEST} seeds do not tell which is better."
    mean, low, high = found
    if low > 0:
        cost = ", and the student is better with them"
    elif high < 0:
        cost = ", and cost the student accuracy"
    else:
        cost = f"; whether they cost the student accuracy, {len(pairs)} seeds do not tell"
    return cost, (
        f"{said}: a difference of {signed(100 * mean)} points, seed by seed (95% interval {signed(100 * low)} to "
        f"{signed(100 * high)})."
    )
