"""The form of a method, before anything of it is run: what its classes and functions must look like.

A fault is told in one sentence that names the file and says what to change; without it, the same fault shows
as an error somewhere inside the package.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from privgraph.methods.base import MethodConfig
from privgraph.methods.row import MethodSpec
from privgraph.options import OptionError, parameters
from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph.privacy.old_records import RELATIONS
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import RELATION_ROSTER

DECORATOR = "@dataclass(frozen=True, kw_only=True)"


def place(path: str) -> str:
    """Where "module:attribute" stands, for a person to open.

    >>> place("privgraph.methods.baselines.mlp.config:Config")
    'Config in privgraph/methods/baselines/mlp/config.py'
    """
    module, _, name = path.partition(":")
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None or not found.origin:
        return f"{name} in {module.replace('.', '/')}.py"
    file = Path(found.origin)
    return f"{name} in {'/'.join(file.parts[-module.count('.') - (2 if file.stem == '__init__' else 1) :])}"


@lru_cache(maxsize=64)
def fault(spec: MethodSpec) -> str:
    """What is wrong with the form of the configuration or the trainer of a row; "" where nothing is."""
    for path, judged in ((spec.config, _of_config), (spec.train, _of_trainer)):
        module, _, name = path.partition(":")
        if not module or not name:
            return f'the row (MethodSpec) of {spec.name} must name "module:attribute" (got {path})'
        try:
            found = (spec.load_config if path == spec.config else spec.load_train)()
        except Exception as error:  # whatever somebody else's module raises
            return f"{path} cannot be imported ({type(error).__name__}: {error}): see {place(path)}, or the row"
        wrong = next(judged(found), "")
        if wrong:
            return f"{wrong}: see {place(path)}"
    return ""


def _of_config(kind: Any) -> Iterator[str]:
    """The faults of a configuration, the one that explains the others first."""
    if not (inspect.isclass(kind) and issubclass(kind, MethodConfig)):
        yield "the configuration must be a class that derives from MethodConfig"
        return
    name = kind.__name__
    if "__dataclass_fields__" not in vars(kind):
        own = ", ".join(one for one in vars(kind).get("__annotations__", ()))
        lost = f"; without it, its own options ({own}) are not read" if own else ""
        yield f"{name} is no dataclass: write {DECORATOR} above class {name}{lost}"
        return
    annotated = vars(kind).get("__annotations__", {})
    if not all(one.kw_only for one in fields(kind) if one.name in annotated):
        yield f"{name} takes options by position: write {DECORATOR} above class {name}"
    yield from _of_methods(kind)
    if kind.__abstractmethods__:
        yield f"{name} lacks {', '.join(sorted(kind.__abstractmethods__))}, which MethodConfig leaves to each method"
        return
    try:
        parameters(kind)
    except (TypeError, NameError, StopIteration) as error:
        yield f"an option of {name} is not described: {error or 'Annotated without an Option'}"
        return
    try:
        kind()
    except OptionError as error:
        yield f"the defaults of {name} are refused ({error}): change the default, or its Option"
    except Exception as error:  # whatever somebody else's code raises
        yield f"{name}() cannot be made ({error}): its __post_init__ takes self, and calls check(self)"


def _of_methods(kind: type[MethodConfig]) -> Iterator[str]:
    """Methods without `self`, of another form than in `MethodConfig`, or that are the same for all."""
    name = kind.__name__
    for own, value in vars(kind).items():
        base = inspect.getattr_static(MethodConfig, own, None)
        function = value.fget if isinstance(value, property) else value
        if not inspect.isfunction(function) or not function.__qualname__.startswith(f"{kind.__qualname__}."):
            continue
        taken, line = list(inspect.signature(function).parameters), function.__code__.co_firstlineno
        if taken[:1] != ["self"]:
            yield f"{name}.{own} (line {line}) takes ({', '.join(taken)}): its first argument must be self"
        if getattr(base, "__final__", False):
            yield f"{name}.{own} (line {line}) is the same for all methods: leave it to MethodConfig"
        if isinstance(base, property) != isinstance(value, property) and base is not None:
            write = "write @property above it" if isinstance(base, property) else "take @property away"
            yield f"{name}.{own} (line {line}) has another form than MethodConfig.{own}: {write}"
        if inspect.isfunction(base) and not own.startswith("__"):
            wanted = list(inspect.signature(base).parameters)
            if len(taken) != len(wanted):
                yield f"{name}.{own} (line {line}) takes ({', '.join(taken)}): it must take ({', '.join(wanted)})"


def _of_trainer(train: Any) -> Iterator[str]:
    """The faults of a trainer."""
    if not callable(train):
        yield "the trainer must be a function that takes members"
    elif not _takes_one(train):
        taken = ", ".join(inspect.signature(train).parameters)
        yield f"{train.__name__} takes ({taken}): it must take members, and nothing else"


def _takes_one(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(())
    except TypeError:
        return False
    return True


def fault_of_relation(spec: MethodSpec, statement: PrivacyStatement) -> str:
    """What is wrong with a statement's relation, for its unit, its row and its own words; "" where nothing
    is."""
    said, where = statement.neighbours, f"see {place(spec.config)}"
    of_unit = {"none": Neighbours.NONE, "edge": Neighbours.UNDIRECTED_EDGE}
    wanted = of_unit.get(statement.unit, spec.neighbours)
    if said is not wanted:
        whose = "unit " + statement.unit if statement.unit in of_unit else f"the row (MethodSpec) of {spec.name}"
        also = "" if statement.unit in of_unit else ", or neighbours in the row"
        return (
            f"the statement says neighbours={_named(said)}, and {whose} says {_named(wanted)}: "
            f"change neighbours in statement{also}: {where}"
        )
    words = {**RELATIONS, RELATION_ROSTER: Neighbours.FROZEN_ROSTER}.get(statement.relation, said)
    if words is not said:
        return (
            f"the statement's relation is in words that of {_named(words)}, and it says neighbours={_named(said)}: "
            f"change relation or neighbours in statement: {where}"
        )
    return ""


def _named(kind: Neighbours) -> str:
    return f"Neighbours.{kind.name} ({NEIGHBOURS[kind]})"
