"""Uploads: those of tests/data, damaged by the same mutations, once or several times."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import cast

from tests.data.test_upload_fuzz import BINARY, TEXT, files_of, insert_markup, outcome

from privgraph.data.upload import check_upload

MUTATIONS = {"npz": BINARY, "csv": TEXT, "texts": TEXT, "graphml": (*TEXT, insert_markup)}
STARTS = (b"", b"PK\x03\x04", b"<graphml>", b"\x93NUMPY", b"<?xml", b"\xff\xfe<", b"id,label,a\n")
originals = cache(files_of)


def make(rng: random.Random) -> object:
    """Files of one upload by name."""
    if rng.random() < 0.02:
        return {"a": rng.choice(STARTS) + rng.randbytes(rng.choice((0, 1, 30, 3000)))}
    kind = rng.choice(list(MUTATIONS))
    files = dict(rng.choice(originals(kind)))
    chosen = rng.choice(list(files))
    files[chosen] = rng.choice(MUTATIONS[kind])(rng, files[chosen])
    for _ in range(
        rng.choice((0, 0, 0, 0, 0, 0, 1, 3))
    ):  # those of one file alone still find their way in what is damaged
        if files[chosen]:
            files[chosen] = rng.choice(TEXT[:4])(rng, files[chosen])
    return files


def take(given: object) -> Sequence[str]:
    """Check the upload, and what holds of those that are taken and of those that are refused."""
    files = cast(dict[str, bytes], given)
    if outcome(files) == "refused":
        check_upload(files)
    return ()
