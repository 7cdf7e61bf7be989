"""Uploads that were accepted: stored under `uploads` in `home()`, by their content. No torch.

A name leaves the machine with the runs that bear it, so that it must tell nothing of the graph: it is a hash
under a key of the installation. Without a key, whoever can guess a graph but for one edge could compare.
Versions before 0.5.0 had no key; what they stored, under names of twelve digits, is read as before.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import shutil
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.files import write_json
from privgraph.data.own.growing import read
from privgraph.data.own.limits import clean_name
from privgraph.data.spec import LARGEST_FEATURE, DatasetSpec
from privgraph.home import home
from privgraph.options import UnknownName, listed
from privgraph.streams import derived_key, noise_key

if TYPE_CHECKING:
    from privgraph.data.own.taking import Taken

DIGITS, OLD_DIGITS = 16, 12
"""Of a name that tells nothing, and of one that is a hash without a key."""
OLD_NAME = (
    "Its name is a hash of the graph without a key, and stands in whatever is exported. Upload it again for another."
)
_NAME = re.compile(rf"upload:([0-9a-f]{{{DIGITS}}}|[0-9a-f]{{{OLD_DIGITS}}})")


def uploads_folder() -> Path:
    """Where uploads are kept, made if missing."""
    folder = home() / "uploads"
    folder.mkdir(exist_ok=True)
    return folder


def keep(folder: Path, taken: Taken, *, kind: str, title: str) -> tuple[str, bool]:
    """Keep the graph whose arrays lie in a folder, which is moved; its name, and whether it was there before.

    The name is `upload:` and sixteen hex digits: of its content, under a key. On one installation the same
    graph has the same name, however it came, and what was known of it stays: its `title`, which is what
    people see, and what the first file called its nodes.
    """
    name = _name_of(folder, taken)
    try:
        return name, upload_path(name).exists()
    except UnknownName:
        folder.rename(uploads_folder() / name.removeprefix("upload:"))
    titles = {"title": clean_name(title) or ("Your own texts" if taken.domains else "Your own graph"), "former": []}
    write_json(_facts_file(name), asdict(taken) | titles | {"kind": kind, "classes": len(taken.class_names)})
    return name, False


def _name_of(folder: Path, taken: Taken) -> str:
    """The name that a graph has, or would have, on this installation: of all that makes a graph this one and
    no other."""
    digest = hmac.new(derived_key(noise_key(home()), "upload"), digestmod="sha256")
    known = (taken.class_names, taken.feature_names, taken.domains, not taken.undirected)
    digest.update(repr(known).encode())
    for name in ("x", "y", "edges", "parts", "texts", "texts_ends", "domains"):
        if (path := folder / f"{name}.npy").is_file():
            digest.update(f"{name}{path.stat().st_size}".encode())
            with path.open("rb") as file:
                hashlib.file_digest(file, lambda: digest)
    return f"upload:{digest.hexdigest()[:DIGITS]}"


def rename_upload(name: str, title: str) -> None:
    """Give a stored graph another title; the former ones are kept beside it. Raises `UnknownName`."""
    facts, new = upload_facts(name), clean_name(title)
    had = dict.fromkeys([*facts.get("former", []), facts["title"]])
    write_json(_facts_file(name), facts | {"title": new, "former": [one for one in had if one != new]})


def node_ids(name: str) -> tuple[str, ...]:
    """What the file of an upload calls its nodes; () where that is not known. Raises `UnknownName`."""
    path = upload_path(name)
    if path.is_dir():
        return texts_in(path, "ids")
    with np.load(path, allow_pickle=False) as arrays:
        return unpacked_texts(arrays["ids"], arrays["id_ends"]) if "ids" in arrays.files else ()


def texts_in(folder: Path, name: str) -> tuple[str, ...]:
    """The texts of that name among a graph's arrays; () where there are none."""
    if not (folder / f"{name}.npy").is_file():
        return ()
    return unpacked_texts(read(folder / f"{name}.npy"), read(folder / f"{name}_ends.npy"))


def _facts_file(name: str) -> Path:
    return uploads_folder() / f"{name.removeprefix('upload:')}.json"


def _places(key: str) -> tuple[Path, ...]:
    """Where the arrays of a graph may be: versions before 0.6.0 kept an npz file, or large ones in the
    cache."""
    return uploads_folder() / key, uploads_folder() / f"{key}.npz", home() / "cache" / "large" / key


def unpacked_texts(letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> tuple[str, ...]:
    """Texts of their letters in UTF-8, one after the other, (bytes,), and where each ends, (n,)."""
    content = letters.tobytes()
    return tuple(content[low:high].decode() for low, high in pairwise([0, *ends.tolist()]))


def upload_path(name: str) -> Path:
    """The npz file with the arrays of an upload, or a large graph's folder of them. Raises `UnknownName`, for
    a malformed name too."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise UnknownName(f"an upload is called upload: and {DIGITS} hex digits")
    if not _facts_file(name).is_file():
        raise UnknownName(f"there is no {name}: upload the graph again")
    found = next((place for place in _places(match[1]) if place.exists()), None)
    if found is None:
        raise UnknownName(f"the arrays of {name} are gone: upload the graph again")
    return found


def upload_facts(name: str) -> dict[str, Any]:
    """What was kept of a stored upload beside its arrays. Raises `UnknownName`."""
    upload_path(name)
    found: dict[str, Any] = json.loads(_facts_file(name).read_text())
    return found


def is_old(name: str) -> bool:
    """Whether a name is that of an upload to a version before 0.5.0: a hash without a key.

    >>> is_old("upload:0faca4bd19e9"), is_old("upload:0faca4bd19e90faca"), is_old("cora")
    (True, False, False)
    """
    return name.startswith("upload:") and len(name) == len("upload:") + OLD_DIGITS


def upload_spec(name: str) -> DatasetSpec:
    """The spec of a stored upload. Raises `UnknownName`."""
    facts = upload_facts(name)
    domains = tuple(str(domain) for domain in facts.get("domains", ()))
    what, stay = ("Texts and their relations", "they stay") if domains else ("A graph", "it stays")
    once = f" Formerly called {listed(former)}." if (former := facts.get("former")) else ""
    odd = facts.get("odd_nodes", 0)
    cut_off = f"Features beyond {LARGEST_FEATURE:,.0f} in size are cut off there: nodes with such, {odd:,}."
    return DatasetSpec(
        name=name,
        title=facts["title"],
        about=f"{what} that you uploaded; {stay} on this machine.{once}",
        kind="upload",
        source=f"uploaded as {facts['kind']}",
        licence="yours",
        nodes=facts["nodes"],
        edges=facts["edges"],
        features=facts["features"],
        classes=facts["classes"],
        undirected=facts.get("undirected", True),
        task="relation prediction" if domains else "node classification",
        public_split=facts["masks"],
        domains=domains,
        caution=" ".join(filter(None, (OLD_NAME * is_old(name), cut_off * bool(odd)))),
    )


def uploads() -> tuple[DatasetSpec, ...]:
    """All stored uploads, by name; not those whose arrays are gone from the cache."""
    keys = sorted(path.stem for path in uploads_folder().glob("*.json"))
    return tuple(upload_spec(f"upload:{key}") for key in keys if any(place.exists() for place in _places(key)))


def delete_upload(name: str) -> None:
    """Remove a stored upload. Raises `UnknownName`."""
    path = upload_path(name)
    _facts_file(name).unlink()
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
