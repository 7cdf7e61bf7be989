"""Encoders of texts with LoRA adapters, by transformers and peft.

Dropout is off everywhere: a text's vector, and its gradient, are functions of the text and the weights alone.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from privgraph.nn.text import naming
from privgraph.nn.text.naming import EncoderError, EncoderFacts, describe_encoder
from privgraph.options import short

WEIGHTS, SETTINGS = "adapter_model.safetensors", "adapter_config.json"
"""Of a saved adapter, as peft names them."""
TOKENS_AT_ONCE = 16_384
"""Tokens that are encoded at once without gradients: bounds the memory that it takes."""
STEP = 4
"""Lengths are rounded up to a multiple of it."""
PAD, FIRST, END = 0, 1, 2
_WORD = re.compile(r"[^\W_]+")


class WordTokenizer:
    """Words hashed into the numbers from 3 on: the tokenizer of the tiny encoder, which needs no file."""

    def __call__(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        found = []
        for text in texts:
            words = _WORD.findall(text.lower())[: max_tokens - 2]
            found.append([FIRST, *(self.number(word) for word in words), END])
        return found

    @staticmethod
    def number(word: str) -> int:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        return 3 + int.from_bytes(digest[:8], "big") % (naming.TINY_VOCABULARY - 3)


class _Files:
    """A tokenizer of Hugging Face from a folder."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        self._own = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)

    def __call__(self, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
        found = self._own(list(texts), truncation=True, max_length=max_tokens, add_special_tokens=True)["input_ids"]
        filler = self._own.eos_token_id if self._own.eos_token_id is not None else 0
        return [list(ids) or [filler] for ids in found]


class TextEncoder(nn.Module):
    """A transformer that turns texts into vectors (d,): the mean of its tokens' states, or the last one's.

    Made by `load_encoder`; `adapt` puts LoRA updates beside its weights, which stay as they are.
    """

    def __init__(self, facts: EncoderFacts, model: nn.Module, tokenizer: WordTokenizer | _Files) -> None:
        super().__init__()
        self.facts, self.model, self._tokenizer = facts, model, tokenizer
        self.eval()
        self.requires_grad_(False)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def tokenize(self, texts: Sequence[str], max_tokens: int) -> list[Tensor]:
        """Numbers of tokens, (n,) int64 for each text, at most `max_tokens` and at least one."""
        limit = min(max_tokens, self.facts.positions)
        return [torch.tensor(ids, dtype=torch.int64) for ids in self._tokenizer(texts, limit)]

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        """(n, d) from padded numbers (n, L) int64 and which of them are `real` (n, L) bool.

        The mask is given whole, (n, 1, L, L): what transformers makes of a mask by itself looks at the data.
        """
        seen = real[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        if self.facts.pooling == naming.LAST:
            seen = seen & torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool, device=ids.device).tril()
        own = torch.eye(ids.shape[1], dtype=torch.bool, device=ids.device)
        mask = torch.zeros(seen.shape, dtype=next(self.model.parameters()).dtype, device=ids.device)
        mask = mask.masked_fill(~(seen | own), torch.finfo(mask.dtype).min)  # a padded token sees itself
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        states: Tensor = self.model(input_ids=ids, attention_mask=mask, position_ids=places).last_hidden_state
        if self.facts.pooling == naming.LAST:
            return states[torch.arange(len(ids), device=ids.device), real.sum(1) - 1]
        weights = real.unsqueeze(2).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)

    def padded(self, ids: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Numbers (n, L) and which are real (n, L), padded to the longest of them, rounded up to `STEP`."""
        longest = -(-max(len(one) for one in ids) // STEP) * STEP
        longest = min(longest, max(self.facts.positions, 1))
        table = torch.full((len(ids), longest), PAD, dtype=torch.int64)
        real = torch.zeros(len(ids), longest, dtype=torch.bool)
        for row, one in enumerate(ids):
            table[row, : len(one)], real[row, : len(one)] = one, True
        return table.to(self.device), real.to(self.device)

    @torch.no_grad()
    def encode(self, ids: Sequence[Tensor]) -> Tensor:
        """(n, d) on the CPU, without gradients; texts of a length together, in bounded memory."""
        found = torch.zeros(len(ids), self.facts.width)
        for rows in buckets([len(one) for one in ids], TOKENS_AT_ONCE):
            found[rows] = self(*self.padded([ids[row] for row in rows])).float().cpu()
        return found

    def base_weights(self) -> dict[str, Tensor]:
        """The weights that are not trained, by name."""
        return {name: weight.detach() for name, weight in self.model.named_parameters() if "lora_" not in name}


def buckets(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Row numbers, shortest texts first, in pieces of at most `tokens` tokens with their padding (or one
    row)."""
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    piece: list[int] = []
    for row in order:
        size = -(-lengths[row] // STEP) * STEP
        if piece and size * (len(piece) + 1) > tokens:
            yield piece
            piece = []
        piece.append(row)
    if piece:
        yield piece


def load_encoder(name: str, device: torch.device | None = None) -> TextEncoder:
    """The encoder of that name, or in that folder, in single precision. Raises `EncoderError`."""
    facts = describe_encoder(name)
    if facts.folder is None:
        return TextEncoder(facts, _tiny(), WordTokenizer()).to(device or "cpu")
    try:
        with _quiet():
            model = _from_files(facts.folder)
            tokenizer = _Files(facts.folder)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderError(f"the model of {short(name)} cannot be loaded: {reason}") from error
    return TextEncoder(facts, model, tokenizer).to(device or "cpu")


@contextmanager
def _quiet() -> Iterator[None]:
    """Transformers warns of its own coming changes, and draws a progress bar; both say nothing to a user."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _from_files(folder: Path) -> nn.Module:
    from transformers import AutoModel

    model: nn.Module = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        dtype=torch.float32,
        attn_implementation="sdpa",
    )
    return model


def _tiny() -> nn.Module:
    """A BERT of random weights, the same for everybody."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=naming.TINY_VOCABULARY,
        hidden_size=naming.TINY_WIDTH,
        num_hidden_layers=naming.TINY_LAYERS,
        num_attention_heads=naming.TINY_HEADS,
        intermediate_size=4 * naming.TINY_WIDTH,
        max_position_embeddings=naming.TINY_POSITIONS,
        attn_implementation="sdpa",
    )
    with torch.random.fork_rng(devices=[]), _quiet():
        torch.manual_seed(0)
        model: nn.Module = BertModel(config, add_pooling_layer=False)
        # As drawn by transformers, tokens are too small beside positions: texts would come out alike.
        nn.init.normal_(model.get_parameter("embeddings.word_embeddings.weight"))
    return model


def targets_of(encoder: TextEncoder) -> tuple[str, ...]:
    """Modules that are adapted by default: those of queries and values."""
    names = {name.rsplit(".", 1)[-1] for name, part in encoder.model.named_modules() if isinstance(part, nn.Linear)}
    for pair in (("query", "value"), ("q_proj", "v_proj"), ("q_lin", "v_lin"), ("q", "v")):
        if set(pair) <= names:
            return pair
    listed = ", ".join(sorted(names)) or "none that is linear"
    raise EncoderError(f"this model has no modules of queries and values that are known; it has {listed}")


def adapt(
    encoder: TextEncoder,
    *,
    rank: int,
    alpha: float,
    generator: torch.Generator,
    targets: Sequence[str] = (),
) -> None:
    """Put LoRA updates of rank r beside the linear modules `targets` (default: queries and values), in place.

    The update is alpha / r times B A: A is drawn from `generator`, B is zero, so that the encoder answers as
    before. Raises `EncoderError` for modules that are not there.
    """
    from peft import LoraConfig, get_peft_model

    chosen = tuple(targets) or targets_of(encoder)
    linear = {name.rsplit(".", 1)[-1] for name, part in encoder.model.named_modules() if isinstance(part, nn.Linear)}
    for one in chosen:
        if one not in linear:
            raise EncoderError(f"there is no linear module {short(one)}; there are {', '.join(sorted(linear))}")
    config = LoraConfig(
        r=rank, lora_alpha=alpha, target_modules=list(chosen), lora_dropout=0.0, bias="none", use_rslora=False
    )
    with torch.random.fork_rng(devices=[]), _quiet():
        model = get_peft_model(encoder.model, config)
    for name, weight in model.named_parameters():
        weight.requires_grad_("lora_" in name)
        if "lora_A" in name:
            drawn = torch.empty(weight.shape, device=generator.device)
            bound = 1 / weight.shape[1] ** 0.5  # peft's own law: Kaiming uniform with a = sqrt(5)
            weight.data.copy_(drawn.uniform_(-bound, bound, generator=generator))
        elif "lora_B" in name:
            weight.data.zero_()
    encoder.model = model
    encoder.eval()


def trainable(encoder: TextEncoder) -> list[tuple[str, nn.Parameter]]:
    """The weights that are trained, with their names, in the order of the model."""
    return [(name, weight) for name, weight in encoder.named_parameters() if weight.requires_grad]


def check_step(encoder: TextEncoder, before: Mapping[str, Tensor]) -> None:
    """Raise `RuntimeError` unless, since `before` (all weights by name), LoRA weights have moved, the base
    has not, and all is finite."""
    moved = False
    for name, weight in encoder.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            raise RuntimeError(f"the weight {name} is no longer finite: a smaller learning rate may help")
        same = weight.detach().equal(before[name])
        if weight.requires_grad:
            moved |= not same
        elif not same:
            raise RuntimeError(f"the weight {name} of the base has moved, and only the adapter may")
    if not moved:
        raise RuntimeError("no weight of the adapter has moved in a step")


def save_adapter(encoder: TextEncoder, folder: Path) -> None:
    """The adapter as peft reads it: its weights as safetensors, and its settings; no path of this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    own: Any = encoder.model
    config = own.peft_config["default"]
    tensors = {
        name.replace(".default.", "."): weight.detach().cpu().contiguous()
        for name, weight in own.named_parameters()
        if "lora_" in name
    }
    save_file(tensors, folder / WEIGHTS)
    settings = {
        "peft_type": "LORA",
        "base_model_name_or_path": encoder.facts.name if encoder.facts.name in naming.ENCODERS else "",
        "r": int(config.r),
        "lora_alpha": float(config.lora_alpha),
        "target_modules": sorted(config.target_modules),
        "lora_dropout": 0.0,
        "bias": "none",
        "inference_mode": True,
    }
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1))


def load_adapter(encoder: TextEncoder, folder: Path) -> None:
    """Adapt the encoder as `save_adapter` wrote it down. Raises `EncoderError` for files of another model."""
    try:
        settings = json.loads((folder / SETTINGS).read_text())
        rank, alpha, targets = int(settings["r"]), float(settings["lora_alpha"]), list(settings["target_modules"])
        tensors = load_file(folder / WEIGHTS)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise EncoderError(f"there is no adapter to be read in {folder.name}: {type(error).__name__}") from None
    adapt(encoder, rank=rank, alpha=alpha, generator=torch.Generator(), targets=[str(one) for one in targets])
    own = {name.replace(".default.", "."): weight for name, weight in encoder.model.named_parameters()}
    wanted = {name for name in own if "lora_" in name}
    if wanted != set(tensors) or any(own[name].shape != tensors[name].shape for name in wanted):
        raise EncoderError("the adapter was made for another encoder: its weights have other names or shapes")
    for name in wanted:
        own[name].data.copy_(tensors[name])
