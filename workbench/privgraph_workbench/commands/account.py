"""`privgraph account`: noise and epsilons of a method, before any data is touched."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from privgraph.data.catalogue import dataset
from privgraph.data.products import CATEGORIES, DOMAINS, ProductOptions
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.methods.base import MethodConfig, Plan
from privgraph.options import OptionError, build
from privgraph.privacy.statements import statement_text
from privgraph.registry import method
from privgraph_workbench.commands.output import Lines, json_line, lines_text, privacy
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import method_options, pairs, whole

EXAMPLE = {"nodes": 10_000, "features": 100, "classes": 10}
"""A middling graph, for an account that says nothing of the graph; its numbers are printed."""
EXAMPLE_DEGREE = 20


def account_command(parsed: argparse.Namespace) -> int:
    """Print what a run would do to privacy."""
    config, facts = asked(parsed)
    plan: Plan = config.plan(facts)
    if parsed.json:
        print(json_line(_record(parsed.method, facts, plan)))
    else:
        print(f"{lines_text(_lines(parsed.method, facts, plan))}\n\n{statement_text(plan.statement)}")
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


def _record(name: str, facts: PublicFacts, plan: Plan) -> dict[str, Any]:
    return {
        "method": name,
        "facts": dataclasses.asdict(facts),
        "noise": dict(plan.noise),
        **privacy(plan.statement),
        "steps": plan.steps,
        "memory_mb": plan.memory_mb,
        "notes": list(plan.notes),
    }


def _lines(name: str, facts: PublicFacts, plan: Plan) -> Lines:
    return [
        ("Method", name),
        ("Nodes", f"{facts.nodes:,}"),
        ("Edges", f"{facts.edges:,} {'undirected' if facts.undirected else 'directed'}"),
        ("Training nodes", f"{facts.train_nodes:,}"),
        *((f"Noise {key.replace('_', ' ')}", f"{value:.6g}") for key, value in plan.noise.items()),
        *(("Note", note) for note in plan.notes),
    ]


def _facts(parsed: argparse.Namespace) -> PublicFacts:
    """The sizes asked for; the rest from the catalogue, or from the example graph."""
    asked = {
        name: whole(name.replace("_", "-"), getattr(parsed, name), low=1 if name in EXAMPLE else 0)
        for name in ("nodes", "edges", "train_nodes", "features", "classes")
        if getattr(parsed, name) is not None
    }
    spec = dataset(parsed.data) if parsed.data else None
    known = _known(spec, parsed) if spec is not None else dict(EXAMPLE)
    if spec is None and parsed.data_set:
        raise UsageError("--data-set needs --data")
    sizes = known | asked
    nodes = sizes["nodes"]
    edges = sizes.get("edges", nodes * EXAMPLE_DEGREE // 2)
    undirected = not parsed.directed and (spec is None or spec.undirected)
    train = sizes.get("train_nodes", nodes - round(0.10 * nodes) - round(0.15 * nodes))
    if edges > nodes * (nodes - 1) // (2 if undirected else 1):
        raise UsageError(f"edges must be at most the number of pairs of {nodes} nodes (got {edges})")
    if train > nodes:
        raise UsageError(f"train-nodes must be at most {nodes}, the number of nodes (got {train})")
    known_sizes = PublicFacts(
        nodes=nodes,
        edges=edges,
        entries=2 * edges if undirected else edges,
        features=sizes["features"],
        classes=sizes["classes"],
        train_nodes=train,
        undirected=undirected,
    )
    return in_two_domains(known_sizes)


def _known(spec: DatasetSpec, parsed: argparse.Namespace) -> dict[str, int]:
    """What the catalogue, or the options of a made-up set, say of its sizes."""
    assignments = pairs(parsed.data_set, "--data-set")
    kind = spec.load_options()
    if kind is not None:
        options = build(kind, assignments)
        if isinstance(options, ProductOptions):
            sides = len(DOMAINS)
            return {
                "nodes": sides * options.products,
                "edges": sides * options.wanted,
                "features": 1,  # a text has none: a column that nobody reads
                "classes": len(CATEGORIES),
            }
        return {
            "nodes": options.nodes,
            "edges": round(options.nodes * options.degree / 2),
            "features": options.features,
            "classes": options.classes,
        }
    if assignments:
        raise OptionError(f"{spec.title} has no options of its own (got {', '.join(assignments)})")
    sizes = {"nodes": spec.nodes, "edges": spec.edges, "features": spec.features, "classes": spec.classes}
    missing = [name for name, value in sizes.items() if value is None and getattr(parsed, name) is None]
    if missing:
        raise UsageError(f"the catalogue does not know the sizes of {spec.name}: give --{' and --'.join(missing)}")
    return {name: value for name, value in sizes.items() if value is not None}
