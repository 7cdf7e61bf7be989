"""`python -m privgraph.runs.ask`: the process that reads texts, and answers questions on standard output.

One question (`questions.Question`) a line; for each, any number of lines {"share", "stage"} and then one with
an "answer" or an "error". Standard output is kept for that alone: what libraries print goes to standard
error. Torch is imported with the first question.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privgraph.home import home
from privgraph.options import short
from privgraph.runs.asking import IDLE_SECONDS, VECTORS
from privgraph.runs.questions import LETTERS, MOST_BYTES, Answer, Asked, AskingError, Entity, Near, Question

if TYPE_CHECKING:
    from torch import Tensor

    from privgraph.data.graph import Graph
    from privgraph.methods.relations.nearest import Reader

MOST_TEXTS = 20_000
"""Texts of a domain that are searched; of more, so many are taken at even distances."""
MOST_GRAPHS, MOST_READERS = 2, 6
"""Graphs and encoders that stay in memory."""

WATCH_SECONDS = 0.5
"""Between two looks whether the parent is still there."""

Told = Callable[[float, str], None]
"""How far a question is: a share in [0, 1], and at what."""
Held = TypeVar("Held")


class Room:
    """What stays in memory between questions: graphs, encoders, and the vectors of the texts of a domain.

    Args:
        folder: Where vectors are kept for the next process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs: OrderedDict[Hashable, Graph] = OrderedDict()
        self._readers: OrderedDict[Hashable, Reader] = OrderedDict()
        self._vectors: OrderedDict[Hashable, Tensor] = OrderedDict()
        self._usual: OrderedDict[Hashable, tuple[Tensor, float]] = OrderedDict()

    def answer(self, question: Question, told: Told) -> Answer:
        """The nearest texts under each encoder.

        Raises:
            AskingError: There is no such domain, or nothing in it to compare with.
            DataError, OptionError, UnknownName: The data cannot be loaded.
            EncoderError: An encoder cannot be.
        """
        import torch

        from privgraph.methods.relations.nearest import places_of, scores_of

        told(0.0, "loading the texts")
        graph = self._graph(question)
        own = self._domain(graph, question.domain)
        nodes = _thinned(own)
        texts = [graph.texts[node] for node in nodes]
        asked = question.text.strip()
        known = _known(graph.texts, asked)
        if known:
            asked = graph.texts[min(known.intersection(nodes), default=min(known))].strip()
        same = torch.tensor([node in known for node in nodes])
        if bool(same.all()):
            raise AskingError(f"the domain {short(question.domain)} holds no other text to compare with")
        places, scores, near = {}, {}, {}
        for at, one in enumerate(question.encoders):
            share = at / len(question.encoders)
            if one not in self._readers:
                told(share, f"loading the encoder {one.name}")
            reader = self._reader(one)

            def further(done: float, share: float = share, name: str = one.name) -> None:
                told(share + done / len(question.encoders), f"encoding {len(texts):,} texts by the encoder {name}")

            key = (self._key(question), question.domain, one)
            vectors = _held(
                self._vectors,
                key,
                MOST_READERS,
                lambda reader=reader, further=further: self._kept(reader, texts, further),  # type: ignore[misc]
            )
            with _one_thread():
                found = scores_of(reader.vectors(reader.tokens([asked]))[0], vectors)
            if not bool(found.isfinite().all()):
                raise AskingError(f"the encoder {short(one.name)} gives vectors that are no finite numbers")
            scores[one.name], places[one.name] = found, places_of(found, same)
            usual, chance = _held(self._usual, key, MOST_READERS, partial(_usual, vectors, texts))
            best = float(found[~same].max())
            if usual.numel():
                nearer = float((usual > best).double().mean())
                near[one.name] = Near(score=best, usual=float(usual.median()), chance=chance, nearer=nearer)
        partners = _partners(graph, known)
        related = torch.tensor([node in partners for node in nodes]) & ~same
        shown = related.clone()
        for place in places.values():
            shown |= (place >= 1) & (place <= question.neighbours)
        return Answer(
            entities=tuple(
                Entity(
                    number=nodes[row],
                    text=texts[row][:LETTERS],
                    partner=bool(related[row]),
                    places={name: int(place[row]) for name, place in places.items()},
                    scores={name: float(score[row]) for name, score in scores.items()},
                )
                for row in shown.nonzero().squeeze(1).tolist()
            ),
            searched=int((~same).sum()),
            texts=len(own),
            text=asked if known else "",
            partners=int(related.sum()),
            near=near,
        )

    def _kept(self, reader: Reader, texts: Sequence[str], told: Callable[[float], None]) -> Tensor:
        from privgraph.methods.relations.nearest import kept_vectors

        return kept_vectors(reader, texts, self._folder, told)

    @staticmethod
    def _key(question: Question) -> Hashable:
        return question.data, question.data_options

    def _graph(self, question: Question) -> Graph:
        from privgraph.data.load import load

        return _held(
            self._graphs,
            self._key(question),
            MOST_GRAPHS,
            lambda: load(question.data, data_options=dict(question.data_options)),
        )

    @staticmethod
    def _domain(graph: Graph, domain: str) -> list[int]:
        """The nodes of a domain."""
        if domain not in graph.domain_names:
            known = ", ".join(graph.domain_names)
            expected = f"the domain must be one of {known}" if known else f"{graph.name} has no texts in domains"
            raise AskingError(f"{expected} (got {short(domain)})")
        number = graph.domain_names.index(domain)
        found: list[int] = (graph.domains == number).nonzero().squeeze(1).tolist()
        return found

    def _reader(self, one: Asked) -> Reader:
        from privgraph.methods.relations.nearest import load_reader

        return _held(
            self._readers,
            one,
            MOST_READERS,
            lambda: load_reader(
                one.encoder,
                max_tokens=one.max_tokens,
                similarity=one.similarity,
                adapter=Path(one.folder) if one.folder else None,
            ),
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """A single text is too small for several threads: on a busy machine they wait for one another, ten times
    longer than they work."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _held(kept: OrderedDict[Hashable, Held], key: Hashable, most: int, make: Callable[[], Held]) -> Held:
    """What is kept under a key, or what `make` gives; the `most` that were used last stay."""
    if key not in kept:
        kept[key] = make()
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return kept[key]


def _thinned(nodes: list[int]) -> list[int]:
    """At most `MOST_TEXTS` of the nodes, at even distances."""
    if len(nodes) <= MOST_TEXTS:
        return nodes
    return [nodes[place * len(nodes) // MOST_TEXTS] for place in range(MOST_TEXTS)]


def _known(texts: Sequence[str], asked: str) -> set[int]:
    """The nodes of that text; where there is none, those whose text is another in upper and lower case and
    spaces alone."""
    same = {node for node, text in enumerate(texts) if text.strip() == asked}
    return same or {node for node, text in enumerate(texts) if _loosely(text) == _loosely(asked)}


def _loosely(text: str) -> str:
    """The text without what a reader does not see: upper and lower case, and how many spaces.

    >>> _loosely("  Oak\\tBENCH ")
    'oak bench'
    """
    return " ".join(text.split()).casefold()


def _usual(vectors: Tensor, texts: Sequence[str]) -> tuple[Tensor, float]:
    """Scores of the texts with their nearest, sorted, and that of two at random."""
    import torch

    from privgraph.methods.relations.nearest import usual_scores

    numbers: dict[str, int] = {}
    groups = [numbers.setdefault(_loosely(one), len(numbers)) for one in texts]
    return usual_scores(vectors, torch.tensor(groups, dtype=torch.int64))


def _partners(graph: Graph, asked: set[int]) -> set[int]:
    """The nodes that are related to one of those, whatever the direction."""
    import torch

    ends = torch.isin(graph.edge_index, torch.tensor(sorted(asked), dtype=torch.int64))
    return {int(node) for node in graph.edge_index[ends.flip(0)]}


def replies(room: Room, lines: Iterator[bytes], say: Callable[[dict[str, Any]], None]) -> None:
    """Answer each line; what cannot be answered is one sentence, and the next line is read."""
    for line in lines:
        try:
            if len(line) > MOST_BYTES:
                raise AskingError(f"a question must have at most {MOST_BYTES:,} bytes")
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):  # no JSON, no UTF-8, or brackets in brackets
                raise AskingError("a question must be one JSON object a line") from None
            question = Question.from_json(record)
            found = room.answer(question, lambda share, stage: say({"share": share, "stage": stage}))
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:  # all that data, options and encoders are refused by
            say({"error": " ".join(str(error).split())})
        else:
            say({"answer": found.to_json()})


def read_lines(source: int, idle: float) -> Iterator[bytes]:
    """Lines of a file descriptor, until it ends or nothing has come for `idle` seconds; of a line that is too
    long, a little more than is admitted."""
    waiting = b""
    while select.select([source], [], [], idle)[0]:
        read = os.read(source, MOST_BYTES)
        if not read:
            return
        *whole, waiting = (waiting + read).split(b"\n")
        waiting = waiting[: MOST_BYTES + 1]
        yield from whole


def end_with(parent: int) -> None:
    """End this process when it is not, or no more, the child of that one, whatever it is at: an encoding may
    take long, and nobody is there to hear of it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(0)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def main(arguments: Sequence[str] | None = None) -> int:
    """The process; it ends when it is idle, and when nobody is there to ask or to hear."""
    parser = argparse.ArgumentParser(prog="python -m privgraph.runs.ask", description="Answer questions about texts.")
    parser.add_argument(
        "--idle", type=float, default=IDLE_SECONDS, help="seconds without a question after which it ends"
    )
    parser.add_argument("--parent", type=int, default=os.getppid(), help="the process without which it ends")
    asked = parser.parse_args(arguments)
    end_with(asked.parent)
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(record: dict[str, Any]) -> None:
        left = json.dumps(record, allow_nan=False).encode() + b"\n"
        while left:
            left = left[os.write(answers, left) :]

    try:
        replies(Room(home() / VECTORS), read_lines(sys.stdin.fileno(), asked.idle), say)
    except BrokenPipeError:
        return 0  # whoever asked is gone
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
