"""What a run is: method, data, options, seed. Equal specs have equal ids. No torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from privgraph.data import catalogue
from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import GivenNoise, MethodConfig
from privgraph.options import DATA, ENCODER, OptionError, Scalar, build, parameters, short, values
from privgraph.registry import METHODS, method

SPEC_VERSION = 1
SHOWN = ("unit", "epsilon")
"""Options that every spec shows, whatever their defaults are."""
_FIELDS: Mapping[str, type] = {
    "version": int,
    "method": str,
    "dataset": str,
    "options": dict,
    "data_options": dict,
    "split": str,
    "seed": int,
    "device": str,
}


@dataclass(frozen=True, kw_only=True, repr=False)
class RunSpec:
    """A run, described completely. `privgraph.spec` makes one from loose values, and checks them.

    Args:
        method: A method of `privgraph.METHODS`.
        dataset: The name of a data set.
        options: All options of the method's configuration, by name; `late` ones where they are not at their
            default.
        data_options: All options of an embedded data set that has any.
        split: `random`, `public` or `inductive`.
        seed: It names every random stream of the run that everybody may know, the split included.
        device: `auto`, `cpu` or `cuda`.
        trial: Of a run that a tuning tries: a word that no other trial has, so that each has noise of its
            own; it tells neither how many trials there are, nor which this was. "" of all other runs.
    """

    method: str
    dataset: str
    options: Mapping[str, Scalar] = field(default_factory=dict)
    data_options: Mapping[str, Scalar] = field(default_factory=dict)
    split: str = "random"
    seed: int = 0
    device: str = "auto"
    trial: str = ""

    def __repr__(self) -> str:
        """Method, data, unit and epsilon, and the options that have another value than their default."""
        row, data = METHODS.get(self.method), catalogue.DATASETS.get(self.dataset)
        told = {"unit": self.unit} | ({} if self.asked_epsilon is None else {"epsilon": self.asked_epsilon})
        told |= _changed(None if row is None else row.load_config(), self.options)
        told |= _changed(None if data is None else data.load_options(), self.data_options)
        words = ", ".join(f"{name} {value}" for name, value in told.items())
        return f"RunSpec({self.method} on {self.dataset}: {words}, {self.split} split, seed {self.seed})"

    def to_json(self) -> dict[str, Any]:
        return {
            "version": SPEC_VERSION,
            "method": self.method,
            "dataset": self.dataset,
            "options": dict(sorted(self.options.items())),
            "data_options": dict(sorted(self.data_options.items())),
            "split": self.split,
            "seed": self.seed,
            "device": self.device,
            **({"trial": self.trial} if self.trial else {}),
        }

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> RunSpec:
        """Read the spec that `to_json` wrote.

        Args:
            record: An object of plain JSON values.

        Returns:
            The spec, whose options are not yet checked (`config` does that).

        Raises:
            OptionError: The record is of another form.
        """
        if not isinstance(record, Mapping):
            raise OptionError("a run spec must be an object")
        version = record.get("version")
        if version != SPEC_VERSION:
            raise OptionError(f"this spec has version {short(version)}, and version {SPEC_VERSION} is read here")
        for name, kind in _FIELDS.items():
            if not isinstance(record.get(name), kind):
                raise OptionError(f"a run spec must have the fields of RunSpec ({name} is missing or wrong)")
        unknown = record.keys() - {*_FIELDS, "trial"}
        if unknown:
            raise OptionError(f"a run spec has no field {short(', '.join(sorted(unknown)))}")
        options = {**record["options"], **record["data_options"]}
        if not all(isinstance(value, Scalar) for value in options.values()):
            raise OptionError("the options of a run spec must be numbers or text")
        trial = record.get("trial", "")
        if not isinstance(trial, str):
            raise OptionError(f"the trial of a run spec must be a word (got {short(trial)})")
        return RunSpec(**{name: record[name] for name in _FIELDS if name != "version"}, trial=trial)

    @property
    def text(self) -> str:
        """The whole spec as one line. Specs of equal ids can be made on purpose; those of equal texts are
        equal."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    @property
    def id(self) -> str:
        """A readable, content-derived name: method, data set and twelve hex digits."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:12]
        return f"{self.method}-{self.dataset.replace(':', '-')}-{digest}"

    def config(self) -> MethodConfig:
        """The validated configuration. Raises `OptionError` or `UnknownName`."""
        return build(method(self.method).load_config(), self.options)

    @property
    def unit(self) -> str:
        """What was to be protected: none, edge or node."""
        return str(self.options.get("unit", "none"))

    @property
    def needs(self) -> str:
        """What a machine must have beside the data, a line each: data sets, and encoders after the word
        encoder and a colon."""
        if self.method not in METHODS:
            return ""
        named = [one for one in parameters(METHODS[self.method].load_config()) if one.option.names]
        values = [(one.option.names, str(self.options.get(one.name, one.default))) for one in named]
        data = [value for kind, value in values if kind == DATA and value in catalogue.DATASETS]
        return "\n".join([*data, *(f"{ENCODER}:{value}" for kind, value in values if kind == ENCODER)])

    @property
    def noise(self) -> GivenNoise | None:
        """The noise of a method whose noise can be given; None of all others, and where nothing is
        protected."""
        return None if self.unit == "none" else _noise(self.method, tuple(sorted(self.options.items())))

    @property
    def asked_epsilon(self) -> float | None:
        """The budget that the noise is calibrated to; None where nothing is protected, or the noise itself
        was given."""
        asked, noise = self.options.get("epsilon"), self.noise
        if self.unit == "none" or not isinstance(asked, int | float) or (noise is not None and noise.value > 0):
            return None
        return float(asked)


def _changed(kind: type | None, options: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The options that are not at the default of that configuration; all of them where none is known."""
    defaults = {one.name: one.default for one in parameters(kind)} if kind is not None else {}
    return {name: value for name, value in options.items() if name not in SHOWN and value != defaults.get(name)}


