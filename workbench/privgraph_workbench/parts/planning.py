"""What a form of training asks for: plans, runs, expected accuracy and time, and doubts about a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Plan, filled_in
from privgraph.methods.row import MethodSpec
from privgraph.options import Option, Parameter, build
from privgraph.runs.launch import capacity
from privgraph.runs.records import StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench import sweeps
from privgraph_workbench.advice import BASELINE
from privgraph_workbench.facts import datasets, expecting, plans
from privgraph_workbench.facts.drowned import drowned
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.text import texts
from privgraph_workbench.words.numbers import number, option

MOST_SEEDS = 20
_HELPS = texts("train")["helps"]
SEEDS = Parameter("seeds", int, 1, Option(_HELPS["seeds"], low=1, high=MOST_SEEDS, label="Seeds", group="Repeat"))
_SEED = Option(_HELPS["seed"], low=0, high=2**31 - 1 - MOST_SEEDS, label="First seed", group="Repeat")
_DEVICE = Option(_HELPS["device"], choices=("auto", "cpu", "cuda"), group="Repeat", advanced=True)
SETUP = (Parameter("seed", int, 0, _SEED), Parameter("device", str, "auto", _DEVICE))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the form holds."""

    options: widgets.Filled
    """Options of the method, without a budget."""
    epsilons: Sequence[float]
    """Budgets; none where nothing is protected."""
    data: widgets.Filled
    split: str
    setup: widgets.Filled

    @property
    def errors(self) -> list[str]:
        """The labels of the fields that are wrong."""
        return [*self.data.errors, *self.options.errors, *self.setup.errors]

    @property
    def budgets(self) -> list[float | None]:
        """The budgets; one None where nothing is protected."""
        return [*self.epsilons] or [None]


def plans_of(spec: DatasetSpec, method: MethodSpec, asked: Asked) -> list[Plan] | None:
    """A plan for each budget; None while the graph is counted. Raises `OptionError` and `DataError`."""
    wanted = [{**asked.options.values, "epsilon": one} for one in asked.epsilons] or [dict(asked.options.values)]
    config = build(method.load_config(), wanted[0])
    facts = datasets.public_facts(spec, asked.data.values, asked.split)
    found = None
    if facts is not None:
        with st.spinner("Calibrating the noise"):
            found = [plans.plan(method.name, one, facts) for one in wanted]
    asked.options.fill_in(filled_in(config, found[0].statement if found else None))
    return found


def specs_of(spec: DatasetSpec, method: MethodSpec, asked: Asked) -> list[RunSpec]:
    """The runs that are asked for, budget by budget and seed by seed."""
    first, count = int(asked.setup.values["seed"]), int(asked.setup.values["seeds"])
    return [
        make_spec(
            method.name,
            spec.name,
            {**asked.options.values, **({} if epsilon is None else {"epsilon": epsilon})},
            data_options=asked.data.values,
            split=asked.split,
            seed=seed,
            device=str(asked.setup.values["device"]),
        )
        for epsilon in asked.budgets
        for seed in range(first, first + count)
    ]


def outlook_of(run: RunSpec, method: MethodSpec) -> Outlook:
    """What finished runs, else those of the examples, say of such a run."""
    methods = dict.fromkeys((run.method, method.without_privacy, BASELINE))
    return expecting.outlook(expecting.known_rows(queue.store(), methods, run.dataset), run)


def seconds_of(runs: Sequence[RunSpec], facts: PublicFacts) -> float | None:
    """About how long these runs take on this machine; None where nothing of the method has run on it."""
    try:
        workers = capacity()
    except StoreError:
        workers = 1
    return sweeps.seconds(runs, facts, expecting.finished(queue.own(), [runs[0].method]), workers)


def doubts(found: Sequence[Plan], told: Outlook, asked: Asked) -> list[tuple[str, Mapping[str, str]]]:
    """Where noise swamps edges, or all that is learnt, with the numbers of the text: by the plans of those
    budgets of which no run tells."""
    held: dict[str, tuple[list[float], Mapping[str, str]]] = {}
    for plan, epsilon in sorted(zip(found, asked.epsilons, strict=False), key=lambda one: one[1]):
        at = told.expected(epsilon)
        worst = drowned(plan) if at is None or at["low"] is None else None
        if worst is not None:
            times = number(worst.times, 2) if worst.times < 100 else f"{worst.times:,.0f}"
            kind, slots = "edges" if worst.edges else "swamped", {"where": worst.what, "times": times}
            epsilons, first = held.get(kind, ([], slots))
            held[kind] = [*epsilons, epsilon], first
    return [(kind, {**slots, "epsilons": ", ".join(map(option, epsilons))}) for kind, (epsilons, slots) in held.items()]
