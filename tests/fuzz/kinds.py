"""What all kinds of inputs have in common: how an input is made and taken, and what is a refusal and what a
crash."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.runs.records import StoreError

REFUSALS = (DataError, OptionError, StoreError, UnknownName)
LONGEST = 500
FEW = 5


@dataclass(frozen=True)
class Kind:
    """One kind of input: its part of all inputs, how one is made, and what takes it.

    `take` gives what is said of the input, a sentence each: nothing where it is accepted. It may raise one of
    `REFUSALS` as well. `make` draws from its generator alone, so that an input is known by its seed, kind and
    number.
    """

    name: str
    part: float
    make: Callable[[random.Random], object]
    take: Callable[[object], Sequence[str]]


@dataclass
class Found:
    """What came of the inputs of a kind; `crashes` has the first few, each with what makes it again."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    crashed: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    crashes: list[str] = field(default_factory=list, repr=False)


class Crash(Exception):
    """Something that is neither taken nor refused in one sentence."""


def play(kind: Kind, count: int, seed: int) -> Found:
    """Make and take that many inputs of a kind."""
    tally = Found()
    reasons: set[str] = set()
    for number in range(count):
        place = f"{seed}/{kind.name}/{number}"
        given = kind.make(random.Random(place))
        began = time.perf_counter()
        tally.inputs += 1
        try:
            said = judged(kind, given)
        except Crash as crash:
            tally.crashed += 1
            if len(tally.crashes) < FEW and str(crash) not in reasons:  # the first of each sort tells most
                reasons.add(str(crash))
                tally.crashes.append(f"{place}: {crash}\n    {brief(given)}")
        else:
            tally.refused += bool(said)
            tally.accepted += not said
        took = time.perf_counter() - began
        tally.seconds += took
        tally.slowest = max(tally.slowest, (took, place))
    return tally


def judged(kind: Kind, given: object) -> Sequence[str]:
    """What is said of the input. Raises `Crash` for any other error, and for what is no short sentence."""
    try:
        said = kind.take(given)
    except REFUSALS as error:
        said = [str(error)]
    except Exception as error:
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        where = f"{last.tb_frame.f_code.co_filename.rpartition('/')[2]}:{last.tb_lineno}" if last else ""
        raise Crash(f"{type(error).__name__} in {where}: {brief(str(error), 200)}") from error
    for sentence in said:
        if not sentence or "\n" in sentence or len(sentence) >= LONGEST or "Traceback" in sentence:
            raise Crash(f"no short sentence: {brief(sentence, 200)}")
    return said


def brief(value: object, length: int = 600) -> str:
    """A value in one line, cut off in its middle."""
    text = ascii(value)
    return text if len(text) <= length else f"{text[: length // 2]} ... {text[-length // 2 :]}"
