"""The process that has an engine train what was given to it: `python -m privgraph.runs.engines ENGINE`.

A page starts it, which itself waits for nothing. It ends when all runs have that were queued when it began.
"""

import argparse
import sys
from collections.abc import Sequence

from privgraph.options import OptionError, UnknownName, build, parameters
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import train
from privgraph.runs.records import StoreError
from privgraph.runs.reporting import say
from privgraph.runs.store import RunStore


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 where all of its runs have ended, 1 where the engine could not train them."""
    parser = argparse.ArgumentParser(prog="python -m privgraph.runs.engines", description="Train what was given.")
    parser.add_argument("engine", metavar="ENGINE", help="name of an engine")
    for one in parameters(EngineOptions):
        parser.add_argument(f"--{one.name}", default=one.default, help=one.option.help)
    parsed = parser.parse_args(arguments)
    try:
        store = RunStore.open()
        options = build(EngineOptions, {one.name: getattr(parsed, one.name) for one in parameters(EngineOptions)})
        given = store.given_to(parsed.engine)
        say(f"{parsed.engine} is asked for {options.workers} workers for {len(given)} runs")
        states = train(parsed.engine, store, given, options)
        say(f"all have ended, {sum(state == 'done' for state in states.values())} of them done")
    except (StoreError, OptionError, UnknownName) as error:
        say(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
