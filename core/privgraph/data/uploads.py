"""Uploads that were accepted: stored under `uploads` in `home()`, by their content. No torch.

A name leaves the machine with the runs that bear it, so that it must tell nothing of the graph: it is a hash
under a key of the installation. Without a key, whoever can guess a graph but for one edge could compare.
Versions before 0.5.0 had no key; what they stored, under names of twelve digits, is read as before.
"""

from __future__ import annotations

import hmac
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload_checks import Upload, clean_name, odd_nodes, odd_words
from privgraph.home import home
from privgraph.options import UnknownName, listed
from privgraph.streams import derived_key, noise_key

DIGITS, OLD_DIGITS = 16, 12
"""Of a name that tells nothing, and of one that is a hash without a key."""
OLD_NAME = (
    "Its name is a hash of the graph without a key, and stands in whatever is exported. Upload it again for another."
)
_NAME = re.compile(rf"upload:([0-9a-f]{{{DIGITS}}}|[0-9a-f]{{{OLD_DIGITS}}})")


def _folder() -> Path:
    folder = home() / "uploads"
    folder.mkdir(exist_ok=True)
    return folder


def name_of(upload: Upload) -> str:
    """The name that a graph has, or would have, on this installation."""
    return f"upload:{_key(_arrays(upload))}"


def _arrays(upload: Upload) -> dict[str, NDArray[Any]]:
    """All that makes a graph this one and no other."""
    arrays: dict[str, NDArray[Any]] = {"x": upload.x, "y": upload.y, "edges": upload.edges}
    arrays |= {"class_names": np.array(upload.class_names), "feature_names": np.array(upload.feature_names, dtype=str)}
    if upload.masks is not None:
        arrays |= dict(zip(("train", "val", "test"), upload.masks, strict=True))
    if upload.texts:
        arrays |= packed_texts(upload.texts)
        arrays |= {"domains": upload.domains, "domain_names": np.array(upload.domain_names)}
    return arrays


