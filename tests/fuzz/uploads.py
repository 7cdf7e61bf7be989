"""Graphs of one's own: a file of every format, damaged, is taken or refused in one sentence."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import cast

import numpy as np
from tests.data import uploads_made_here as made
from tests.data.test_own_formats import FORMATS, SAID, Random

from privgraph.data.errors import UploadError
from privgraph.data.load import load
from privgraph.data.uploads import delete_upload

Mutation = Callable[[random.Random, bytes], bytes]
STARTS = (b"", b"PK\x03\x04", b"<graphml>", b"\x93NUMPY", b"<?xml", b"\xff\xfe<", b"id,label,a\n", b"\x1f\x8b", b"PAR1")
PIECES = b"<![CDATA[ ]]> <!-- <?xml?> &b; &#0; <graph> </node> <node/> <edge/> graph[ *Vertices {} [] sep=; # %".split()
STRANGE = b"nan inf -1 1e999 __import__ 0x1p3 1_0 1.234 1,234 \xff \xe2\x80\xae \x00".split(b" ")
VALUES = (
    *(b"\x00", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\xff" * 8),
    *(b"\n", b"\r", b",", b";", b'"', b"<"),
)


def truncate(rng: random.Random, body: bytes) -> bytes:
    return body[: rng.randrange(len(body))]


def flip_bits(rng: random.Random, body: bytes) -> bytes:
    changed = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(rng: random.Random, body: bytes) -> bytes:
    """Numbers and letters that matter to parsers, somewhere."""
    at, value = rng.randrange(len(body)), rng.choice((*VALUES, *PIECES))
    return body[:at] + value + body[at + rng.choice((0, len(value))) :]


def move_piece(rng: random.Random, body: bytes) -> bytes:
    """Cut a piece and put it elsewhere, once, or many times."""
    low, high = sorted(rng.randrange(len(body)) for _ in range(2))
    piece, rest = body[low:high], body[:low] + body[high:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + piece * rng.choice((0, 1, 2, 5)) + rest[at:]


def swap_words(rng: random.Random, body: bytes) -> bytes:
    """Exchange two words, or put one that should not be there."""
    words = re.findall(rb"\w+|\W", body)
    first, second = rng.randrange(len(words)), rng.randrange(len(words))
    if rng.random() < 0.5:
        words[first], words[second] = words[second], words[first]
    else:
        words[first] = rng.choice((*STRANGE, b"9" * 400, b""))
    return b"".join(words)


def replace_number(rng: random.Random, body: bytes) -> bytes:
    number = str(rng.choice((0, 1, 2, 23, 25, 2**31, 2**32, 2**63, 10**30, -1, "1.234", ""))).encode()
    found = list(re.finditer(rb"\d+", body))
    if not found:
        return body
    at = rng.choice(found)
    return body[: at.start()] + number + body[at.end() :]


MUTATIONS: tuple[Mutation, ...] = (truncate, flip_bits, set_bytes, move_piece, swap_words, replace_number)


@cache
def originals(kind: str) -> Sequence[Mapping[str, bytes]]:
    if kind == "texts":
        return [dict(zip(("e.csv", "n.csv"), made.text_files(), strict=True))]
    if kind == "npz, packed":
        return [{"a.npz": made.npz(made.arrays())}]
    return [FORMATS[kind](Random(seed)) for seed in range(2)]


def make(rng: random.Random) -> object:
    """Files of one upload by name, and what is said of them."""
    if rng.random() < 0.02:
        return "", {"a": rng.choice(STARTS) + rng.randbytes(rng.choice((0, 1, 30, 3000)))}
    kind = rng.choice([*FORMATS, "texts", "npz, packed"])
    files = dict(rng.choice(originals(kind)))
    chosen = rng.choice(list(files))
    for _ in range(rng.choice((1, 1, 1, 1, 1, 1, 2, 4))):
        if files[chosen]:
            files[chosen] = rng.choice(MUTATIONS)(rng, files[chosen])
    return kind, files


def take(given: object) -> Sequence[str]:
    """Take the upload in, and what holds of those that are taken and of those that are refused."""
    kind, files = cast("tuple[str, dict[str, bytes]]", given)
    try:
        name = made.taken(files, **SAID.get(kind, {})).name
    except UploadError as error:
        return [str(error) if str(error).isprintable() else ""]
    graph = load(name)
    known = graph.y[graph.y >= 0]
    assert np.isfinite(graph.x.numpy()).all()
    assert graph.y.shape == (graph.num_nodes,)
    assert 0 <= int(known.min()) < int(known.max()) < len(graph.class_names)
    assert (
        graph.edge_index.numel() == 0
        or 0 <= int(graph.edge_index.min()) <= int(graph.edge_index.max()) < graph.num_nodes
    )
    assert not (graph.edge_index[0] == graph.edge_index[1]).any()
    assert len(graph.feature_names) in (0, graph.x.shape[1])
    assert len(graph.texts) in (0, graph.num_nodes)
    delete_upload(name)
    return ()
