"""Run specs from loose values, and their plans: options of the registry, well, badly and absurdly chosen."""

import json
import math
import random
from collections.abc import Sequence
from typing import Any, cast

from tests.fuzz import strange

from privgraph.data.catalogue import DATASETS
from privgraph.data.spec import PublicFacts
from privgraph.options import Parameter, parameters
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statements import statement_text
from privgraph.registry import METHODS, method
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.facts import plans

FACTS = (
    PublicFacts(nodes=34, edges=78, entries=156, features=34, classes=2, train_nodes=26),
    PublicFacts(nodes=2708, edges=5278, entries=10_556, features=1433, classes=7, train_nodes=2031),
    PublicFacts(nodes=1_000_000, edges=50_000_000, entries=100_000_000, features=500, classes=100, train_nodes=750_000),
    PublicFacts(nodes=500, edges=900, entries=900, features=3, classes=4, train_nodes=375, undirected=False),
    PublicFacts(nodes=1, edges=0, entries=0, features=1, classes=1, train_nodes=0),
    PublicFacts(nodes=3, edges=0, entries=0, features=1, classes=2, train_nodes=1),
)


def make(rng: random.Random) -> object:
    """The arguments of `make_spec`, and the sizes to plan for."""
    name = rng.choice(list(METHODS)) if rng.random() < 0.98 else rng.choice(strange.TEXTS)
    data = rng.choice(("karate", "social", rng.choice(list(DATASETS)), rng.choice(strange.TEXTS)))
    if rng.random() < 0.6:
        data = "karate"
    bad = rng.choice((0.0, 0.0, 0.01, 0.2))
    given: dict[str, Any] = {
        "options": _options(rng, method(name).load_config() if name in METHODS else None, bad),
        "data_options": {},
        "split": rng.choice(("random", "public", "inductive")) if rng.random() < 0.3 else "random",
        "seed": rng.randrange(2**31),
        "device": "auto",
    }
    kind = DATASETS[data].load_options() if data in DATASETS else None
    if kind is not None:
        given["data_options"] = _options(rng, kind, bad)
    if rng.random() < bad:
        given[rng.choice(("split", "seed", "device"))] = strange.value(rng)
    return name, data, given, rng.randrange(len(FACTS))


def _options(rng: random.Random, config: type | None, bad: float) -> dict[str, object]:
    known = list(parameters(config)) if config is not None else []
    asked = rng.sample(known, rng.randrange(len(known) + 1)) if known else []
    options: dict[str, object] = {one.name: _value(rng, one, bad) for one in asked}
    if config is not None and rng.random() < 0.8:  # a unit that the method has, so that most get as far as a plan
        options.pop("unit", None)
    if rng.random() < bad / 4:
        options[rng.choice(strange.TEXTS)] = strange.value(rng)
    return options


def _value(rng: random.Random, parameter: Parameter, bad: float) -> object:
    option = parameter.option
    if rng.random() < bad:
        return strange.value(rng)
    if option.choices:
        return rng.choice(option.choices)
    if parameter.type is bool:
        return rng.choice((True, False, "yes", "off"))
    if parameter.type is str:
        return rng.choice((parameter.default, rng.choice(strange.TEXTS)))
    low = option.low if option.low is not None else -1e6
    high = option.high if option.high is not None else 1e6
    value = rng.choice((low, high, parameter.default, rng.uniform(low, high), _logarithmic(rng, low, high)))
    if rng.random() < bad:
        value = rng.choice((math.nextafter(low, -math.inf), math.nextafter(high, math.inf), low - 1, high + 1))
    if parameter.type is int:
        value = round(value)
    return str(value) if rng.random() < 0.2 else value


def _logarithmic(rng: random.Random, low: float, high: float) -> float:
    start = low if low > 0 else min(1e-6, high)
    return math.exp(rng.uniform(math.log(start), math.log(high))) if 0 < start < high else low


def take(given: object) -> Sequence[str]:
    """Make the spec, its id and its command."""
    _spec(given)
    return ()


def _spec(given: object) -> RunSpec:
    name, data, rest, _ = cast(tuple[str, str, dict[str, Any], int], given)
    spec = make_spec(name, data, rest["options"], **{key: rest[key] for key in rest if key != "options"})
    assert RunSpec.from_json(json.loads(spec.text)) == spec
    assert spec.id.isascii()
    assert plans.command_line(spec)
    return spec


def take_plan(given: object) -> Sequence[str]:
    """Plan the run, which calibrates its noise: seconds for some methods."""
    plan = _spec(given).config().plan(FACTS[cast(tuple[Any, ...], given)[-1]])
    stored = json.dumps(statement_to_json(plan.statement), allow_nan=False)
    assert statement_from_json(json.loads(stored)) == plan.statement
    assert plan.statement.epsilon >= 0
    assert all(math.isfinite(noise) and noise >= 0 for noise in plan.noise.values())
    assert statement_text(plan.statement)
    return ()
