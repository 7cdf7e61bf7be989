"""Pre-trained weights, kept by content: the same data, recipe and seed are trained once and read back
afterwards.

A file is NumPy's npz of plain arrays, read without pickles, and named by a hash of all that decides the
weights, under a key of the installation: where everybody's features are decomposed, private ones are among
it. It carries a digest of its own arrays: one that was cut short, changed, or made for another network is not
used but made anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privgraph.nn.backbones import Backbone, Network
from privgraph.nn.pretraining import Epoch, PretrainRecipe, pretrain
from privgraph.progress import Log

FORMAT = 1
"""Goes up whenever the same recipe gives other weights, or the files look otherwise."""

_DIGEST = "digest"


def pretrained(
    x: Tensor,
    edge_index: Tensor,
    recipe: PretrainRecipe,
    folder: Path | None,
    device: torch.device,
    secret: bytes = b"",
) -> Iterator[Epoch | Log | Backbone]:
    """What `pretrain` tells, or at once the backbone where `folder` has its weights. x, edge_index: as there.

    A new backbone is written to `folder` (none: kept nowhere); a file that cannot be used is replaced, with a
    warning. Files are named under the key `secret`.
    """
    path = folder / f"{key(x, edge_index, recipe, secret)}.npz" if folder else None
    if path and path.exists():
        try:
            yield _read(path, recipe, x.shape[1]).to(device)
            return
        except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            yield Log(
                message=f"the stored weights {path.name} cannot be used ({reason}): training anew", level="warning"
            )
    for step in pretrain(x, edge_index, recipe, device):
        if path and isinstance(step, Backbone):
            _write(path, step)
        yield step


def key(x: Tensor, edge_index: Tensor, recipe: PretrainRecipe, secret: bytes = b"") -> str:
    """The name of the weights: of features, edges, recipe, and the release of torch, whose rounding they
    carry."""
    found = hmac.new(secret, digestmod="sha256")
    settings = {**dataclasses.asdict(recipe), "torch": torch.__version__, "format": FORMAT}
    found.update(json.dumps(settings, sort_keys=True).encode())
    _digest({"x": x.cpu().numpy(), "edges": edge_index.cpu().numpy()}, found)
    return found.hexdigest()


def _digest(arrays: Mapping[str, NDArray[np.generic]], found: hashlib._Hash | hmac.HMAC) -> str:
    for name, array in sorted(arrays.items()):
        found.update(json.dumps([name, str(array.dtype), array.shape]).encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _write(path: Path, backbone: Backbone) -> None:
    """Written beside its place and then moved: nobody reads half a file."""
    arrays = {name: value.cpu().numpy() for name, value in backbone.weights.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.stem}.{os.getpid()}.{os.urandom(4).hex()}.npz")
    try:
        with open(draft, "xb") as file:
            np.savez(file, **{_DIGEST: np.array(_digest(arrays, hashlib.sha256()))}, **arrays)  # type: ignore[arg-type]
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _read(path: Path, recipe: PretrainRecipe, features: int) -> Backbone:
    """The stored backbone. Raises `ValueError` where it is not the one that `recipe` makes."""
    with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    digest = str(arrays.pop(_DIGEST))
    if digest != _digest(arrays, hashlib.sha256()):
        raise ValueError("its digest does not fit")
    with torch.random.fork_rng(devices=[]):
        shapes = {
            name: tuple(value.shape)
            for name, value in Network(recipe.kind, features, recipe.hidden).state_dict().items()
        }
    if {name: array.shape for name, array in arrays.items()} != shapes:
        raise ValueError("it holds another network")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("its weights are no finite numbers")
    weights = {name: torch.from_numpy(arrays[name]) for name in shapes}
    return Backbone(recipe.kind, weights, features, recipe.hidden)
