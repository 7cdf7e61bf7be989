"""The table of runs and the table of settings: all that anybody reads of runs. No Streamlit."""

import json
import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from privgraph.attacks.record import AttackRecord
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.text import texts
from privgraph_workbench.words.naming import differences, method_title, unit_of

SETTING = ["graph", "method", "unit", "asked", "options", "source"]
"""What runs of one setting share: everything that was asked but the seed and the device."""
AXES = ("epsilon", "unit")
"""Options that are columns of their own."""
FEWEST = 3
"""Seeds of which an interval is given: that of two is a dozen standard deviations wide."""
GUESSES = ("majority_class_accuracy", "guessing_accuracy")
"""What a run calls the accuracy of guessing."""
DONE = RunQuery(states=("done",))
_BOUNDS = ("epsilon", "epsilon_as_published", "epsilon_audited", "delta")
"""Of a setting the largest counts."""
_NUMBERS = ("asked", "accuracy", "guess", "test_nodes", "macro_f1", "auc", *_BOUNDS, "seconds")


def runs(store: RunStore, query: RunQuery = DONE) -> pd.DataFrame:
    """Read a row for each run; the columns are those of `[runs]` in text/columns.toml.

    Runs that cannot be read and trials of tunings are left out: epsilon of a trial is that of its tuning.

    Args:
        store: The store of one's own runs, or that of the examples.
        query: Which runs.

    Returns:
        A frame in the order of the query.
    """
    return of_records(store.find(query))


def of_records(records: Iterable[RunRecord]) -> pd.DataFrame:
    """The same of runs that are at hand."""
    rows = [_row(one) for one in records if not one.unreadable and one.tuning is None]
    frame = pd.DataFrame(rows, columns=list(texts("columns")["runs"]))
    return frame.astype(dict.fromkeys(_NUMBERS, "float64") | {"data_dependent": "bool"})


def _row(run: RunRecord) -> dict[str, object]:
    spec, said = run.spec, run.statement
    options = {name: value for name, value in sorted(spec.options.items()) if name not in AXES}
    if spec.unit == "none":  # nothing reads them
        options = {name: value for name, value in options.items() if name not in ("delta", "accounting")}
    metrics = run.metrics
    return {
        "run": run.id,
        "graph": GraphId.of(spec).words(),
        "dataset": spec.dataset,
        "method": spec.method,
        "title": method_title(spec.method),
        "unit": unit_of(run),
        "asked": spec.asked_epsilon,
        "options": json.dumps(options),
        "seed": spec.seed,
        "source": "example" if run.example else "own",
        "accuracy": metrics.get("test_accuracy"),
        "guess": next((metrics[name] for name in GUESSES if name in metrics), None),
        "test_nodes": metrics.get("test_nodes"),
        "macro_f1": metrics.get("test_macro_f1"),
        "auc": metrics.get("test_auc"),
        **({name: getattr(said, name) for name in _BOUNDS} if said else {"epsilon": math.inf}),
        "neighbours": said.neighbours.value if said else "",
        "release": said.release.value if said else "",
        "data_dependent": bool(said and said.data_dependent),
        "seconds": run.seconds,
    }


def settings(frame: pd.DataFrame, attacks: Sequence[AttackRecord] = (), leave_out: Sequence[str] = ()) -> pd.DataFrame:
    """Summarise the runs of each setting; the columns are those of `[settings]`, and `runs`, a list of ids.

    No setting is of own runs and of examples.

    Args:
        frame: What `runs` returns. Runs without an accuracy are left out.
        attacks: Attacks on these runs, for the columns `attack`, `attack_low` and `attack_high`.
        leave_out: Options that are no variant.

    Returns:
        A frame in the order of method, unit and target epsilon.
    """
    frame = frame.dropna(subset=["accuracy"])

    def shared(values: pd.Series) -> str:
        return str(values.iloc[0]) if values.nunique(dropna=False) == 1 else "unknown"

    found = frame.groupby(SETTING, dropna=False, sort=False)
    table = found.agg(
        title=("title", "first"),
        mean=("accuracy", "mean"),
        sd=("accuracy", "std"),
        seeds=("seed", "nunique"),
        guess=("guess", "mean"),
        test_nodes=("test_nodes", "max"),
        **{name: (name, "max") for name in _BOUNDS},
        **{name: (name, shared) for name in ("neighbours", "release")},
        data_dependent=("data_dependent", "any"),
        runs=("run", list),
    ).reset_index()
    half = stdtrit(table.seeds.clip(lower=2) - 1, 0.975) * table.sd / table.seeds**0.5
    enough = table.seeds >= FEWEST
    table["low"] = (table["mean"] - half).clip(lower=0).where(enough)
    table["high"] = (table["mean"] + half).clip(upper=1).where(enough)
    table["variant"] = _variants(table, leave_out)
    worst = {one.run: one.found for one in sorted(attacks, key=lambda one: one.found[0])}
    reached = [max((worst[run] for run in ids if run in worst), default=(None, None, None)) for ids in table.runs]
    for place, name in enumerate(("attack", "attack_low", "attack_high")):
        table[name] = pd.Series([one[place] for one in reached], index=table.index, dtype="float64")
    return table.sort_values(["graph", "method", "unit", "variant", "asked"], kind="stable")[
        [*texts("columns")["settings"], "runs"]
    ].reset_index(drop=True)


def confidence(values: Sequence[float], *, most: float = math.inf) -> tuple[float, float | None, float | None]:
    """Mean, and Student's 95% interval for it over seeds (Student 1908), within [0, `most`]; None for fewer
    than `FEWEST` values.

    Right for values that are normal over seeds. The percentile bootstrap is not used: of three values it is
    their range, and holds the mean in about three of four cases.

    >>> [round(float(number), 3) for number in confidence([0.5, 0.6, 0.7])]
    [0.6, 0.352, 0.848]
    """
    mean, seeds = float(np.mean(values)), len(values)
    if seeds < FEWEST:
        return mean, None, None
    half = float(stdtrit(seeds - 1, 0.975) / seeds**0.5 * np.std(values, ddof=1))
    return mean, max(0.0, mean - half), min(most, mean + half)


def _variants(table: pd.DataFrame, leave_out: Sequence[str]) -> list[str]:
    """The options in which each setting differs from others of its graph, method, unit and source."""
    words: dict[object, str] = {}
    for _, group in table.groupby(["graph", "method", "unit", "source"], sort=False):
        held = [{name: one[name] for name in one if name not in leave_out} for one in map(json.loads, group.options)]
        words |= zip(group.index, differences(held), strict=True)
    return [words[place] for place in table.index]