@lru_cache(maxsize=4096)
def _noise(name: str, options: tuple[tuple[str, Scalar], ...]) -> GivenNoise | None:
    if name not in METHODS:
        return None
    kind = METHODS[name].load_config()
    known = {parameter.name for parameter in parameters(kind)}
    try:
        config = build(kind, {option: value for option, value in options if option in known})
    except OptionError:  # a run of an earlier version, with a value that is admitted no more: its statement tells
        return None
    return config.price.given


def make_spec(
    method_name: str,
    dataset: str,
    options: Mapping[str, object] | None = None,
    *,
    data_options: Mapping[str, object] | None = None,
    split: str = "random",
    seed: int = 0,
    device: str = "auto",
) -> RunSpec:
    """A spec from loose values; every option of the method and of the data is validated and filled in.

    Raises `OptionError` or `UnknownName`, also where the method refuses the data or the privacy unit.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**31:
        raise OptionError(f"seed must be a whole number from 0 to {2**31 - 1} (got {short(seed)})")
    if device not in ("auto", "cpu", "cuda"):
        raise OptionError(f"device must be one of auto, cpu, cuda (got {short(device)})")
    config = build(method(method_name).load_config(), options or {})
    data = catalogue.dataset(dataset)
    reason = method(method_name).refuses(data.task, data.undirected, str(values(config).get("unit", "none")))
    if reason:
        raise OptionError(reason)
    if split not in ("random", "public", "inductive"):
        raise OptionError(f"split must be one of random, public, inductive (got {short(split)})")
    if split == "public" and not data.public_split:
        raise OptionError(f"{data.title} has no public split: use random or inductive")
    return RunSpec(
        method=method_name,
        dataset=dataset,
        options={
            one.name: value
            for one in parameters(type(config))
            if (value := getattr(config, one.name)) != one.default or not one.option.late
        },
        data_options=_data_options(data, data_options or {}),
        split=split,
        seed=seed,
        device=device,
    )


def _data_options(data: DatasetSpec, given: Mapping[str, object]) -> dict[str, Scalar]:
    """All options of an embedded data set, so that leaving one out and giving its default are the same
    run."""
    kind = data.load_options()
    if kind is not None:
        return values(build(kind, given))
    if given:
        raise OptionError(f"{data.title} has no options of its own (got {', '.join(given)})")
    return {}
