"""The laboratory of methods with teachers: a setting under other noise, its price, and its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from privgraph.data.catalogue import class_names, dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.noisy_max import gate_chance
from privgraph.methods.base import Plan
from privgraph.methods.prompts.dp_gpl.config import Config as DpGpl
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.methods.teachers.answers import Answers
from privgraph.methods.teachers.pate.config import Config as Pate
from privgraph.methods.teachers.privgnn.config import READ_ONCE
from privgraph.methods.teachers.privgnn.config import Config as PrivGnn
from privgraph.options import OptionError, Parameter, Scalar, UnknownName, parameters, values
from privgraph.privacy.rounding import lower, upper
from privgraph.registry import method
from privgraph.runs.records import RunRecord, UnknownRun, Unreadable
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import datasets, noisy_labels, plans
from privgraph_workbench.jobs import queue
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup

Floats = NDArray[np.float64]

TIMES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The noise that can be asked about, as multiples of a setting's own."""
NO_VOTE = frozenset(
    ("queries", "answers", "gate", "gate_noise", "gate_sigma", "threshold", "limit", "report", "report_epsilon")
)
"""Options that change no vote."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Options of a method with teachers, on a graph of known sizes."""

    method: str
    options: Mapping[str, Scalar]
    facts: PublicFacts

    @staticmethod
    def of(spec: RunSpec, facts: PublicFacts) -> Setting:
        """The setting of a run; options that a preset of DP-GPL decides are the setting's own."""
        config = spec.config()
        options = values(config.resolved() if isinstance(config, DpGpl) else config)
        return Setting(method=spec.method, options=options, facts=facts)

    @property
    def plan(self) -> Plan:
        """Raises `OptionError` where the options do not go together."""
        return plans.plan(self.method, self.options, self.facts)

    @property
    def epsilon(self) -> float:
        return self.plan.statement.epsilon

    @property
    def queries(self) -> int:
        """How many queries are asked and priced: as many as are wanted, or as there are public nodes."""
        config = self.plan.config
        if isinstance(config, DpGpl):
            return config.fitted(self.facts.nodes).queries
        assert isinstance(config, Pate | PrivGnn)
        return config.asked(self.facts.nodes) if isinstance(config, Pate) else config.asked(self.facts)

    @property
    def read_once(self) -> bool:  # one release answers any number of queries
        return self.options.get("release") in READ_ONCE

    @property
    def std(self) -> float:  # of the noise on each number that is answered
        noise = self.plan.noise
        return float(noise["noise_std"] if "noise_std" in noise else noise["votes"])

    @property
    def gate(self) -> tuple[float, float] | None:
        """Noise and threshold of the gate, in votes; None without one."""
        noise = self.plan.noise
        if "gate_std" in noise:
            return noise["gate_std"], noise["gate_threshold"]
        return (noise["gate"], float(self.options["threshold"])) if "gate" in noise else None

    def with_noise(self, times: float) -> Setting:
        """The same with so many times the noise, which is given then, and not calibrated to an epsilon.

        It is given in six digits, rounded to less noise: no price is below that of the exact noise.
        """
        given, scale = self.plan.config.price.given, times * self.plan.scale
        assert given is not None
        value = upper(1 / scale, 6) if given.option == "lam" else lower(scale, 6)
        return replace(self, options={**self.options, given.option: float(value)})

    def with_options(self, changed: Mapping[str, Scalar]) -> Setting:
        """The same with these options and its own noise."""
        if all(self.options[name] == value for name, value in changed.items()):
            return self
        own = self.with_noise(1.0)
        return replace(own, options={**own.options, **changed})

    def one_query(self) -> float | None:
        """The sound epsilon of one query alone, with the same noise and report; None of a table."""
        return None if self.read_once else self.with_options({"queries": 1}).epsilon

    def by_weight(self, weights: Floats) -> Floats:
        """The sound epsilon (N,) of nodes of DP-GPL whose teachers' votes weigh so much."""
        config, facts = self.plan.config, self.facts
        assert isinstance(config, DpGpl)
        return config.settled(facts.nodes, self.plan.scale).guarantees(facts.nodes, weights)

    def levers(self) -> list[Parameter]:
        """The options that move the price, but noise and queries."""
        price, config = self.plan.config.price, method(self.method).load_config()
        names = {*price.options, "threshold"} - {"queries", *([price.given.option] if price.given else [])}
        return [replace(one, default=self.options[one.name]) for one in parameters(config) if one.name in names]


