"""`privgraph tune`: choose options, or an epsilon, on private data, with the price of the choice."""

import argparse
import sys
from dataclasses import asdict, replace

from privgraph.privacy.selection import Fixed
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Terms
from privgraph.tuning.conducting import Tuning, expected
from privgraph.tuning.request import Choice, Request, Search, make_request
from privgraph_workbench.commands.output import lines, result, say
from privgraph_workbench.commands.show import told_of
from privgraph_workbench.commands.values import spec_of
from privgraph_workbench.commands.watching import STOPPED, draw, progress_bar


def tune_command(parsed: argparse.Namespace) -> int:
    """Try in the background, wait, and print the run that is released: nothing but what may be told."""
    request = requested(parsed)
    if parsed.price:
        terms = request.terms()
        told = _promised(request, terms)
        if isinstance(request, Choice) and not isinstance(request.law, Fixed) and not parsed.json:
            fixed = replace(request, law=Fixed(count=round(request.law.mean))).terms()
            told["trial_epsilon_with_law_fixed"] = fixed.trial_epsilon
        say(parsed.json, asdict(terms), told)
        return 0
    tuning = Tuning(RunStore.open(), request)
    print(f"{tuning.id}{' is done' if tuning.done else ' goes on' if tuning.resumed else ''}", file=sys.stderr)
    print(*lines(_promised(request, tuning.terms)), sep="\n", file=sys.stderr)
    try:
        with progress_bar(None, far="{n:.0f} trials are over") as bar:  # how many are to come, nobody is told
            tuned = tuning.conduct(lambda over, _pending: draw(bar, tuning.id, over))
    except KeyboardInterrupt:
        print(f"{tuning.id} was interrupted: nothing is released, and the command goes on with it", file=sys.stderr)
        return STOPPED
    run = tuned.released
    told = {"epsilon_paid_in_all": tuned.terms.epsilon, "released": run.id if run else "nothing"}
    if run and isinstance(request, Search):
        told |= {"reached_at_epsilon": run.spec.asked_epsilon, "validation_nodes": request.nodes}
    value = {"tuning": tuned.id, "terms": asdict(tuned.terms), "released": run and result(run)}
    say(parsed.json, value, told, *(told_of(run) if run else ()))
    return int(run is None)


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


def _promised(request: Request, terms: Terms) -> dict[str, object]:
    """Epsilon is of all trials together."""
    epsilons = list(request.epsilons) if isinstance(request, Search) else None
    return {"trials": expected(request), **asdict(terms), "epsilons": epsilons}
