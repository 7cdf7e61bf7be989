"""What new runs have changed in what was known of a graph: which settings are new, whose means moved, and
whether something else is to be taken. No Streamlit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import one_sentence
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.facts.stretches import CLEAR, Stretch
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.runs.curve_names import curve_of, names
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import setting
from privgraph_workbench.words.numbers import kept, percent

MOST = 3
"""Settings that are named; of more it is said how many there are."""
MOST_OWN = 6
"""Settings of which one's own runs are told apart."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A setting in words, its mean over seeds, and whether all of its runs came with the program; runs: their
    ids; own: where only some did, the accuracies of the others."""

    words: str
    mean: float
    gallery: bool
    runs: frozenset[str]
    own: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is known of a graph at some time: its settings (`naming.setting`), and what is to be taken at each
    epsilon, and how sure that is where it is not clear; first: which of it is told first."""

    levels: Mapping[str, Level] = field(default_factory=dict)
    takes: Mapping[float, str] = field(default_factory=dict)
    open: Mapping[float, str] = field(default_factory=dict)
    first: str = ""


def seen(records: Iterable[RunRecord], said: Verdict | None) -> Seen:
    """What finished runs of a graph say; `said`: what they say to take there."""
    done = [one for one in records if not one.unreadable]
    rows, by_id = tradeoff.data(done), {one.id: one for one in done}
    called, levels = names(rows), {}
    for row in rows:
        ids = str(row["runs"]).split()
        at = "" if row["reference"] else f" at ε {kept(row['asked'], row['epsilon'])}"
        levels[setting(by_id[ids[0]])] = Level(
            words=markup.literal(f"{called[curve_of(row)]}{at}"),
            mean=row["mean"],
            gallery=row["gallery"] == row["seeds"],
            runs=frozenset(ids),
            own=tuple(by_id[one].metrics[row["metric"]] for one in ids if row["gallery"] and not by_id[one].gallery),
        )
    stretches = () if said is None or said.thin else said.stretches
    return Seen(
        levels=levels,
        takes={epsilon: markup.literal(one.short_names) for one in stretches for epsilon in one.epsilons},
        open={epsilon: _open(one) for one in stretches for epsilon in one.epsilons},
        first="" if said is None else markup.literal(one_sentence.first(said)),
    )


def _open(one: Stretch) -> str:
    """How sure it is what to take; "" where that is clear, or nothing is taken, which is said instead."""
    return one.verdict if one.verdict != CLEAR and (one.takes or one.before is not None) else ""


def words(before: Seen, after: Seen, runs: Collection[str]) -> str:
    """What `runs` changed, in Markdown: the settings that they belong to, and what to take, where that is
    another one in a line for each epsilon; "" where none of them is there."""
    own = {key: one for key, one in after.levels.items() if one.runs & set(runs)}
    if not own:
        return ""
    moved, new, same = [], [], 0
    for key, one in own.items():
        old = before.levels.get(key)
        if old is None:
            new.append((one.mean, f"{one.words} is new, {percent(one.mean)}"))
        elif percent(old.mean) == percent(one.mean):
            same += 1
        else:
            whose = " (gallery)" * old.gallery
            moved.append((abs(one.mean - old.mean), f"{one.words} {percent(old.mean)}{whose} → {percent(one.mean)}"))
    ordered = [text for _, text in (*sorted(moved, reverse=True), *sorted(new, reverse=True))]
    told = ordered[:MOST]
    if left := len(ordered) - len(told):
        told.append(f"{counted(left, 'more setting')} changed or {'is' if left == 1 else 'are'} new")
    if same:
        told.append(f"{counted(same, 'setting')} {'is' if same == 1 else 'are'} as before")
    others = _others(before, after)
    if after.takes and not others:
        told.append("what to take is the same at every ε")
    moved_on = f" **Told first:** {before.first} → {after.first}." * bool(before.first and before.first != after.first)
    return f"**Changed:** {'; '.join(told)}.{moved_on}{_listed(before, after, others)}"


def yours(after: Seen, runs: Collection[str]) -> str:
    """What one's own runs reach alone in the settings of `runs` that have seeds of the gallery, too, those
    first in which that differs most; "" where there are none."""
    mixed = [one for one in after.levels.values() if one.own and one.runs & set(runs)]
    mixed.sort(key=lambda one: -abs(fmean(one.own) - one.mean))
    told = [
        f"{one.words} {percent(fmean(one.own))} over {counted(len(one.own), 'seed')} "
        f"({percent(one.mean)} with the gallery's {len(one.runs) - len(one.own)})"
        for one in mixed[:MOST_OWN]
    ]
    if left := len(mixed) - len(told):
        told.append(f"{counted(left, 'more setting')} likewise pooled")
    return f"**Your own runs alone:** {'; '.join(told)}." if told else ""


def _others(before: Seen, after: Seen) -> list[float]:
    """At which epsilons something else is to be taken than before, or how sure that is has changed."""
    return [at for at in after.takes if _told(before, at) != _told(after, at)]


def _told(known: Seen, at: float) -> str:
    """What was to be taken at an epsilon, with how sure that was where it was not clear."""
    if at not in known.takes:
        return "nothing was said"
    return known.takes[at] + (f" ({known.open[at]})" if known.open.get(at) else "")


def _listed(before: Seen, after: Seen, others: Sequence[float]) -> str:
    """What to take before and now, a line for each of these epsilons."""
    if not others:
        return ""
    told = [f"- ε {at:g}: {_told(before, at)} → {_told(after, at)}" for at in others[:MOST]]
    more = [f"- and at {len(others) - MOST} more ε"] if len(others) > MOST else []
    return "\n".join(["\n\n**What to take**, before → now:", "", *told, *more])
