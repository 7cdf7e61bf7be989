"""Packages whose modules and names are imported when somebody first asks for them. Imports nothing of the
project.

`import privgraph` takes a hundredth of a second and brings no torch; `privgraph.mechanisms.aggregation` is
there all the same, for whoever writes it down.
"""

import difflib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, names: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` (PEP 562) for the package of that name.

    `names` says where a name stands that is not a module of the package: "module:attribute", or "module".

    >>> attribute, listed = lazily("privgraph.privacy")
    >>> attribute("delta").__name__, "calibration" in listed()
    ('privgraph.privacy.delta', True)
    >>> attribute("calibrations")
    Traceback (most recent call last):
    ...
    AttributeError: there is no privgraph.privacy.calibrations; did you mean calibration?
    """
    places = dict(names or {})

    def modules() -> list[str]:
        return [module.name for module in pkgutil.iter_modules(sys.modules[package].__path__)]

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"there is no {package}.{name}")
        if name in places:
            module, _, inner = places[name].partition(":")
            value = getattr(import_module(module), inner) if inner else import_module(module)
        elif name in modules():
            value = import_module(f"{package}.{name}")
        else:
            close = difflib.get_close_matches(name, [*places, *modules()], n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(f"there is no {package}.{name}{hint}", name=name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        there = [name for name in vars(sys.modules[package]) if name.startswith("__")]
        return sorted({*there, *places, *modules()})

    return attribute, listed
