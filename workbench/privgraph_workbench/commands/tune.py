"""`privgraph tune`: choose options, or an epsilon, on private data, with the price of the choice."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from privgraph.data.errors import DataError
from privgraph.privacy.selection import Fixed
from privgraph.runs.records import RunRecord, StoreError, plain
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.tuning.conducting import Tuned, Tuning, expected
from privgraph.tuning.request import Choice, Request, Search, make_request
from privgraph_workbench.commands.output import Lines, json_line, lines_text, result
from privgraph_workbench.commands.show import description
from privgraph_workbench.commands.values import number, pairs, spec_of, whole
from privgraph_workbench.commands.watching import STOPPED, interrupt
from privgraph_workbench.words.numbers import number as digits
from privgraph_workbench.words.numbers import rounded_delta, upper


def tune_command(parsed: argparse.Namespace) -> int:
    """Try in the background, wait, and print the run that is released."""
    request = requested(parsed)
    try:
        if parsed.price:
            return _price(request, parsed.json)
        tuning = Tuning(RunStore.open(), request)
    except DataError as error:
        raise StoreError(str(error)) from None
    print(f"{tuning.id}{' is done' if tuning.done else ' goes on' if tuning.resumed else ''}", file=sys.stderr)
    print(lines_text(_terms(request, tuning.terms)), file=sys.stderr)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        tuned = tuning.conduct(_Watch().look)
    except KeyboardInterrupt:
        print(f"{tuning.id} was interrupted: nothing is released, and the command goes on with it", file=sys.stderr)
        return STOPPED
    _print(tuned, request, parsed.json)
    return 1 if tuned.released is None else 0


def requested(parsed: argparse.Namespace) -> Request:
    """What the command line asks for. Raises `OptionError` or `UsageError`."""
    base = spec_of(parsed, parsed.method, whole("seed", parsed.seed), without="epsilon")
    over = {
        name: [one.strip() for one in str(values).split(",") if one.strip()]
        for name, values in pairs(parsed.over, "--over").items()
    }
    return make_request(
        base,
        over=over,
        epsilon=None if parsed.epsilon is None else number("epsilon", parsed.epsilon),
        trials=number("trials", parsed.trials),
        law=parsed.law.replace("-", " "),
        shape=number("shape", parsed.shape),
        sampler=parsed.sampler,
        accuracy=None if parsed.accuracy is None else number("accuracy", parsed.accuracy),
        lowest=number("lowest", parsed.lowest),
        highest=number("highest", parsed.highest),
        steps=whole("steps", parsed.steps),
        score_noise=number("score-noise", parsed.score_noise),
    )


def _terms(request: Request, terms: Terms) -> Lines:
    """What it promises: epsilon is of all trials together."""
    alone = terms.trial_epsilon
    return [
        ("Trials", expected(request)),
        ("Epsilon of all trials", upper(terms.epsilon)),
        ("Delta", rounded_delta(terms.delta)),
        ("Epsilon of a trial alone", digits(alone) if alone else None),
        ("Accountant", terms.accountant),
        ("Epsilons", ", ".join(map(digits, request.epsilons)) if isinstance(request, Search) else None),
    ]


def _price(request: Request, as_json: bool) -> int:
    terms = request.terms()
    if as_json:
        print(json_line(plain(asdict(terms))))
        return 0
    print(lines_text(_terms(request, terms)))
    if isinstance(request, Choice) and not isinstance(request.law, Fixed):
        paid = replace(request, law=Fixed(count=round(request.law.mean))).terms().trial_epsilon
        print(f"Epsilon of a trial alone with --law fixed: {digits(paid)}")
    return 0


def _print(tuned: Tuned, request: Request, as_json: bool) -> None:
    """Nothing but what may be released; how many trials there were is the store's to know."""
    if as_json:
        run = None if tuned.released is None else result(tuned.released)
        print(json_line({"tuning": tuned.id, "terms": plain(asdict(tuned.terms)), "released": run}))
        return
    lines: list[tuple[str, object]] = [("Epsilon paid in all", upper(tuned.terms.epsilon))]
    if tuned.released is None:
        lines.append(("Released", "nothing"))
    elif isinstance(request, Search):
        lines += [
            ("Reached at epsilon", digits(tuned.released.spec.asked_epsilon)),
            ("Validation nodes", f"{request.nodes:,}"),
        ]
    print(lines_text(lines))
    if tuned.released is not None:
        print(description(tuned.released))


class _Watch:
    """Says on standard error how many trials are over; how many are to come, nobody is told."""

    def __init__(self) -> None:
        self._told = -1

    def look(self, over: int, pending: Sequence[RunRecord]) -> None:
        if over != self._told:
            self._told = over
            print(f"{over} trials are over", file=sys.stderr)
