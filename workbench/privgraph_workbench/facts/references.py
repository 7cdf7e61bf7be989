"""What an accuracy is read beside: chance, the interval that so many test nodes leave, and a run without
privacy. No Streamlit."""

from collections.abc import Mapping
from dataclasses import replace

from privgraph.audits.bounds import at_least, at_most
from privgraph.methods.teachers.options import PartitionOptions
from privgraph.options import Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.words.naming import NETWORKS

GUARANTEE = ("epsilon", "delta", "accounting")
"""Options of the guarantee, which nothing reads where nothing is protected."""
LEVEL = 0.95


def interval(metrics: Mapping[str, float]) -> tuple[float, float] | None:
    """The confidence interval (Clopper and Pearson 1934) of a run's accuracy over its test nodes, for the
    model as it was trained; None without such nodes, and for runs of versions that did not count them.

    >>> [round(end, 3) for end in interval({"test_accuracy": 0.75, "test_nodes": 100}) or ()]
    [0.653, 0.831]
    """
    accuracy, nodes = metrics.get("test_accuracy"), metrics.get("test_nodes")
    if accuracy is None or nodes is None or nodes < 1:
        return None
    right, count, level = round(accuracy * round(nodes)), round(nodes), (1 - LEVEL) / 2
    return float(at_least(right, count, level)), float(at_most(right, count, level))


def without_privacy(spec: RunSpec) -> RunSpec | None:
    """The run that shows what is reached without privacy on the same graph, split and seed; None where this
    one protects nothing, or its method is not known here.

    The same method with the same options where it can run without protection; else the method that stands in
    for it (`MethodSpec.without_privacy`) with its defaults, with the same network where it offers one, and on
    the same private nodes, judged on the same public ones, where the graph is cut into two such parts.
    Raises `OptionError` where an option is admitted no more.
    """
    if spec.unit == "none" or spec.method not in METHODS:
        return None
    chosen = METHODS[spec.method].without_privacy
    if chosen == spec.method:
        kept = {name: value for name, value in spec.options.items() if name not in GUARANTEE}
    else:
        kept = {**_network(chosen, spec.options), **parts(spec)}
    made = make_spec(chosen, spec.dataset, {**kept, "unit": "none"}, data_options=spec.data_options, split=spec.split)
    return replace(made, seed=spec.seed, device=spec.device)


def parts(spec: RunSpec) -> dict[str, Scalar]:
    """The options by which the method that stands in for this one, without privacy, has the run's private and
    public nodes; none where the run cuts its graph into no such parts, or that method cannot."""
    chosen = METHODS[METHODS[spec.method].without_privacy].load_config()
    if not all(issubclass(one, PartitionOptions) for one in (METHODS[spec.method].load_config(), chosen)):
        return {}
    cut = [one.name for one in parameters(PartitionOptions) if one.name not in (*GUARANTEE, "unit")]
    return {"trained_on": "private", **{name: spec.options[name] for name in cut if name in spec.options}}


def _network(method: str, options: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The options that choose a network, as far as the method admits these values of them."""
    known = {parameter.name: parameter.option.choices for parameter in parameters(METHODS[method].load_config())}
    return {name: options[name] for name in NETWORKS if name in options and options[name] in known.get(name, ())}