def setting_of(spec: RunSpec) -> Setting | None:
    """The setting of a run; None while its graph is counted. Raises `OptionError` and `DataError`."""
    facts = datasets.public_facts(dataset(spec.dataset), spec.data_options, spec.split)
    return None if facts is None else Setting.of(spec, facts)


def names_of(spec: RunSpec) -> Sequence[str] | None:
    """The names of the classes of a run's graph, none where that cannot be read; None while it is read."""
    if names := class_names(spec.dataset):
        return names
    try:
        found = datasets.describe(spec.dataset, spec.data_options)
        return None if found is None else [*found.classes]
    except (DataError, OptionError, UnknownName):
        return ()


@lru_cache(maxsize=1024)
def has_answers(url: str, run: str, created: float) -> bool:
    """Whether the run of that id, which was created then, kept its teachers' answers."""
    try:
        events = queue.store().events(run, kinds=("artifact",))
    except (UnknownRun, Unreadable):
        return False
    return any(one.payload.get("name") == ANSWERS for one in events)


def load(name: str, record: RunRecord) -> Any:
    """The record of that name of the run's teachers; None where it is said why it cannot be read."""
    folder = queue.store().folder(record.id)
    try:
        return _loaded(name, folder, (folder / name).stat().st_mtime_ns)
    except (OSError, ValueError, BadZipFile) as error:
        st.error(fill(texts("teachers")["broken"], error=markup.literal(error)))
        return None


@lru_cache(maxsize=16)
def _loaded(name: str, folder: Path, written: int) -> Answers | Ensemble:
    return (Answers if name == ANSWERS else Ensemble).load(folder)


def same_votes(one: Setting, other: Setting) -> bool:
    """Whether two settings of a run have the same votes before noise."""
    given = one.plan.config.price.given
    free = NO_VOTE | ({given.option} if given else set())
    return all(other.options[name] == value for name, value in one.options.items() if name not in free)


def clearest_query(found: Answers, places: Sequence[int]) -> int:
    """Which of these queries to show first: its label came out right, with a lead of twice the noise."""
    before, truth, released = found.before[places], found.truth[places], found.released[places]
    ordered = np.sort(np.nan_to_num(before, neginf=-1e9), axis=1)
    lead = ordered[:, -1] - ordered[:, -2]
    success = (released == truth) & (released == before.argmax(axis=1)) & (lead > 0)
    return int(np.lexsort((np.abs(lead - 2 * found.noise_std), released < 0, ~success))[0])


def redraw(found: Answers, place: int, law: str, std: float, count: int, gate: tuple[float, float] | None) -> Answers:
    """The answers with other noise on one query and at its gate: equal for equal counts of draws."""
    source = np.random.default_rng([int(found.queries[place]), count])
    after, released = found.after.copy(), found.released.copy()
    after[place] = found.before[place] + noisy_labels.drawn(law, std, found.before.shape[1], source)
    passed = gate is None or found.before[place].max() + gate[0] * source.standard_normal() > gate[1]
    released[place] = after[place].argmax() if passed else -1
    return replace(found, after=after, released=released, noise_std=std)


@lru_cache(maxsize=256)
def right(found: Answers, law: str, std: float, gate: tuple[float, float] | None) -> float | None:
    """The share of right labels, on average over the noise, of queries that pass this gate, else of those
    that the run answered."""
    counts = found.before.astype(np.float64)
    share = noisy_labels.right(law, std, counts, found.truth)
    passes = (found.released >= 0).astype(np.float64)
    if gate is not None:
        passes = gate_chance(counts.max(axis=1), gate[1], gate[0])
    return float(share @ passes / passes.sum()) if passes.sum() else None
