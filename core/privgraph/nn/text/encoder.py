"""Encoders of texts, by transformers.

Dropout is off everywhere: a text's vector, and its gradient, are functions of the text and the weights alone.
"""

import hashlib
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import torch
from torch import Tensor, nn

from privgraph.nn.text import naming
from privgraph.nn.text.naming import EncoderError, EncoderFacts, describe_encoder
from privgraph.options import short

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

    Made by `load_encoder`; nothing of it is trained before `adapters.adapt`.
    """

    def __init__(self, facts: EncoderFacts, model: nn.Module, tokenizer: WordTokenizer | _Files) -> None:
        super().__init__()
        self.facts, self.model, self._tokenizer = facts, model, tokenizer
        self.eval()
        self.requires_grad_(False)

    @property
    def made(self) -> str:
        """All but weights, buffers and tokens that decides what its vectors are: the model's configuration,
        and the versions of what computes with it."""
        libraries = [f"{name} {version(name)}" for name in naming.NEEDED]
        settings: dict[str, object] = self.model.config.to_dict()  # type: ignore[union-attr, operator]
        return json.dumps([repr(self.facts), libraries, settings], sort_keys=True, default=str)

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
        # a row for each text: positions that are broadcast have one gradient for all of them
        places = torch.arange(ids.shape[1], device=ids.device).expand(len(ids), -1)
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

    def encode(self, ids: Sequence[Tensor]) -> Tensor:
        """(n, d) on the CPU, without gradients; texts of a length together, in bounded memory."""
        found = torch.zeros(len(ids), self.facts.width)
        for rows, vectors in self.pieces(ids):
            found[rows] = vectors
        return found

    def pieces(self, ids: Sequence[Tensor], tokens: int = TOKENS_AT_ONCE) -> Iterator[tuple[list[int], Tensor]]:
        """The same piece by piece, each of at most so many tokens: row numbers and their vectors."""
        for rows in buckets([len(one) for one in ids], tokens):
            with torch.no_grad():
                vectors = self(*self.padded([ids[row] for row in rows])).float().cpu()
            yield rows, vectors


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
        with quiet():
            model = _from_files(facts.folder)
            tokenizer = _Files(facts.folder)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderError(f"the model of {short(name)} cannot be loaded: {reason}") from error
    return TextEncoder(facts, model, tokenizer).to(device or "cpu")


@contextmanager
def quiet() -> Iterator[None]:
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
    with torch.random.fork_rng(devices=[]), quiet():
        torch.manual_seed(0)
        model: nn.Module = BertModel(config, add_pooling_layer=False)
        # As drawn by transformers, tokens are too small beside positions: texts would come out alike.
        nn.init.normal_(model.get_parameter("embeddings.word_embeddings.weight"))
    return model
