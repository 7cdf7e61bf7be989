"""`privgraph tune`: choose options, or an epsilon, on private data, with the price of the choice."""

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TextIO

from privgraph.privacy.selection import Fixed
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.tuning.conducting import Tuned, Tuning, expected
from privgraph.tuning.request import Choice, Request, Search, make_request
from privgraph_workbench.commands.output import json_line, print_lines, result
from privgraph_workbench.commands.show import print_run
from privgraph_workbench.commands.values import spec_of
from privgraph_workbench.commands.watching import STOPPED


def tune_command(parsed: argparse.Namespace) -> int:
    """Try in the background, wait, and print the run that is released."""
    request = requested(parsed)
    if parsed.price:
        return _price(request, parsed.json)
    tuning = Tuning(RunStore.open(), request)
    print(f"{tuning.id}{' is done' if tuning.done else ' goes on' if tuning.resumed else ''}", file=sys.stderr)
    _print_terms(request, tuning.terms, sys.stderr)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    told = -1

    def look(over: int, _pending: Sequence[RunRecord]) -> None:  # how many are to come, nobody is told
        nonlocal told
        if over != told:
            print(f"{over} trials are over", file=sys.stderr)
        told = over

    try:
        tuned = tuning.conduct(look)
    except KeyboardInterrupt:
        print(f"{tuning.id} was interrupted: nothing is released, and the command goes on with it", file=sys.stderr)
        return STOPPED
    _print(tuned, request, parsed.json)
    return int(tuned.released is None)


def requested(parsed: argparse.Namespace) -> Request:
    """What the command line asks for. Raises `OptionError` or `UsageError`."""
    base = spec_of(parsed, parsed.method, parsed.seed)
    names = ("trials", "shape", "sampler", "accuracy", "lowest", "highest", "steps", "score_noise")
    return make_request(
        base,
        over=dict(parsed.over),
        epsilon=None if parsed.epsilon is None else float(base.options["epsilon"]),
        law=parsed.law.replace("-", " "),
        **{name: getattr(parsed, name) for name in names},
    )


def _print_terms(request: Request, terms: Terms, file: TextIO) -> None:
    """What it promises: epsilon is of all trials together."""
    epsilons = list(request.epsilons) if isinstance(request, Search) else None
    print_lines({"trials": expected(request), **asdict(terms), "epsilons": epsilons}, file)


def _price(request: Request, as_json: bool) -> int:
    terms = request.terms()
    if as_json:
        print(json_line(asdict(terms)))
        return 0
    _print_terms(request, terms, sys.stdout)
    if isinstance(request, Choice) and not isinstance(request.law, Fixed):
        fixed = replace(request, law=Fixed(count=round(request.law.mean))).terms().trial_epsilon
        print_lines({"trial_epsilon_with_law_fixed": fixed})
    return 0


def _print(tuned: Tuned, request: Request, as_json: bool) -> None:
    """Nothing but what may be released; how many trials there were is the store's to know."""
    run = tuned.released
    if as_json:
        print(json_line({"tuning": tuned.id, "terms": asdict(tuned.terms), "released": run and result(run)}))
        return
    told: dict[str, object] = {"epsilon_paid_in_all": tuned.terms.epsilon, "released": run.id if run else "nothing"}
    if run and isinstance(request, Search):
        told |= {"reached_at_epsilon": run.spec.asked_epsilon, "validation_nodes": request.nodes}
    print_lines(told)
    if run:
        print_run(run)
