"""Seconds from a question to its answer, as the page Relations asks it.

    python -m tests.benchmarks.bench_asking [--warm 10]

The base encoder and the two of the examples are asked about texts of their data. The first question
starts the process, loads the encoders and reads all texts of the domain; the next ones are of other texts.
"""

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import replace

from privgraph.runs import examples
from privgraph.runs.asking import Asker
from privgraph.runs.questions import Question
from privgraph.studies.examples import askable
from privgraph.studies.worked import of_domain, question


def seconds(asker: Asker, asked: Question) -> float:
    """From a question to its answer."""
    began = time.perf_counter()
    ticket = asker.ask(asked)
    if not ticket.wait(600):
        raise RuntimeError("no answer within ten minutes")
    ticket.answer()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--warm", type=int, default=10, help="questions after the first")
    warm = parser.parse_args().warm
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PRIVGRAPH_HOME"] = folder
        store = examples.open_store()
        asked, asker = question(store, askable()), Asker()
        try:
            first = seconds(asker, replace(asked, text=of_domain(asked)[0]))
            later = [seconds(asker, replace(asked, text=f"steel watering can, number {at}")) for at in range(warm)]
        finally:
            asker.close()
            store.close()
    print(f"{len(asked.encoders)} encoders; the first answer after {first:.1f} s")
    print(f"{warm} more: {statistics.median(later):.2f} s (median), {max(later):.2f} s at most")


if __name__ == "__main__":
    main()
