"""What this machine can train: data and encoders that are at hand, its memory and devices. No torch."""

import os
from pathlib import Path

from privgraph.data import catalogue, files
from privgraph.data.uploads import upload_path
from privgraph.nn.text.naming import EncoderError, describe_encoder
from privgraph.options import ENCODER, UnknownName
from privgraph.runs.memory import machine_mb
from privgraph.runs.queueing import LOCAL, Wants
from privgraph.runs.spec import RunSpec

_CUDA = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""What a driver of GPUs puts there: NVIDIA's on Linux, and under Windows; AMD's."""


def at_hand(name: str, *, fetch: bool = False) -> bool:
    """Whether the data of that name can be loaded on this machine, with `fetch` also through a network; or
    the encoder, as `RunSpec.needs` writes it."""
    kind, colon, encoder = name.partition(":")
    if colon and kind == ENCODER:
        try:
            describe_encoder(encoder)
        except EncoderError:
            return False
        return True
    try:
        spec = catalogue.dataset(name)
        if spec.kind == "upload":
            return upload_path(name).exists()  # the arrays of a large graph are a folder
    except UnknownName:  # an upload of another machine
        return False
    lacking = files.absent(spec)
    return not lacking or (fetch and set(lacking) <= set(dict(spec.urls)))


def lacking(spec: RunSpec) -> tuple[str, ...]:
    """What the run needs and this machine has not: data, encoders, a device."""
    names = [name.removeprefix(f"{ENCODER}:") for name in (spec.dataset, *spec.needs.splitlines()) if not at_hand(name)]
    return (*names, *([spec.device] if spec.device not in devices() else []))


def devices() -> tuple[str, ...]:
    """The devices that runs may ask for here, as far as that can be seen without PyTorch."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    there = not hidden and any(Path(driver).exists() for driver in _CUDA)
    return ("auto", "cpu", "cuda") if there else ("auto", "cpu")


def wants() -> Wants:
    """The runs of this machine's engine that it can train."""
    return Wants(engines=(LOCAL,), devices=devices(), memory_mb=machine_mb(), at_hand=at_hand)
