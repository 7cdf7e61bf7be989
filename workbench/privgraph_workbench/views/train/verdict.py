"""What runs, or else a plan alone, say against a budget before one pays for it; never more than the interval
of the runs allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph.methods.base import Plan
from privgraph_workbench.facts.drowned import Drowned, drowned
from privgraph_workbench.facts.expecting import BEYOND_RUNS, Expected, Outlook
from privgraph_workbench.figures.seeds import FEWEST
from privgraph_workbench.words.meaning import strength
from privgraph_workbench.words.numbers import number, option, percent

HARDLY = 0.02
"""So little above guessing is no better than it."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`head` and `why` are sentences of a warning, `short` a few words beside the strength of protection (""
    for none). `measured`: finished runs say so, and not the plan alone."""

    head: str
    why: str
    short: str = ""
    measured: bool = False


def verdicts(found: Sequence[Plan], told: Outlook, epsilons: Sequence[float]) -> dict[float, Verdict]:
    """The budgets against which something can be said. Where runs of these very options speak of a budget,
    they alone do: what a plan lets one fear, they have measured."""
    said = {}
    for plan, epsilon in zip(found, epsilons, strict=False):
        at = told.at(epsilon)
        worst = None if told.told(epsilon) is not None else drowned(plan)
        if at is not None and at.how != "above" and (not told.differs or worst is None):
            one = _measured(told, at, plan.statement.unit) or (_planned(plan, worst) if worst else None)
        else:
            one = _planned(plan, worst) if worst else None
        if one is not None:
            said[epsilon] = one
    return said


def warning(said: Mapping[float, Verdict]) -> str:
    """All of it in one warning: what runs have measured, else what plans let one fear; "" for nothing."""
    shown = {one: what for one, what in said.items() if what.measured} or dict(said)
    heads: dict[str, list[float]] = {}
    for one in sorted(shown):
        heads.setdefault(shown[one].head, []).append(one)
    texts = []
    for head, epsilons in heads.items():
        worst = shown[epsilons[-1] if shown[epsilons[-1]].measured else epsilons[0]]
        texts.append(f"**At ε {', '.join(map(option, epsilons))} {head}.** {worst.why}")
    return " ".join(texts)


def sure(at: Expected, *, runs: bool = True) -> str:
    """How sure an accuracy is: the interval over seeds, or of a single run that over its test nodes."""
    count = min(one.seeds for one in at.near)
    said = [] if at.low is None or at.high is None else [f"95% interval {percent(at.low)} to {percent(at.high)}"]
    return ", ".join([*said, f"{count} run{'s' * (count != 1)}"] if runs else said)


def _measured(told: Outlook, at: Expected, unit: str) -> Verdict | None:
    if at.high is None or at.low is None:
        return None
    count = min(one.seeds for one in at.near)
    end = at.near[0].epsilon
    where = f" already at ε {option(end)}" if at.how in BEYOND_RUNS and end is not None else ""
    other = " with other options" * bool(told.differs)
    runs = f"{'One run' if count == 1 else 'Runs'}{other} reached {percent(at.mean)}{where} ({sure(at, runs=False)})"
    if told.majority is not None:
        guess = f"{runs}; {told.guess} is {percent(told.majority)}."
        if at.high <= told.majority + HARDLY:
            head = "runs are no better than guessing"
            return Verdict(head=head, why=guess, short=f", but {head}", measured=True)
        if at.low <= told.majority and count >= FEWEST:
            head = "runs cannot be told from guessing"
            return Verdict(head=head, why=guess, short=f", but {head}", measured=True)
    if told.blind is None or at.high >= told.blind.mean:
        return None
    hides = "" if unit == "edge" else " and hides nobody"
    return Verdict(
        head="runs are below a model without edges",
        why=f"{runs}; an MLP, which reads no edge{hides}, {percent(told.blind.mean)}.",
        short=", but runs are below a model without edges" * (unit == "edge"),
        measured=True,
    )


def _planned(plan: Plan, worst: Drowned) -> Verdict:
    times = number(worst.times, 2) if worst.times < 100 else f"{worst.times:,.0f}"
    said = [f"The noise on {worst.what} is {times} times what it is to hide in."]
    if worst.edges:
        said.append("Edges will hardly help; what features teach may remain.")
    else:
        said.append("Expect little more than guessing the largest class.")
    if strength(plan.statement.epsilon, plan.statement.delta) in ("strong", "moderate"):
        said.append("It protects well because it tells little.")
    of = "what edges say" if worst.edges else "the signal"
    return Verdict(head=f"the noise swamps {of}", why=" ".join(said), short=f", but the noise swamps {of}")
