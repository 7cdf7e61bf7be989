"""What settings, graphs and seeds are called on the page Report: in the words of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from privgraph.options import listed
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.words import naming

_MANY = ("nodes", "classes", "features", "products")
"""Options of data that count something; the number stands before its name."""
_NAMES: Mapping[str, str] = {"degree": "mean degree", "seed": "drawn with seed"}


def setting(record: RunRecord, graphs: Mapping[str, str]) -> str:
    """Method, privacy and graph of a setting; `graphs`: what graphs are called beside each other
    (`graphs_of`)."""
    (label,) = naming.run_labels([record], privacy_too=True, seeds=False)
    graph = naming.graph_of(record)
    return f"{label} on {graphs.get(graph, graph)}"


def graphs_of(records: Iterable[RunRecord]) -> dict[str, str]:
    """The graphs of these runs by `naming.graph_of`: each by its title alone, and beside another graph of
    that title with what it has, in plain words."""
    held = list(records)
    names = naming.graph_names(held)
    first = {naming.graph_of(one): one for one in held}
    return {
        graph: f"{naming.data_title(first[graph].spec.dataset)} ({made})"
        if name == graph and (made := made_of(first[graph]))
        else name
        for graph, name in names.items()
    }


def graphs_apart(records: Iterable[RunRecord], graphs: Mapping[str, str]) -> str:
    """What those of the graphs have of which their names here say nothing, a sentence for all; "" where
    nothing is left to say."""
    told = {}
    for one in records:
        name, made = graphs[naming.graph_of(one)], made_of(one)
        if made and made not in name:
            told[name] = f"{name}: {made}"
    return f"{'; '.join(told.values())}." if told else ""


def made_of(record: RunRecord) -> str:
    """What was asked of a graph that is made up or split otherwise: `600 nodes, 3 classes, mean degree 16`;
    "" of one as everybody has it."""
    graph = GraphId.of(record.spec)
    told = [
        f"{value} {name}" if name in _MANY else f"{_NAMES.get(name, name.replace('_', ' '))} {value}"
        for name, value in graph.options
    ]
    return ", ".join([*told, *[f"{graph.split} split"] * (graph.split != "random")])


def seeds(numbers: Sequence[int]) -> str:
    """
    >>> seeds([3]), seeds([4, 0, 2]), seeds([0, 1, 2, 3])
    ('seed 3', 'seeds 0, 2 and 4', 'seeds 0 to 3')
    """
    held = sorted(numbers)
    if len(held) == 1:
        return f"seed {held[0]}"
    if len(held) > 2 and held[-1] - held[0] == len(held) - 1:
        return f"seeds {held[0]} to {held[-1]}"
    told = [str(one) for one in held]
    return f"seeds {both(told) if len(told) < 7 else listed(told)}"
