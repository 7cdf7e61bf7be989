"""`privgraph account`: noise and epsilons of a method, before any data is touched."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping

from privgraph.data.catalogue import dataset
from privgraph.data.products import CATEGORIES, DOMAINS, ProductOptions
from privgraph.data.sizes import TEST, VALIDATION
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.methods.base import MethodConfig, Plan
from privgraph.options import OptionError, build
from privgraph.privacy.statements import statement_text
from privgraph.registry import method
from privgraph_workbench.commands.output import json_line, lines_text, privacy
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import method_options, pairs

Sizes = Mapping[str, int | None]
SIZES = ("nodes", "edges", "features", "classes", "train_nodes")
EXAMPLE: Sizes = {"nodes": 10_000, "features": 100, "classes": 10}
"""A middling graph, for an account that says nothing of the graph; its numbers are printed."""
EXAMPLE_DEGREE = 20


def account_command(parsed: argparse.Namespace) -> int:
    """Print what a run would do to privacy."""
    config, facts = asked(parsed)
    plan: Plan = config.plan(facts)
    told = {"method": parsed.method, "facts": dataclasses.asdict(facts), "noise": dict(plan.noise)}
    more = {"steps": plan.steps, "memory_mb": plan.memory_mb, "notes": list(plan.notes)}
    if parsed.json:
        print(json_line({**told, **privacy(plan.statement), **more}))
    else:
        print(f"{lines_text(told | more)}\n\n{statement_text(plan.statement)}")
    return 0


def asked(parsed: argparse.Namespace) -> tuple[MethodConfig, PublicFacts]:
    """The options and sizes that the command line asks for. Raises `OptionError` or `UsageError`."""
    chosen = method(parsed.method)
    config: MethodConfig = build(chosen.load_config(), method_options(parsed))
    facts = _facts(parsed)
    task = dataset(parsed.data).task if parsed.data else chosen.tasks[0]
    reason = chosen.refuses(task, facts.undirected, config.unit)
    if reason:
        raise OptionError(reason)
    return config, facts


def _facts(parsed: argparse.Namespace) -> PublicFacts:
    """The sizes asked for; the rest from the catalogue, or from the example graph."""
    spec = dataset(parsed.data) if parsed.data else None
    if spec is None and parsed.data_set:
        raise UsageError("--data-set needs --data")
    known = EXAMPLE if spec is None else _known(spec, pairs(parsed.data_set, "--data-set"))
    sizes = {**known, **{name: one for name in SIZES if (one := getattr(parsed, name)) is not None}}
    nodes = sizes["nodes"] or 0
    if spec is None:
        sizes.setdefault("edges", nodes * EXAMPLE_DEGREE // 2)
    sizes.setdefault("train_nodes", nodes - round(VALIDATION * nodes) - round(TEST * nodes))
    missing = [name for name, value in sizes.items() if value is None]
    if missing:
        raise UsageError(f"the catalogue does not know the sizes of {parsed.data}: give --{' and --'.join(missing)}")
    undirected = not parsed.directed and (spec is None or spec.undirected)
    edges = sizes["edges"] or 0
    if edges > nodes * (nodes - 1) // (2 if undirected else 1):
        raise UsageError(f"edges must be at most the number of pairs of {nodes} nodes (got {edges})")
    entries = 2 * edges if undirected else edges
    try:
        return in_two_domains(PublicFacts(**sizes, entries=entries, undirected=undirected))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _known(spec: DatasetSpec, options: Mapping[str, str]) -> Sizes:
    """What the catalogue, or the options of a made-up set, say of its sizes."""
    if options and not spec.options:
        raise OptionError(f"{spec.title} has no options of its own (got {', '.join(options)})")
    kind = spec.load_options()
    if kind is None:
        return {"nodes": spec.nodes, "edges": spec.edges, "features": spec.features, "classes": spec.classes}
    made = build(kind, options)
    if isinstance(made, ProductOptions):  # a text has no features: a column that nobody reads
        nodes, edges = (len(DOMAINS) * one for one in (made.products, made.wanted))
        return {"nodes": nodes, "edges": edges, "features": 1, "classes": len(CATEGORIES)}
    edges = round(made.nodes * made.degree / 2)
    return {"nodes": made.nodes, "edges": edges, "features": made.features, "classes": made.classes}
