"""The graph that is made up with the measures of one's own, and what it has of it. No Streamlit."""

from __future__ import annotations

from privgraph.data.catalogue import dataset
from privgraph.data.fitted_signal import expected_accuracy, signal_for, sizes_of
from privgraph.options import Scalar
from privgraph_workbench.facts.traits import Traits
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph, with_options
from privgraph_workbench.words.numbers import option, percent

NAME = "social"
"""The graph that is drawn at any sizes."""
MEASURES = ("nodes", "degree", "homophily")
"""What it takes of one's own graph as it is."""
BELOW = 4
"""Points by which a trained MLP stays below `expected_accuracy` at most, as was measured there."""
NOT_FITTED = 0.005
"""An accuracy that is missed by more is not fitted."""


def words(graph: OneGraph) -> str:
    """A graph that nothing has run on, by what was asked for of it."""
    held = graph.data_options
    if graph.spec.name != NAME:
        return ", ".join([graph.spec.title, *(f"{name.replace('_', ' ')} {value}" for name, value in graph.options)])
    sizes = f"{int(held['nodes']):,} nodes, mean degree {float(held['degree']):g}"
    return f"{graph.spec.title.lower()} of {sizes}, homophily {float(held['homophily']):.2f}"


def made_as(graph: OneGraph) -> str:
    """What such a graph has of one's own, and what not."""
    if graph.spec.name != NAME:
        return ""
    held = graph.data_options
    return (
        f"Sizes and homophily are as the address says; everything else is made up: {option(held['classes'])} classes "
        f"of equal size, edges at random within and between them, features with signal {option(held['signal'])}. "
        f"{reached_words(graph)}"
    )


def reached_words(graph: OneGraph) -> str:
    """About what an MLP reaches on a made-up graph."""
    reached = expected_accuracy(float(graph.data_options["signal"]), **sizes_of(graph.spec, graph.data_options))
    return f"An MLP reaches about {percent(reached)} there, or up to {BELOW} points less."


def drawn_as(own: Traits, classes: float | None) -> tuple[OneGraph | None, str]:
    """The made-up graph with these measures and so many classes (None: not typed), and what an MLP reaches
    there beside what was typed; None without a measure. Raises `OptionError`."""
    spec = dataset(NAME)
    options: dict[str, Scalar] = {name: getattr(own, name) for name in MEASURES if name in own.known}
    if not options:
        return None, ""
    if classes is not None:
        options["classes"] = int(classes)
    graph = with_options(spec, options)
    count = option(graph.data_options["classes"])
    drawn = f"It is drawn with {count} classes{', for none were typed' * (classes is None)}."
    if own.mlp is None:
        ask = "Type the accuracy of your MLP to have features that tell as much."
        return graph, f"{drawn} {reached_words(graph)} {ask}"
    sizes = sizes_of(spec, graph.data_options)
    graph = with_options(spec, {**options, "signal": signal_for(own.mlp, **sizes)})
    reached = expected_accuracy(float(graph.data_options["signal"]), **sizes)
    if abs(reached - own.mlp) > NOT_FITTED:
        why = "with so few classes a guess reaches more" if reached > own.mlp else "features tell no more"
        return graph, f"{drawn} {reached_words(graph)} You typed {percent(own.mlp)}, which no features fit: {why}."
    return graph, f"{drawn} Its features are fitted to the {percent(own.mlp)} that you typed. {reached_words(graph)}"
