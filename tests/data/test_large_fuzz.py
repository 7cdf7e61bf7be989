"""Files of a large graph, damaged at random: each is taken or refused in one sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.data import large_made_here as made

from privgraph.data.errors import UploadError
from privgraph.data.large.add import add
from privgraph.data.load import load
from privgraph.data.uploads import delete_upload

ROUNDS = 25
PIECES = (*b"\x00|\xff\xfe|,|\"|\n|\r\n|-1|1e400|nan|<|&a;|'| ".split(b"|"), b"9" * 30)


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes gone, changed or put in, near the beginning as often as anywhere else."""
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, len(content) if rng.random() < 0.5 else min(300, len(content))))
        length = int(rng.integers(0, 20) if rng.random() < 0.8 else rng.integers(0, len(content)))
        content = content[:at] + bytes(PIECES[rng.integers(len(PIECES))]) + content[at + length :]
    return content


@pytest.mark.parametrize("kind", ["csv", "parquet", "npy", "graphml"])
def test_damaged_files_are_taken_or_refused(kind: str, tmp_path: Path) -> None:
    made.write(tmp_path, kind)
    rng = np.random.default_rng([4, *kind.encode()])
    said = []
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths = [Path(shutil.copy(path, folder)) for path in made.paths(tmp_path, kind)]
        path = paths[rng.integers(len(paths))]
        path.write_bytes(damage(path.read_bytes(), rng))
        try:
            name = add(paths).name
        except UploadError as error:
            said.append(str(error))
        else:
            graph = load(name)
            assert graph.num_nodes >= 10
            assert int(graph.edge_index.max()) < graph.num_nodes
            assert bool(graph.x.isfinite().all())
            delete_upload(name)
    assert len(said) > ROUNDS / 4
    assert not [words for words in said if "\n" in words or not words.isascii() or len(words) > 400]
