"""What a run would be, and what it would cost, before anything is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from privgraph.calls import in_words
from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, build, short, values
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import PrivacyEvent
from privgraph.registry import method as method_spec
from privgraph.runs.spec import RunSpec, make_spec

if TYPE_CHECKING:
    from privgraph.data.graph import Graph
    from privgraph.methods.base import Plan


@in_words
def spec(
    method: str,
    *,
    on: str | Graph,
    split: str | None = None,
    seed: int | None = None,
    device: str = "auto",
    data_options: Mapping[str, object] | None = None,
    **options: object,
) -> RunSpec:
    """Describe a run completely: equal descriptions have equal ids, here, in the app and on the command line.

    >>> import privgraph as pg
    >>> one = pg.spec("progap", on="karate", unit="edge", epsilon=1)
    >>> one.id == pg.spec("progap", on="karate", unit="edge", epsilon="1.0", seed=0).id
    True

    Args:
        method: A method of `privgraph.METHODS`.
        on: The name of a data set, or a graph as `privgraph.load` returned it, which stands for its data set,
            its options and its split.
        split: `random` (default), `public` or `inductive`; a graph has one already.
        seed: Seed of every random choice of the run that everybody may know, the split included, 0 or more.
            The default is the split seed of a graph, and 0 for a name. Noise comes from a secret key, and not
            from it.
        device: `auto`, `cpu` or `cuda`.
        data_options: Options of an embedded data set that is given by its name.
        **options: Options of the method; those that are left out have their defaults.

    Returns:
        The description, with every default filled in.

    Raises:
        UnknownName: There is no such method or data set; the message offers the nearest name.
        OptionError: There is no such option, or not such a value of it, or the method refuses the data.
    """
    if data_options is not None and not isinstance(data_options, Mapping):
        raise OptionError(f'data_options must be a mapping, such as {{"nodes": 300}} (got {short(data_options)})')
    name, chosen = on, dict(data_options or {})
    if not isinstance(on, str):
        from privgraph.api.graphs import origin

        found = origin(on)
        if data_options or split not in (None, found.split):
            raise OptionError("a graph has its options and its split already: give those to privgraph.load")
        name, chosen, split = found.name, dict(found.options), found.split
        seed = found.split_seed if seed is None else seed
    return make_spec(
        method,
        str(name),
        options,
        data_options=chosen,
        split=split or "random",
        seed=0 if seed is None else seed,
        device=device,
    )


def chosen_spec(method: str | RunSpec, on: str | Graph | None, rest: Mapping[str, Any]) -> RunSpec:
    """The description that a caller gave, ready or in parts. Raises as `spec` does."""
    if isinstance(method, RunSpec):
        given = [name for name, value in {"on": on, **rest}.items() if value not in (None, "auto")]
        if given:
            raise OptionError(f"a spec says everything already: leave out {', '.join(given)}")
        return method
    if on is None:
        raise OptionError(
            'say on which data: on= takes the name of a data set, such as on="karate", or a graph that '
            "privgraph.load returned"
        )
    return spec(method, on=on, **rest)


@in_words
def plan(
    method: str | RunSpec,
    *,
    on: str | Graph | PublicFacts | None = None,
    split: str | None = None,
    seed: int | None = None,
    data_options: Mapping[str, object] | None = None,
    **options: object,
) -> Plan:
    """Compute what a run would do to privacy, before any of it is trained: its noise, and its statement.

    Sizes of the graph are all that is read of it, and the statement lists them as public.

    Args:
        method: A method of `privgraph.METHODS`, or a spec, which needs nothing else.
        on: The name of a data set, any graph, or `privgraph.PublicFacts` where there is no graph yet.
        split: `random` (default), `public` or `inductive`, of a data set that is given by its name.
        seed: Seed of that split, 0 or more (default: 0).
        data_options: Options of an embedded data set that is given by its name.
        **options: Options of the method; those that are left out have their defaults.

    Returns:
        The plan: `noise` (name -> standard deviation or multiplier), `statement` (a `PrivacyStatement`),
        `steps` of progress, `memory_mb` (a rough upper estimate, in MiB) and `notes` (sentences).

    Raises:
        UnknownName: There is no such method or data set; the message offers the nearest name.
        OptionError: There is no such option, or not such a value of it, or the method refuses the data.
        DataError: The data set cannot be loaded.
    """
    parts = {"split": split, "seed": seed, "data_options": data_options, **options}
    if isinstance(on, PublicFacts) or not (on is None or isinstance(on, str)):
        if isinstance(method, RunSpec):
            chosen_spec(method, on, parts)  # type: ignore[arg-type]  # refuses: a spec says everything already
        given = [name for name in ("split", "seed", "data_options") if parts[name] is not None]
        if given:
            raise OptionError(f"a graph, or its sizes, say everything of the data: leave out {', '.join(given)}")
        facts = on if isinstance(on, PublicFacts) else getattr(on, "facts", None)
        if not isinstance(facts, PublicFacts):
            raise OptionError(f"on must be the name of a data set, a graph, or privgraph.PublicFacts (got {short(on)})")
        row = method_spec(str(method))
        config = build(row.load_config(), options)
        reason = row.refuses("node classification", facts.undirected, str(values(config).get("unit", "none")))
        if reason:
            raise OptionError(reason)
    else:
        chosen = chosen_spec(method, on, parts)
        config, facts = chosen.config(), facts_of(chosen)
    found: Plan = config.plan(facts)
    return found


def facts_of(chosen: RunSpec) -> PublicFacts:
    """The sizes of a run's graph."""
    from privgraph.data.load import load

    return load(chosen.dataset, split=chosen.split, split_seed=chosen.seed, data_options=chosen.data_options).facts


@in_words
def epsilon(event: PrivacyEvent, delta: float) -> float:
    """Compute what an event costs: an upper bound on epsilon, never below what does hold.

    >>> import privgraph as pg
    >>> steps = pg.events.Repeated(event=pg.events.Gaussian(noise_multiplier=10.0), count=4)
    >>> round(pg.epsilon(steps, delta=1e-5), 3)
    0.726

    Args:
        event: What is released: one of `privgraph.events`, noise relative to the sensitivity.
        delta: The chance that the guarantee may fail, in [0, 1).

    Returns:
        Epsilon: 0 where nothing is released, infinite where nothing is guaranteed.

    Raises:
        OptionError: `delta` is no number.
        ValueError: `delta` is out of range, or no accountant knows the event.
    """
    if isinstance(delta, bool) or not isinstance(delta, int | float):
        raise OptionError(f"delta must be a number (got {short(delta)})")
    return tight().epsilon(event, delta)