def _key(arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hmac.new(derived_key(noise_key(home()), "upload"), digestmod="sha256")
    for name, array in arrays.items():
        digest.update(f"{name}{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:DIGITS]


def save_upload(upload: Upload, *, title: str = "") -> str:
    """Store a graph that passed; its name is `upload:` and sixteen hex digits: of its content, under a key.

    On one installation the same graph has the same name, however it came; its `title` is what people see, and
    the last one stays, with the former ones beside it. What the first file called its nodes stays, too.
    Raises `UploadError` where it cannot be written.
    """
    arrays = _arrays(upload)
    key = _key(arrays)
    title = clean_name(title) or ("Your own texts" if upload.texts else "Your own graph")
    ids, former = upload.ids, _former(f"upload:{key}", title)
    if is_kept(f"upload:{key}"):
        ids = node_ids(f"upload:{key}") or ids
    if ids:
        arrays |= dict(zip(("ids", "id_ends"), packed_texts(ids).values(), strict=True))
    facts: dict[str, Any] = {
        "title": title,
        "kind": upload.kind,
        "nodes": int(upload.x.shape[0]),
        "edges": int(upload.edges.shape[1]),
        "features": int(upload.x.shape[1]),
        "classes": len(upload.class_names),
        "masks": upload.masks is not None,
        "odd_nodes": odd_nodes(upload.x),
        "domains": list(upload.domain_names),
        "former": former,
    }
    try:
        with tempfile.TemporaryDirectory(dir=_folder(), prefix=".new-") as folder:
            part = Path(folder)
            np.savez_compressed(part / "graph.npz", allow_pickle=False, **arrays)
            (part / "graph.npz").replace(_folder() / f"{key}.npz")
        # The facts come last: an upload without them does not exist.
        return keep_facts(key, facts)
    except OSError as error:
        raise UploadError(f"The graph cannot be stored: {error.strerror}") from error


def is_kept(name: str) -> bool:
    """Whether a graph of this name is there."""
    try:
        return upload_path(name).exists()
    except UnknownName:
        return False


def _former(name: str, title: str) -> list[str]:
    """Titles that a graph had before, without the one that it gets now."""
    if not is_kept(name):
        return []
    facts = upload_facts(name)
    return [one for one in dict.fromkeys([*facts.get("former", []), facts["title"]]) if one != clean_name(title)]


def rename_upload(name: str, title: str) -> None:
    """Give a stored graph another title; the former ones are kept beside it. Raises `UnknownName`."""
    facts = upload_facts(name) | {"title": clean_name(title), "former": _former(name, title)}
    keep_facts(upload_path(name).stem, facts)


def node_ids(name: str) -> tuple[str, ...]:
    """What the file of an upload calls its nodes; () where that is not known. Raises `UnknownName`."""
    path = upload_path(name)
    if path.is_dir():
        return ()
    with np.load(path, allow_pickle=False) as arrays:
        return unpacked_texts(arrays["ids"], arrays["id_ends"]) if "ids" in arrays.files else ()


def keep_facts(key: str, facts: Mapping[str, Any]) -> str:
    """Write what is known of a stored graph, complete or not at all, and give its name."""
    with tempfile.TemporaryDirectory(dir=_folder(), prefix=".new-") as folder:
        part = Path(folder) / "facts.json"
        part.write_text(json.dumps(facts))
        part.replace(_folder() / f"{key}.json")
    return f"upload:{key}"


def read_facts(key: str) -> dict[str, Any] | None:
    """What is known of a large graph (`large.add`), None unless it is there."""
    path = _folder() / f"{key}.json"
    if not (path.is_file() and large_folder(key).is_dir()):
        return None
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def large_folder(key: str) -> Path:
    """Where the arrays of a large graph are: they can be made again from its files."""
    return home() / "cache" / "large" / key


def packed_texts(texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as arrays: their letters in UTF-8 one after the other, (bytes,), and where each ends, (n,). An
    array of texts would give each the room of the longest."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(one) for one in encoded], dtype=np.int64)
    return {"texts": np.frombuffer(b"".join(encoded), dtype=np.uint8), "text_ends": ends}


def unpacked_texts(letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> tuple[str, ...]:
    """What `packed_texts` packed.

    >>> unpacked_texts(*packed_texts(["one", "", "zwölf"]).values())
    ('one', '', 'zwölf')
    """
    content = letters.tobytes()
    return tuple(content[low:high].decode() for low, high in pairwise([0, *ends.tolist()]))


def upload_path(name: str) -> Path:
    """The npz file with the arrays of an upload, or a large graph's folder of them. Raises `UnknownName`, for
    a malformed name too."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise UnknownName(f"an upload is called upload: and {DIGITS} hex digits")
    path = _folder() / f"{match[1]}.npz"
    if not path.with_suffix(".json").is_file():
        raise UnknownName(f"there is no {name}: upload the graph again")
    if path.is_file():
        return path
    if not large_folder(match[1]).is_dir():
        raise UnknownName(f"the arrays of {name} are gone: upload the graph, or add its files, again")
    return large_folder(match[1])


def upload_facts(name: str) -> dict[str, Any]:
    """What was kept of a stored upload beside its arrays. Raises `UnknownName`."""
    path = upload_path(name)
    found: dict[str, Any] = json.loads((_folder() / f"{path.stem}.json").read_text())
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
    what = (
        "Texts and their relations that you uploaded; they stay" if domains else "A graph that you uploaded; it stays"
    )
    former = facts.get("former", [])
    once = f" Formerly called {listed(former)}." if former else ""
    return DatasetSpec(
        name=name,
        title=facts["title"],
        about=f"{what} on this machine.{once}",
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
        caution=" ".join(filter(None, (OLD_NAME * is_old(name), odd_words(facts.get("odd_nodes", 0))))),
    )


def uploads() -> tuple[DatasetSpec, ...]:
    """All stored uploads, by name; not those whose arrays are gone from the cache."""
    stored = sorted(path.stem for path in _folder().glob("*.json"))
    there = [key for key in stored if (_folder() / f"{key}.npz").is_file() or large_folder(key).is_dir()]
    return tuple(upload_spec(f"upload:{key}") for key in there)


def delete_upload(name: str) -> None:
    """Remove a stored upload. Raises `UnknownName`."""
    path = upload_path(name)
    (_folder() / f"{path.stem}.json").unlink()
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
