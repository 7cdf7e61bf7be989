"""A graph with its own settings: a data set that is drawn at any sizes is another graph at each of them, and
what is said of one is said of no other. No Streamlit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, Scalar, UnknownName, build, parameters, parse
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.spec import RunSpec
from privgraph_workbench.forms import beginnings
from privgraph_workbench.words.numbers import option

MARK = "~"
"""In an address, between a data set and each of its options."""


@dataclass(frozen=True, kw_only=True)
class OneGraph:
    """A data set with those of its options that differ from its defaults (`GraphId.people`). title: what
    tells it from the other graphs of a list; runs: how many of its runs are done."""

    spec: DatasetSpec
    options: tuple[tuple[str, str], ...] = ()
    title: str = ""
    runs: int = 0

    @property
    def people(self) -> People:
        return self.spec.name, self.options

    @property
    def nodes(self) -> int | None:
        return GraphId(self.spec.name, self.options, "random").nodes

    @property
    def data_options(self) -> Mapping[str, Scalar]:
        """Every option that it is drawn with; nothing for most sets."""
        return _all_options(self.spec.name, self.options)

    @property
    def address(self) -> str:
        """By which it is found again, whichever other graphs there are.

        >>> OneGraph(spec=dataset("social"), options=(("nodes", "600"), ("degree", "12"))).address
        'social~nodes=600~degree=12'
        """
        return MARK.join([self.spec.name, *(f"{name}={value}" for name, value in self.options)])


@lru_cache(maxsize=64)
def _all_options(name: str, options: tuple[tuple[str, str], ...]) -> Mapping[str, Scalar]:
    kind, held = dataset(name).load_options(), dict(options)
    known = parameters(kind) if kind else ()
    return {one.name: parse(one, held[one.name]) if one.name in held else one.default for one in known}


def with_options(spec: DatasetSpec, values: Mapping[str, object] | None = None) -> OneGraph:
    """The graph of a set with these options; those that are not given are as its form begins. Raises
    `OptionError`.

    >>> with_options(dataset("social"), {"nodes": 5000}).address
    'social~nodes=5000~classes=3~degree=16~homophily=0.85~signal=1'
    """
    kind = spec.load_options()
    if kind is None:
        return OneGraph(spec=spec, title=spec.title)
    given = {**beginnings.data_options(spec), **(values or {})}
    built = build(kind, given)
    whole = {one.name: getattr(built, one.name) for one in parameters(kind)}
    return OneGraph(spec=spec, options=GraphId.made(spec.name, whole, "random").options, title=spec.title)


def of_run(run: RunSpec) -> OneGraph:
    """The graph of a run."""
    spec = dataset(run.dataset)
    return OneGraph(spec=spec, options=GraphId.of(run).options, title=spec.title)


def read(address: str) -> OneGraph | None:
    """The graph at an address (`OneGraph.address`); None where there is no such graph.

    >>> found = read("social~nodes=600~degree=12")
    >>> found.options, found.data_options["signal"], read("social~nodes=many"), read("social~size=2")
    ((('nodes', '600'), ('degree', '12')), 1.5, None, None)
    """
    name, *pairs = address.split(MARK)
    try:
        spec = dataset(name)
        kind = spec.load_options()
        known = {one.name: one for one in parameters(kind)} if kind else {}
        held = dict(pair.split("=", 1) for pair in pairs)
        values = {key: parse(known[key], text) for key, text in held.items()}
        if kind is not None:
            build(kind, values)
    except (DataError, KeyError, OptionError, UnknownName, ValueError):
        return None
    return OneGraph(spec=spec, options=GraphId.made(name, values, "random").options, title=spec.title)


def listed(specs: Iterable[DatasetSpec], counts: Mapping[People, int], asked: OneGraph | None) -> list[OneGraph]:
    """Every graph of these sets, each by a title of its own: those that have runs, of a set without any the
    one that its form begins with, and `asked`, which need have none. Sets with runs come first, and of each
    set the graph with the most."""
    held: dict[str, list[OneGraph]] = {}
    for spec in specs:
        ran = [people for people in counts if people[0] == spec.name]
        found = [OneGraph(spec=spec, options=people[1], runs=counts[people]) for people in ran]
        found.sort(key=lambda one: -one.runs)
        found = found or [with_options(spec)]
        if asked is not None and asked.spec.name == spec.name and asked.people not in {one.people for one in found}:
            found.append(asked)
        held[spec.name] = titled(found)
    every = [one for found in held.values() for one in found]
    return sorted(every, key=lambda one: not any(other.runs for other in held[one.spec.name]))


def titled(graphs: Sequence[OneGraph]) -> list[OneGraph]:
    """Graphs of one set, each with what tells it from the others: its nodes where these do, else every
    option in which they differ.

    >>> made = [OneGraph(spec=dataset("social"), options=(("nodes", text),)) for text in ("600", "5000")]
    >>> [one.title for one in titled(made)], titled(made[:1])[0].title
    (['Made-up social network, 600 nodes', 'Made-up social network, 5,000 nodes'], 'Made-up social network')
    >>> shops = [OneGraph(spec=dataset("products"), options=pairs) for pairs in ((), (("products", "200"),))]
    >>> [one.title for one in titled(shops)]
    ['Made-up products (products 1000)', 'Made-up products (products 200)']
    """
    if len(graphs) < 2:
        return [replace(one, title=one.spec.title) for one in graphs]
    sizes = [one.nodes for one in graphs]
    by_size = [f"{one.nodes:,} nodes" if len(set(sizes)) > 1 and one.nodes is not None else "" for one in graphs]
    repeated = {words for words, count in Counter(by_size).items() if count > 1}
    names = list(dict.fromkeys(name for one in graphs for name in one.data_options))
    differing = [name for name in names if len({str(one.data_options.get(name)) for one in graphs}) > 1]
    told = []
    for one, size in zip(graphs, by_size, strict=True):
        more = [name for name in differing if not (size and name == "nodes")] if size in repeated else []
        words = [size, *(f"{name.replace('_', ' ')} {option(one.data_options[name])}" for name in more)]
        said = ", ".join(filter(None, words))
        title = f"{one.spec.title}, {said}" if size else f"{one.spec.title} ({said})" if said else one.spec.title
        told.append(replace(one, title=title))  # as the figure calls its panel
    return told
