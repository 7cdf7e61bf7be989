"""Thousands of damaged uploads: each is taken or refused in one sentence, quickly; never a crash or a
hang."""

from __future__ import annotations

import io
import random
import re
import struct
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from tests.data import uploads_made_here as made

from privgraph.data.upload import UploadError, check_upload
from privgraph.data.uploads import packed_texts, unpacked_texts

Mutation = Callable[[random.Random, bytes], bytes]


def truncate(rng: random.Random, body: bytes) -> bytes:
    return body[: rng.randrange(len(body))]


def flip_bits(rng: random.Random, body: bytes) -> bytes:
    changed = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(rng: random.Random, body: bytes) -> bytes:
    """Numbers that matter to parsers, somewhere."""
    changed = bytearray(body)
    value = rng.choice(
        (b"\x00", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\xff" * 8, b"\n", b",", b'"', b"<", b"&")
    )
    at = rng.randrange(len(changed))
    changed[at : at + len(value)] = value
    return bytes(changed)


def move_piece(rng: random.Random, body: bytes) -> bytes:
    """Cut a piece and put it elsewhere, once, or many times."""
    low, high = sorted(rng.randrange(len(body)) for _ in range(2))
    piece, rest = body[low:high], body[:low] + body[high:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + piece * rng.choice((0, 1, 2, 5)) + rest[at:]


def swap_words(rng: random.Random, body: bytes) -> bytes:
    """Exchange two words, or put a word that should not be there."""
    words = re.findall(rb"\w+|\W", body)
    first, second = rng.randrange(len(words)), rng.randrange(len(words))
    strange = b"nan inf -1 1e999 __import__ 0x1p3 1_0 \xff \xe2\x80\xae \x00".split(b" ")
    if rng.random() < 0.5:
        words[first], words[second] = words[second], words[first]
    else:
        words[first] = rng.choice((*strange, b"9" * 400, b""))
    return b"".join(words)


ENTITIES = b'<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def insert_markup(rng: random.Random, body: bytes) -> bytes:
    at = rng.randrange(len(body))
    pieces = b"<![CDATA[ ]]> <!-- <?xml?> &b; &#0; <graph> </node> <node/> <edge/>".split()
    piece = rng.choice((ENTITIES, *pieces))
    return body[:at] + piece + body[at:]


def edit_header(rng: random.Random, body: bytes) -> bytes:
    """Another npy header in one array of an npz, with lengths and checksums that agree again."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(buffer, "w", rng.choice((0, 8))) as new:
        names = old.namelist()
        chosen = rng.choice(names)
        for name in names:
            content = old.read(name)
            if name == chosen:
                length = struct.unpack("<H", content[8:10])[0]
                header, rest = content[10 : 10 + length], content[10 + length :]
                header = rng.choice((truncate, flip_bits, move_piece, swap_words, replace_number))(rng, header)
                content = content[:8] + struct.pack("<H", len(header)) + header + rest
            if rng.random() < 0.05:
                name = rng.choice((*names, "../x.npy", "x", "/etc/passwd", "x.npy/"))
            if name not in new.namelist():
                new.writestr(name, content)
    return buffer.getvalue()


def replace_number(rng: random.Random, body: bytes) -> bytes:
    number = str(rng.choice((0, 1, 2, 23, 25, 2**31, 2**32, 2**63, 10**30, -1))).encode()
    found = list(re.finditer(rb"\d+", body))
    if not found:
        return body
    at = rng.choice(found)
    return body[: at.start()] + number + body[at.end() :]


def edit_content(rng: random.Random, body: bytes) -> bytes:
    """Other values in one array of an npz, with a checksum that agrees again."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(buffer, "w") as new:
        names = old.namelist()
        chosen = rng.choice(names)
        for name in names:
            content = old.read(name)
            if name == chosen:
                content = content[:128] + flip_bits(rng, content[128:])
            new.writestr(name, content)
    return buffer.getvalue()


def edit_directory(rng: random.Random, body: bytes) -> bytes:
    """Damage only the zip directory, which everything else is believed from."""
    start = body.rindex(b"PK\x01\x02", 0, body.index(b"PK\x05\x06"))
    start = body.index(b"PK\x01\x02") if rng.random() < 0.8 else start
    return body[:start] + rng.choice((flip_bits, set_bytes, move_piece))(rng, body[start:])


BINARY: tuple[Mutation, ...] = (truncate, flip_bits, set_bytes, move_piece, edit_header, edit_content, edit_directory)
TEXT: tuple[Mutation, ...] = (truncate, flip_bits, set_bytes, move_piece, swap_words, replace_number)


def files_of(kind: str) -> list[dict[str, bytes]]:
    if kind == "npz":
        return [{"a": made.npz(made.arrays())}, {"a": made.npz(made.arrays(), compressed=False)}]
    if kind == "csv":
        return [dict(zip(("e", "n"), made.csv_files(), strict=True))]
    if kind == "texts":
        return [dict(zip(("e", "n"), made.text_files(), strict=True))]
    return [{"g": made.graphml()}]


def outcome(files: dict[str, bytes]) -> str:
    """taken or refused; asserts whatever holds for either."""
    try:
        upload = check_upload(files)
    except UploadError as error:
        sentence = str(error)
        assert 5 < len(sentence) < 300
        assert sentence.isprintable()
        assert "Traceback" not in sentence
        return "refused"
    nodes, features = upload.x.shape
    assert np.isfinite(upload.x).all()
    assert upload.y.shape == (nodes,)
    known = upload.y[upload.y >= 0]
    assert 0 <= known.min() < known.max() < len(upload.class_names)
    if upload.texts:
        assert len(upload.texts) == nodes
        assert all(0 < len(text) <= 20_000 for text in upload.texts)
        assert set(upload.domains.tolist()) == set(range(len(upload.domain_names)))
        assert unpacked_texts(*packed_texts(upload.texts).values()) == upload.texts
    else:
        assert known.size == nodes
    assert upload.edges.size == 0 or (upload.edges.min() >= 0 and upload.edges.max() < nodes)
    assert (upload.edges[0] < upload.edges[1]).all()
    assert not upload.feature_names or len(upload.feature_names) == features
    return "taken"


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "mutations", "count"),
    [("npz", BINARY, 7000), ("csv", TEXT, 4000), ("texts", TEXT, 1500), ("graphml", (*TEXT, insert_markup), 6000)],
)
def test_damaged_uploads(kind: str, mutations: tuple[Mutation, ...], count: int) -> None:
    rng = random.Random(f"uploads/{kind}")
    originals = files_of(kind)
    assert all(outcome(files) == "taken" for files in originals)
    outcomes = {"taken": 0, "refused": 0}
    for index in range(count):
        files = dict(rng.choice(originals))
        chosen = rng.choice(list(files))
        mutation = mutations[index % len(mutations)]
        files[chosen] = mutation(rng, files[chosen])
        outcomes[outcome(files)] += 1
    # Both happen often, so the mutations neither destroy everything nor nothing.
    assert outcomes["refused"] > count / 4
    assert outcomes["taken"] > count / 50
