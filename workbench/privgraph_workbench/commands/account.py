"""`privgraph account`: noise and epsilons of a method, before any data is touched."""

import argparse
from dataclasses import asdict, replace

from privgraph.data.catalogue import dataset
from privgraph.data.facts import Query, describe, sizes
from privgraph.data.sizes import TEST, VALIDATION, known_facts
from privgraph.data.spec import PublicFacts, in_two_domains
from privgraph.methods.base import MethodConfig, Plan
from privgraph.options import OptionError, build
from privgraph.privacy.statements import statement_text
from privgraph.registry import method
from privgraph.runs.spec import make_spec
from privgraph_workbench.commands.output import privacy, say
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import method_options

SIZES = ("nodes", "edges", "features", "classes", "train_nodes")
EXAMPLE = PublicFacts(nodes=10_000, edges=100_000, entries=200_000, features=100, classes=10, train_nodes=7_500)
"""A middling graph, for an account that says nothing of the graph; its numbers are printed."""
EXAMPLE_DEGREE = 20


def account_command(parsed: argparse.Namespace) -> int:
    """Print what a run would do to privacy."""
    config, facts = asked(parsed)
    plan: Plan = config.plan(facts)
    told = {"method": parsed.method, "facts": asdict(facts), "noise": dict(plan.noise)}
    more = {"steps": plan.steps, "memory_mb": plan.memory_mb, "notes": list(plan.notes)}
    say(parsed.json, {**told, **privacy(plan.statement), **more}, told | more, statement_text(plan.statement))
    return 0


def asked(parsed: argparse.Namespace) -> tuple[MethodConfig, PublicFacts]:
    """The options and sizes that the command line asks for. Raises `OptionError` or `UsageError`."""
    chosen, options, of_data = method(parsed.method), method_options(parsed), dict(parsed.data_set)
    task, known = chosen.tasks[0], EXAMPLE
    if parsed.data:
        data = dataset(parsed.data)
        held = make_spec(parsed.method, parsed.data, options, data_options=of_data).data_options
        task, known = data.task, known_facts(data, held) or sizes(describe(Query(name=data.name, options=held)))
    elif of_data:
        raise UsageError("--data-set needs --data")
    config: MethodConfig = build(chosen.load_config(), options)
    facts = _resized(known, parsed)
    if reason := chosen.refuses(task, facts.undirected, config.unit):
        raise OptionError(reason)
    return config, facts


def _resized(known: PublicFacts, parsed: argparse.Namespace) -> PublicFacts:
    """The sizes that are given; the others as they are known."""
    given = {name: value for name in SIZES if (value := getattr(parsed, name)) is not None}
    nodes = given.get("nodes", known.nodes)
    if "nodes" in given:
        given.setdefault("train_nodes", nodes - round(VALIDATION * nodes) - round(TEST * nodes))
    if not parsed.data:
        given.setdefault("edges", nodes * EXAMPLE_DEGREE // 2)
    edges, undirected = given.get("edges", known.edges), known.undirected and not parsed.directed
    if edges > nodes * (nodes - 1) // (2 if undirected else 1):
        raise UsageError(f"edges must be at most the number of pairs of {nodes} nodes (got {edges})")
    entries = 2 * edges if undirected else edges
    try:
        return in_two_domains(replace(known, **given, entries=entries, undirected=undirected))
    except ValueError as error:
        raise UsageError(str(error)) from None
