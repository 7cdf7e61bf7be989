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
    line = [spec.method, "--data", spec.dataset]
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    defaults = {parameter.name: parameter.default for parameter in known}
    shared = ("unit", "epsilon", "delta", "accounting")
    # said even at their defaults; a budget that nothing reads would promise what the noise does not keep
    always = {"unit"} if spec.asked_epsilon is None else {"unit", "epsilon"}
    for name in shared:
        if name in spec.options and (name in always or defaults.get(name) != spec.options[name]):
            line += [f"--{name}", option(spec.options[name])]
    rest = []
    for name, value in spec.options.items():
        if name not in shared and defaults.get(name) != value:
            rest += ["--set", f"{name}={option(value)}"]
    if spec.split != "random":
        line += ["--split", spec.split]
    for name, value in spec.data_options.items():
        line += ["--data-set", f"{name}={option(value)}"]
    return line + rest
