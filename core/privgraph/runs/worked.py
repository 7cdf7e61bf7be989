"""Worked examples: answers of the example encoders that ship with the program, so that a page has something
to show before anything is loaded. No torch.

`privgraph.studies.worked` makes the file from the encoders; `find` gives what they answered where the same is
asked of the same. A run that has learnt something else since is told by its adapter, and is asked anew.
"""

import hashlib
import json
import lzma
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from privgraph.runs.examples import ADAPTER
from privgraph.runs.questions import Answer, Asked, Question

FILE = Path(__file__).with_name("worked.json.xz")
LIMIT = 50_000
"""Bytes that the file may have."""
DIGITS = 6
"""Of a score that is kept."""


def write(question: Question, answers: Mapping[str, Answer], path: Path = FILE) -> str:
    """Write the file, and give a sentence about it.

    Args:
        question: What was asked, but for the text; each of its encoders is called as in the answers.
        answers: By the text that was asked about.
        path: Where to.

    Raises:
        ValueError: The file would be larger than `LIMIT`.
    """
    record = {
        "asked": _asked(question),
        "encoders": {one.name: _encoder(one) for one in question.encoders},
        "answers": {text: _rounded(answer.to_json()) for text, answer in answers.items()},
    }
    data = lzma.compress(json.dumps(record, separators=(",", ":"), allow_nan=False).encode(), preset=9)
    if len(data) > LIMIT:
        raise ValueError(f"worked examples may have {LIMIT:,} bytes, and these have {len(data):,}")
    path.write_bytes(data)
    return f"{path.name} holds {len(answers)} answers in {len(data):,} bytes"


@lru_cache(maxsize=4)
def content(path: Path = FILE) -> Mapping[str, Any]:
    """The file; nothing where there is none."""
    found: dict[str, Any] = json.loads(lzma.decompress(path.read_bytes())) if path.is_file() else {"answers": {}}
    return found


def texts(question: Question, path: Path = FILE) -> list[str]:
    """The texts of which `find` has an answer, whatever the question's own is."""
    return [text for text in content(path)["answers"] if find(replace(question, text=text), path)]


def find(question: Question, path: Path = FILE) -> Answer | None:
    """What the process would answer, where that is kept; of few neighbours, fewer of the texts."""
    held = content(path)
    record = held["answers"].get(question.text.strip())
    most = question.neighbours
    if record is None or _asked(replace(question, neighbours=held["asked"]["neighbours"])) != held["asked"]:
        return None
    known = {json.dumps(one, sort_keys=True): name for name, one in held["encoders"].items()}
    names = {one.name: known.get(json.dumps(_encoder(one), sort_keys=True), "") for one in question.encoders}
    if most > held["asked"]["neighbours"] or "" in names.values():
        return None
    found = Answer.from_json(record)

    def own(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: given[kept] for name, kept in names.items() if kept in given}

    entities = (replace(one, places=own(one.places), scores=own(one.scores)) for one in found.entities)
    return replace(
        found,
        entities=tuple(one for one in entities if one.partner or min(one.places.values()) <= most),
        near=own(found.near),
    )


def _asked(question: Question) -> dict[str, Any]:
    """All of a question but its text and encoders."""
    return {name: value for name, value in question.to_json().items() if name not in ("text", "encoders")}


def _encoder(one: Asked) -> dict[str, Any]:
    """An encoder by what it answers, wherever it lies: its run and a digest of what that has learnt."""
    read = {"encoder": one.encoder, "max_tokens": one.max_tokens, "similarity": one.similarity}
    if not one.folder:
        return read
    folder = Path(one.folder)
    found = hashlib.sha256(b"".join((folder / name).read_bytes() for name in ADAPTER if (folder / name).is_file()))
    return {**read, "run": folder.name, "adapter": found.hexdigest()[:32]}


def _rounded(record: Any) -> Any:
    """The same with numbers of `DIGITS` digits after the point."""
    if isinstance(record, Mapping):
        return {name: _rounded(value) for name, value in record.items()}
    if isinstance(record, list | tuple):
        return [_rounded(value) for value in record]
    return round(record, DIGITS) if isinstance(record, float) else record
