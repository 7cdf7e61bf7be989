"""Which graph a run was trained on: data set, options that change it, kind of split. No torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.options import Scalar, UnknownName, parameters
from privgraph.runs.spec import RunSpec

People = tuple[str, tuple[tuple[str, str], ...]]
"""Whose data they are: the data set, and its options that differ from its defaults."""


@dataclass(frozen=True, order=True)
class GraphId:
    """One graph. Runs on different graphs are compared with each other nowhere without a word.

    `options` are those of the data set that differ from its defaults, as (name, text) in the order in which
    the set has them; which seed split the graph is no part of it, the kind of split is.
    """

    dataset: str
    options: tuple[tuple[str, str], ...]
    split: str

    @staticmethod
    def of(spec: RunSpec) -> GraphId:
        return GraphId.made(spec.dataset, spec.data_options, spec.split)

    @staticmethod
    def made(dataset: str, options: Mapping[str, Scalar], split: str) -> GraphId:
        return _made(dataset, tuple(options.items()), split)

    @property
    def people(self) -> People:
        """Whose data these are: every split of a graph shows the same people."""
        return self.dataset, self.options

    @property
    def nodes(self) -> int | None:
        """How many nodes it has, where the catalogue or its options tell.

        >>> GraphId.made("digits", {}, "random").nodes, GraphId.made("social", {"nodes": 600}, "random").nodes
        (1797, 600)
        """
        asked = dict(self.options).get("nodes") or _defaults(self.dataset).get("nodes")
        if asked is not None:
            return int(float(asked))
        try:
            return dataset(self.dataset).nodes
        except (DataError, UnknownName):
            return None

    def words(self, title: str = "") -> str:
        """The graph in words, with another `title` for the data set where it has one. Of a graph that is
        drawn at other options than the set's defaults all measures are named.

        >>> GraphId.made("social", {"nodes": 600, "classes": 4, "degree": 12.0}, "random").words()
        'social (nodes 600, classes 4, degree 12, homophily 0.8, signal 1.5)'
        >>> GraphId.made("cora", {}, "public").words()
        'cora (public split)'
        """
        held = dict(self.options)
        if held:  # who drew it chose each of its measures, whether or not that is what it is by default
            held = {name: held.get(name, value) for name, value in _told(self.dataset).items()} | held
        said = [f"{name.replace('_', ' ')} {value}" for name, value in held.items()]
        said += [f"{self.split} split"] if self.split != "random" else []
        name = title or self.dataset
        return f"{name} ({', '.join(said)})" if said else name


@lru_cache(maxsize=1024)
def _made(dataset: str, options: tuple[tuple[str, Scalar], ...], split: str) -> GraphId:
    defaults, given = _defaults(dataset), dict(options)
    order = [*defaults, *sorted(given.keys() - defaults.keys())]
    found = [(name, _text(given[name])) for name in order if name in given]
    return GraphId(dataset, tuple(pair for pair in found if pair[1] != defaults.get(pair[0])), split)


@lru_cache(maxsize=64)
def _told(dataset: str) -> Mapping[str, str]:
    """Of the defaults those that the forms of a drawn graph show openly."""
    kind = DATASETS[dataset].load_options() if dataset in DATASETS else None
    return {one.name: _text(one.default) for one in parameters(kind) if not one.option.advanced} if kind else {}


@lru_cache(maxsize=64)
def _defaults(dataset: str) -> Mapping[str, str]:
    kind = DATASETS[dataset].load_options() if dataset in DATASETS else None
    return {one.name: _text(one.default) for one in parameters(kind)} if kind else {}


def _text(value: Scalar) -> str:
    """Every digit of it: another number is another graph, and 12 is 12.0."""
    return repr(float(value)).removesuffix(".0") if isinstance(value, int | float) else value
