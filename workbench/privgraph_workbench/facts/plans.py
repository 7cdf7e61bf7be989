"""What a run would be: its plan, and the command that makes the same one. No Streamlit, no torch."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import Scalar, build, parameters
from privgraph.registry import METHODS, method
from privgraph.runs.spec import RunSpec
from privgraph_workbench.words.numbers import option

SHARED = ("unit", "epsilon", "delta", "accounting")
"""Options that have a flag of their own."""


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
