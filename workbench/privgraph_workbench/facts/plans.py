"""What a run would be: its plan, the command that makes the same one, and where its noise drowns a signal. No
Streamlit, no torch."""

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import asymmetric, pair_count
from privgraph.methods.base import Plan
from privgraph.options import Scalar, build, parameters
from privgraph.privacy.events import PureDP, RandomizedResponse
from privgraph.privacy.kinds import OF_GRADIENTS, MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.registry import METHODS, method
from privgraph.runs.spec import RunSpec
from privgraph_workbench.words.numbers import option

SHARED = ("unit", "epsilon", "delta", "accounting")
"""Options that have a flag of their own."""
AGGREGATIONS = (MechanismKind.AGGREGATION, MechanismKind.REPLACED_AGGREGATION)
HARDLY_ANY = 0.05
"""A share of true edges below which a randomised graph tells nothing."""
COORDINATES = 0.05
"""Noise on one of thousands of coordinates that is this share of the longest gradient sum hides it: on all
together it is many times as long."""


def plan(method_name: str, options: Mapping[str, Scalar], facts: PublicFacts) -> Plan:
    """What a run would do to privacy. Raises `OptionError` where the options do not go together."""
    found: Plan = build(method(method_name).load_config(), options).plan(facts)
    return found


def command_line(spec: RunSpec, seeds: str = "") -> str:
    """The command that makes the same run, with what differs from the defaults; for a trial of a tuning, a
    run of the same settings that stands alone, and says so. With `seeds`, a word of the shell as it stands
    there, that of several runs of the setting."""
    if seeds:
        return f"{shlex.join(['privgraph', 'sweep', *_setting(spec)])} --seeds {seeds}"
    line = ["privgraph", "run", *_setting(spec), "--seed", str(spec.seed)]
    line += [] if spec.device == "auto" else ["--device", spec.device]
    return shlex.join(line) + ("  # the settings of a trial; this run stands alone" if spec.trial else "")


def _setting(spec: RunSpec) -> list[str]:
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    defaults = {parameter.name: parameter.default for parameter in known}
    # said even at their defaults; a budget that nothing reads would promise what the noise does not keep
    always = {"unit"} if spec.asked_epsilon is None else {"unit", "epsilon"}
    said = {name: option(one) for name, one in spec.options.items() if name in always or defaults.get(name) != one}
    flags = [(f"--{name}", said.pop(name)) for name in SHARED if name in said]
    flags += [] if spec.split == "random" else [("--split", spec.split)]
    flags += [("--data-set", f"{name}={option(value)}") for name, value in spec.data_options.items()]
    flags += [("--set", f"{name}={value}") for name, value in said.items()]
    return [spec.method, "--data", spec.dataset, *(word for flag in flags for word in flag)]


class Drowned(NamedTuple):
    """A mechanism whose noise is so many `times` its signal, and in words `what` is hidden."""

    times: float
    what: str
    edges: bool
    """Whether what drowns is what edges say; features may still teach."""


def drowned(plan: Plan) -> Drowned | None:
    """The mechanism of a plan that drowns most; None where none is known to.

    Sums over neighbours, of rows of norm at most 1: noise (standard deviation of each number) against the
    mean degree. Sums of clipped gradients: noise against `COORDINATES` of the longest that the sum of a
    batch can be. Randomised response: pairs that are joined by coins alone against edges that stay, where
    these are fewer than `HARDLY_ANY`. Votes are not judged: their methods say it in the plan's notes.
    """
    found = [one for entry in plan.statement.ledger if (one := _judged(entry, plan.facts)) is not None]
    return max((one for one in found if one.times > 1), default=None)


def _judged(entry: LedgerEntry, facts: PublicFacts) -> Drowned | None:
    std = entry.noise_std or 0.0
    if entry.kind in AGGREGATIONS and facts.entries:
        return Drowned(std * facts.nodes / facts.entries, "each sum over a node's neighbours", edges=True)
    if entry.kind in OF_GRADIENTS and entry.sensitivity:
        batch = max(1.0, (entry.sampling_rate or 1.0) * facts.train_nodes)
        longest = (entry.worst.clip or entry.sensitivity) * batch
        return Drowned(std / (COORDINATES * longest), "each step's gradient", edges=False)
    if entry.kind is MechanismKind.RANDOMISED_RESPONSE and facts.edges:
        pairs, answers = pair_count(facts.nodes, facts.undirected), entry.event
        if isinstance(answers, PureDP):  # its coins follow a noisy number of edges: here, for who holds them, the true
            answers = asymmetric(answers.epsilon, min(1.0, facts.edges / pairs)).event()
        assert isinstance(answers, RandomizedResponse)
        stay, made = answers.one_to_one * facts.edges, answers.zero_to_one * max(0, pairs - facts.edges)
        return Drowned(HARDLY_ANY * made / stay, "the true edges", edges=True)
    return None
