"""`privgraph tune`: choose options, or an epsilon, on private data, with the price of the choice."""

from __future__ import annotations

import argparse
import math
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from privgraph.data.errors import DataError
from privgraph.options import OptionError, short
from privgraph.privacy.selection import Fixed
from privgraph.runs.records import RunRecord, StoreError, plain
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.tuning.conducting import Tuned, Tuning, expected
from privgraph.tuning.request import Choice, Request, Search, make_request
from privgraph_workbench.commands.output import json_line, result
from privgraph_workbench.commands.run import STOPPED, interrupt
from privgraph_workbench.commands.show import describe
from privgraph_workbench.commands.values import method_options, pairs, whole
from privgraph_workbench.words.numbers import number, rounded_delta, upper


def tune_command(parsed: argparse.Namespace) -> int:
    """Try in the background, wait, and print the run that is released."""
    request = asked(parsed)
    try:
        if parsed.price:
            return _price(request, parsed.json)
        tuning = Tuning(RunStore.open(), request)
    except (DataError, StoreError) as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    found = f"{tuning.id} is done already" if tuning.done else f"{tuning.id} goes on" if tuning.resumed else tuning.id
    print(f"{found}: {expected(request)}, {_promise(tuning.terms)}", file=sys.stderr)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        tuned = tuning.conduct(_Watch().look)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            f"{tuning.id} was interrupted, and nothing is released; the same command goes on with it", file=sys.stderr
        )
        return STOPPED
    _print(tuned, request, parsed.json)
    return 1 if tuned.released is None else 0


def asked(parsed: argparse.Namespace) -> Request:
    """What the command line asks for. Raises `OptionError` or `UsageError`."""
    options = method_options(parsed)
    options.pop("epsilon", None)
    base = make_spec(
        parsed.method,
        parsed.data,
        options,
        data_options=pairs(parsed.data_set, "--data-set"),
        split=parsed.split,
        seed=whole("seed", parsed.seed),
        device=parsed.device,
    )
    over = {
        name: [one.strip() for one in str(values).split(",") if one.strip()]
        for name, values in pairs(parsed.over, "--over").items()
    }
    return make_request(
        base,
        over=over,
        epsilon=None if parsed.epsilon is None else _number("epsilon", parsed.epsilon),
        trials=_number("trials", parsed.trials),
        law=parsed.law.replace("-", " "),
        shape=_number("shape", parsed.shape),
        sampler=parsed.sampler,
        accuracy=None if parsed.accuracy is None else _number("accuracy", parsed.accuracy),
        lowest=_number("lowest", parsed.lowest),
        highest=_number("highest", parsed.highest),
        steps=whole("steps", parsed.steps),
        score_noise=_number("score-noise", parsed.score_noise),
    )


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise OptionError(f"{name} must be a number (got {short(text)})")
    return value


def _promise(terms: Terms) -> str:
    each = f"; a trial alone costs epsilon {number(terms.trial_epsilon)}" if terms.trial_epsilon else ""
    return f"epsilon {upper(terms.epsilon)} for all of it at delta {rounded_delta(terms.delta)}{each}"


def _price(request: Request, as_json: bool) -> int:
    terms = request.terms()
    if as_json:
        print(json_line(plain(asdict(terms))))
    else:
        print(f"{expected(request)}, {_promise(terms)}")
        print(f"By {terms.accountant}.")
        if isinstance(request, Search):
            print(f"Looked for among epsilon {', '.join(number(one) for one in request.epsilons)}.")
        if isinstance(request, Choice) and not isinstance(request.law, Fixed):
            paid = replace(request, law=Fixed(count=round(request.law.mean)))
            print(
                f"Where {expected(paid)} are all paid for (--law fixed), a trial alone may cost epsilon "
                f"{number(paid.terms().trial_epsilon)}."
            )
    return 0


def _print(tuned: Tuned, request: Request, as_json: bool) -> None:
    """Nothing but what may be released; how many trials there were is the store's to know."""
    if as_json:
        run = None if tuned.released is None else result(tuned.released)
        print(json_line({"tuning": tuned.id, "terms": plain(asdict(tuned.terms)), "released": run}))
    elif tuned.released is not None:
        if isinstance(request, Search):
            alone = tuned.released.spec.asked_epsilon
            assert alone is not None
            print(
                f"Reached on {request.nodes:,} validation nodes at epsilon {number(alone)}; having looked for it costs "
                f"{upper(tuned.terms.epsilon)} in all."
            )
        print(describe(tuned.released))
    elif isinstance(request, Search):
        print(
            f"{request.accuracy:g} was not reached up to epsilon {number(request.highest)}: nothing is released. "
            f"Whoever is told this has been shown epsilon {upper(tuned.terms.epsilon)}."
        )
    else:
        print("No trial was drawn: nothing is released.")


class _Watch:
    """Says on standard error how many trials are over; how many are to come, nobody is told."""

    def __init__(self) -> None:
        self._told = -1

    def look(self, over: int, pending: Sequence[RunRecord]) -> None:
        if over != self._told:
            self._told = over
            print(f"{over} trials are over", file=sys.stderr)
