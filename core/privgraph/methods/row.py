"""The row of a method: what a table says of it before anything of it is imported. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from privgraph.methods.base import MethodConfig
from privgraph.privacy.kinds import Neighbours

if TYPE_CHECKING:
    from privgraph.methods.training import TrainEntry


@dataclass(frozen=True, kw_only=True, repr=False)
class MethodSpec:
    """A method: where its configuration and trainer are, what it can protect, and what it is for.

    `config` and `train` are "module:attribute". `units` are the privacy units that it supports
    ("none" means that it can run without protection). `neighbours` is the kind of neighbouring relation at
    node level (`privacy.kinds.Neighbours`), with default options. `counterpart` names the method that shows
    what is reached without privacy, where this one cannot run without protection itself. `own_parts`: it
    draws who trains and who tests itself, so that of a run's split only the seed counts, and the edges that
    an inductive one drops. `asked`: the ways in which an attack may ask the model of a run about nodes
    (`methods.outsider.WAYS`); none where its trainer does not answer.
    """

    name: str
    title: str
    about: str
    paper: str
    config: str
    train: str
    units: tuple[str, ...]
    tasks: tuple[str, ...] = ("node classification",)
    uses_edges: bool = True
    neighbours: Neighbours = Neighbours.FROZEN_ROSTER
    counterpart: str = "gnn"
    own_parts: bool = False
    asked: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"MethodSpec({self.name}: {self.title}, units {', '.join(self.units)})"

    def load_config(self) -> type[MethodConfig]:
        return cast("type[MethodConfig]", attribute(self.config))

    def load_train(self) -> TrainEntry[MethodConfig]:
        return cast("TrainEntry[MethodConfig]", attribute(self.train))

    @property
    def without_privacy(self) -> str:
        """The name of the method that shows what is reached without privacy: this one, where it can."""
        return self.name if "none" in self.units else self.counterpart

    def refuses(self, task: str, undirected: bool, unit: str) -> str | None:
        """Why this method cannot run on such data with such a unit, or None."""
        if task not in self.tasks:
            return f"{self.title} is for {', '.join(self.tasks)}, not for {task}"
        if unit not in self.units:
            return f"{self.title} offers protection of {' or '.join(self.units)}, not of {unit}"
        return None


def attribute(path: str) -> Any:
    """What "module:attribute" names."""
    module, name = path.split(":")
    return getattr(import_module(module), name)
