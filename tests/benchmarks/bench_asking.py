"""Seconds from a question to its answer, as the page Relations asks it.

The base encoder and the two of the examples are asked about texts of their data. The first question
starts the process, loads the encoders and reads all texts of the domain; the next ones are of other texts.
"""

import os
import statistics
import tempfile
from dataclasses import replace

from tests.benchmarks.harness import options, timed

from privgraph.runs import examples
from privgraph.runs.asking import Asker
from privgraph.runs.questions import Question
from privgraph.studies.examples import askable
from privgraph.studies.worked import of_domain, question


def answered(asker: Asker, asked: Question) -> None:
    ticket = asker.ask(asked)
    if not ticket.wait(600):
        raise RuntimeError("no answer within ten minutes")
    ticket.answer()


def main() -> None:
    warm = options(__doc__, warm=10).warm
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PRIVGRAPH_HOME"] = folder
        store = examples.open_store()
        asked, asker = question(store, askable()), Asker()
        try:
            texts = [of_domain(asked)[0], *(f"steel watering can, number {at}" for at in range(warm))]
            first, *later = [timed(lambda own=text: answered(asker, replace(asked, text=own))).clock for text in texts]
        finally:
            asker.close()
            store.close()
    print(f"{len(asked.encoders)} encoders; the first answer after {first:.1f} s")
    print(f"{warm} more: {statistics.median(later):.2f} s (median), {max(later):.2f} s at most")
