"""Take in a graph of one's own: from files, arrays or Python's objects to a name in the home. No torch."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privgraph.data.errors import UploadError
from privgraph.data.fetch import OnProgress
from privgraph.data.own import arrays, formats
from privgraph.data.own.columns import settle
from privgraph.data.own.description import Description
from privgraph.data.own.frames import Frame, NotPlain
from privgraph.data.own.given import Given
from privgraph.data.own.limits import LARGE, Limits, shown
from privgraph.data.own.taking import Taken, take
from privgraph.data.uploads import keep, rename_upload, uploads_folder
from privgraph.progress import Progress

_SMALL = 1 << 28
"""Bytes up to which all rows are looked at where the first ones mislead."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """A graph that was taken in: its name and sizes, and rows of what was understood. `before` says that it
    was there."""

    name: str
    nodes: int
    edges: int
    summary: tuple[tuple[str, str], ...]
    before: bool = False


def tables(given: Sequence[Any], said: Description, limits: Limits = LARGE) -> list[Frame]:
    """The tables in paths, files, named arrays or Python's objects. Raises `UploadError`."""
    if not given:
        raise UploadError("There are no files")
    files, found = list[Given](), list[Frame]()
    for one in given:
        if isinstance(one, Given):
            files.append(one)
        elif isinstance(one, str | os.PathLike):
            files.append(Given.at(Path(one)))
        elif isinstance(one, Mapping):
            found += arrays.frames("the arrays", arrays.as_arrays(one))
        else:
            found += arrays.of_object(one)
    return found + (formats.read(files, said, limits) if files else [])


@contextmanager
def understood(
    frames: Sequence[Frame], said: Description, limits: Limits = LARGE, progress: OnProgress | None = None
) -> Iterator[tuple[Taken, Path]]:
    """What the tables hold: a graph whose arrays are in a folder that goes afterwards unless it is moved.

    Raises `UploadError`; of its kind `Unclear`, where something can be read in two ways.
    """

    def tell(stage: str, done: int, total: int) -> None:
        if progress is not None:
            progress(Progress(step=min(done, total), total=total, stage=stage))

    with tempfile.TemporaryDirectory(dir=uploads_folder(), prefix=".new-") as held:
        for plain in (True, False):
            whole = not plain and sum(frame.size for frame in frames) < _SMALL
            graph = Path(held) / f"graph-{plain}"
            graph.mkdir()
            with suppress(NotPlain):
                yield take(settle(frames, said, whole), graph, Path(held), limits, tell, plain), graph
                return


def add(
    given: Sequence[Any],
    said: Description | None = None,
    *,
    title: str = "",
    limits: Limits = LARGE,
    progress: OnProgress | None = None,
) -> Added:
    """Take in a graph, and keep it under a name of its own.

    Args:
        given: Paths of files or folders, `Given` files, mappings of arrays, a graph of networkx, `Data` of
            PyTorch Geometric, or DataFrames. What each of them is follows from its content.
        said: What columns mean, where that is not to be guessed.
        title: What people see; empty for "Your own graph" or "Your own texts".
        limits: Sizes that are taken.
        progress: Is told of each stage, in bytes or entries.

    Raises:
        UploadError: A file cannot be read, is damaged, or holds no such graph; the message is one sentence.
    """
    said = said or Description()
    try:
        frames = tables(given, said, limits)
        with understood(frames, said, limits, progress) as (taken, folder):
            kind = " and ".join(dict.fromkeys(_ending(one) for one in given))
            found = added(folder, taken, kind=kind, title=title)
            if found.before and title:
                rename_upload(found.name, title)
            return found
    except OSError as error:
        place = f" {shown(os.path.basename(str(error.filename)))}" if error.filename else ""
        raise UploadError(f"The file or folder{place} cannot be used: {error.strerror or error}") from error


def added(folder: Path, taken: Taken, *, kind: str, title: str) -> Added:
    """Keep what was understood."""
    name, before = keep(folder, taken, kind=kind, title=title)
    return Added(name=name, nodes=taken.nodes, edges=taken.edges, summary=tuple(taken.summary), before=before)


def _ending(one: Any) -> str:
    if isinstance(one, Given | str | os.PathLike):
        path = Path(one.name if isinstance(one, Given) else one)
        return shown("".join(path.suffixes[-2:]).lstrip(".").lower() or "folder", 12)
    return "arrays" if isinstance(one, Mapping) else shown(type(one).__name__)
