"""Which of several runs is ahead, in words. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import composition
from privgraph_workbench.facts.expecting import METRIC
from privgraph_workbench.figures.seeds import NO_WIDTH, confidence, difference, paired, standard_error
from privgraph_workbench.words import markup
from privgraph_workbench.words.measures import PREC, mean_of, measure
from privgraph_workbench.words.naming import graph_of, run_labels, setting, unit_of
from privgraph_workbench.words.numbers import percent, signed

Setting = tuple[Sequence[RunRecord], str]
"""The runs of a setting, and what it is called."""


def ahead(groups: Sequence[Sequence[RunRecord]], labels: Sequence[str]) -> str:
    """Which setting has the highest mean accuracy, and how far each other one is from it: for each graph by
    itself, and there for each guarantee (unit, and relation of neighbouring datasets), beside what runs
    without privacy. Of a single setting its mean: which of its seeds is ahead says nothing."""
    graphs: dict[str, list[Setting]] = {}
    for group, label in zip(groups, labels, strict=True):
        graphs.setdefault(graph_of(group[0]), []).append((group, label))
    parts = [(graph, promise, held) for graph, all_of in graphs.items() for promise, held in _promised(all_of)]
    if len(parts) == 1:
        return _ahead(groups, labels)
    said = []
    for graph, promise, held in parts:
        if told := _ahead([group for group, _ in held], [label for _, label in held]):
            place = [f"on {markup.literal(graph)}"] * (len(graphs) > 1) + [promise] * bool(promise)
            where = ", ".join(place)
            said.append(f"{where[:1].upper()}{where[1:]}: {told}")
    said += ["Different guarantees are not ranked."] * any(promise for _, promise, _ in parts)
    said += ["Accuracies on different graphs say nothing of each other."] * (len(graphs) > 1)
    return " ".join(said)


def _promised(held: Sequence[Setting]) -> list[tuple[str, list[Setting]]]:
    """Settings on one graph by their guarantee, with its name: what has none stands beside each. Without a
    name where there is no more than one."""
    bare = [one for one in held if unit_of(one[0][0]) == "none"]
    of_run = {id(group[0]): (group, label) for group, label in held}
    found = composition.promises([group[0] for group, _ in held if unit_of(group[0]) != "none"])
    if len(found) < 2:
        return [("", list(held))]
    return [(composition.promise(runs, found), [*(of_run[id(one)] for one in runs), *bare]) for runs in found]


def _ahead(groups: Sequence[Sequence[RunRecord]], labels: Sequence[str]) -> str:
    """The same on one graph."""
    if len({setting(group[0]) for group in groups}) == 1:
        return of_one([one for group in groups for one in group])
    held = sorted(
        ((values, label) for group, label in zip(groups, labels, strict=True) if (values := _by_seed(group))),
        key=lambda one: -fmean(one[0].values()),
    )
    if len(held) < 2:
        return ""
    (best, name), *others = held
    mean = "mean " if len(best) > 1 else ""
    said = [f"**{markup.literal(name)}** has the highest {mean}accuracy, {percent(fmean(best.values()))}."]
    said += [_apart(best, values, markup.literal(label)) for values, label in others]
    if any(standard_error(list(values.values())) is None for values, _ in held):
        said.append("With fewer than three seeds of each, other seeds may turn this round.")
    return " ".join(said)


def of_one(runs: Sequence[RunRecord], *, single: bool = True) -> str:
    """The mean of the runs of one setting, with its interval, and between what `single` ones lie."""
    held = measured(runs)
    if not held:
        return ""
    (name,) = run_labels([runs[0]], privacy_too=True, seeds=False)
    if len(held) == 1:
        return f"**{markup.literal(name)}** reached {_named(runs[0])}{percent(held[0])}, with one seed."
    mean, low, high = confidence(held, most=1.0)
    span = "" if low is None or high is None else f" (95% interval {percent(low)} to {percent(high)})"
    each = f"single seeds reached {percent(min(held))} to {percent(max(held))}"
    if max(held) - min(held) < 1e-9:
        span, each = "", "all are alike"
    what = f"a {mean_of([runs[0].spec.method])} of {percent(mean)}"
    if not single:
        return f"**{markup.literal(name)}** has {what} over {len(held)} seeds{span}."
    return f"**{markup.literal(name)}** has {what} over {len(held)} seeds{span}; {each}."


def _named(record: RunRecord) -> str:
    """The name of a score that is no accuracy, before its number."""
    return f"{PREC} " if measure(record.spec.method) == PREC else ""


def _apart(best: Mapping[int, float], other: Mapping[int, float], name: str) -> str:
    """How far some seeds are below others: seed by seed over those that both have, with Student's interval;
    where fewer than three are shared, or all differ by the same, so that there is no interval, with Welch's
    of the two means, where there is one."""
    pairs = [(best[seed], other[seed]) for seed in sorted(best.keys() & other.keys())]
    if (found := paired(pairs)) is not None and found[2] - found[1] > NO_WIDTH:
        by, low, high = found
        seeds = f"{len(pairs)} shared seeds"
    else:
        mine, theirs = list(best.values()), list(other.values())
        errors = standard_error(mine), standard_error(theirs)
        by = fmean(mine) - fmean(theirs)
        if errors[0] is None or errors[1] is None:
            return f"**{name}** is {100 * by:.1f} points below."
        _, low, high = difference((fmean(mine), errors[0], len(mine)), (fmean(theirs), errors[1], len(theirs)))
        seeds = "all seeds differ alike" if found is not None else "different seeds"
    span = f"95% interval {signed(100 * low)} to {signed(100 * high)}, {seeds}"
    if low <= 0:
        return f"**{name}** cannot be told from it: {signed(100 * by)} points below, {span}."
    return f"**{name}** is {100 * by:.1f} points below ({span})."


def _by_seed(group: Sequence[RunRecord]) -> dict[int, float]:
    """The accuracy of each seed that has one."""
    return {one.spec.seed: one.metrics[METRIC] for one in group if METRIC in one.metrics}


def measured(group: Sequence[RunRecord]) -> list[float]:
    """The accuracies of the runs that have one."""
    return [one.metrics[METRIC] for one in group if METRIC in one.metrics]
