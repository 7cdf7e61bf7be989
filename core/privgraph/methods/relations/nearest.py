"""The texts of a domain that are nearest to one text, under an encoder as a finished run left it.

Vectors are those of an evaluation (`evaluation.ranking`): nearest is who has the largest inner product with
the text's vector, after scaling to length one where the run's similarity is the cosine. What is computed from
a private run's adapter and public texts is post-processing (PvGaLM, section 4: zero-shot relation
prediction); it costs nothing beyond the run's own epsilon.
"""

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from privgraph.nn.text.adapters import SETTINGS, load_adapter
from privgraph.nn.text.encoder import TextEncoder, load_encoder

VERSION = 1
"""Of what is kept; another number forgets all of it."""
AT_ONCE = 256
"""Texts between two reports of progress."""
MOST_SAMPLED = 512
"""Texts whose nearest are looked up to know what is usual."""
MOST_KEPT = 24
"""Files of vectors that stay on disk; the one that was used longest ago goes first."""
SIMILARITIES = ("cosine", "dot")

OnShare = Callable[[float], None]
"""Told the share of the texts that is encoded, in [0, 1]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reader:
    """An encoder that reads texts as a run did.

    Args:
        encoder: With the run's adapter, or the base encoder without one.
        max_tokens: Tokens after which a text is cut off.
        similarity: `cosine` or `dot`, by which texts are compared.
        weights: A digest of all that turns tokens into vectors.
    """

    encoder: TextEncoder
    max_tokens: int
    similarity: str
    weights: str

    def tokens(self, texts: Sequence[str]) -> list[Tensor]:
        """Numbers of tokens of each of n texts, (length,) int64 each."""
        return self.encoder.tokenize(texts, self.max_tokens)

    def vectors(self, ids: Sequence[Tensor], told: OnShare | None = None) -> Tensor:
        """(n, d) float32, whose inner products are the scores.

        Args:
            ids: Tokens of each of n texts.
            told: Called after each `AT_ONCE` texts.
        """
        parts = []
        for start in range(0, len(ids), AT_ONCE):
            parts.append(self.encoder.encode(ids[start : start + AT_ONCE]))
            if told is not None:
                told(min(1.0, (start + AT_ONCE) / len(ids)))
        found = torch.cat(parts) if parts else torch.zeros(0, self.encoder.facts.width)
        return torch.nn.functional.normalize(found, dim=1) if self.similarity == "cosine" else found

    def digest(self, ids: Sequence[Tensor]) -> str:
        """A name for the vectors of these tokens: equal for equal tokens, weights and similarity."""
        found = hashlib.sha256(f"{VERSION} {self.similarity} {self.weights}".encode())
        for one in ids:
            found.update(f" {one.numel()} ".encode() + one.numpy().tobytes())
        return found.hexdigest()[:32]


def load_reader(name: str, *, max_tokens: int, similarity: str, adapter: Path | None = None) -> Reader:
    """The encoder of that name or folder, with the adapter that a run left in its folder.

    Args:
        name: As the run's option `encoder`.
        max_tokens: As the run's option, in tokens.
        similarity: As the run's option.
        adapter: The folder of a finished run; None for the base encoder.

    Raises:
        EncoderError: There is no such encoder, or no adapter of it in the folder.
        ValueError: Another similarity.
    """
    if similarity not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)} (got {similarity[:40]})")
    encoder, settings = load_encoder(name), b""
    if adapter is not None:
        load_adapter(encoder, adapter)
        if (adapter / SETTINGS).exists():  # the scale alpha / r is no weight
            settings = (adapter / SETTINGS).read_bytes()
    found = hashlib.sha256(f"{encoder.facts.pooling} {len(settings)} ".encode() + settings)
    for part, weight in sorted(encoder.model.state_dict().items()):
        found.update(f" {part} {tuple(weight.shape)} {weight.dtype} ".encode())
        found.update(weight.detach().cpu().contiguous().numpy().tobytes())
    return Reader(encoder=encoder, max_tokens=max_tokens, similarity=similarity, weights=found.hexdigest())


def kept_vectors(reader: Reader, texts: Sequence[str], folder: Path, told: OnShare | None = None) -> Tensor:
    """(n, d): vectors of texts, from `folder` where they were kept there, else encoded and kept.

    A file is named by what the vectors are made of (`Reader.digest`); one that cannot be read is made again.
    The `MOST_KEPT` that were used last stay.

    Args:
        reader: Whose vectors.
        texts: n texts.
        folder: Where vectors are kept, made if missing.
        told: Called with the share that is encoded; not where they were kept.
    """
    ids = reader.tokens(texts)
    path = folder / f"{reader.digest(ids)}.safetensors"
    with suppress(OSError, SafetensorError, KeyError):
        found: Tensor = load_file(path)["vectors"]
        if found.shape == (len(texts), reader.encoder.facts.width) and found.dtype == torch.float32:
            path.touch()
            return found
    found = reader.vectors(ids, told).contiguous()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as draft:  # complete or not at all
        save_file({"vectors": found}, Path(draft) / path.name)
        (Path(draft) / path.name).replace(path)
    _forget(folder)
    return found


def _forget(folder: Path) -> None:
    """Delete the files of vectors that were used longest ago."""
    dated = []
    for one in folder.glob("*.safetensors"):
        with suppress(FileNotFoundError):  # another process has deleted it
            dated.append((one.stat().st_mtime_ns, one))
    for _, one in sorted(dated)[:-MOST_KEPT]:
        one.unlink(missing_ok=True)


def scores_of(vector: Tensor, vectors: Tensor) -> Tensor:
    """(n,) float64: inner products of a vector (d,) with each of (n, d)."""
    return vectors.double() @ vector.double()


def places_of(scores: Tensor, left_out: Tensor) -> Tensor:
    """(n,) int64: the place of each text by its score, 1 for the largest; 0 for those that are left out.

    Of equal scores the lower number stands first, so that no two texts share a place.

    Args:
        scores: (n,).
        left_out: (n,) bool, those that are no candidates.
    """
    order = torch.argsort(scores.masked_fill(left_out, -torch.inf), descending=True, stable=True)
    found = torch.empty_like(order)
    found[order] = torch.arange(1, order.numel() + 1)
    return found.masked_fill(left_out, 0)


def usual_scores(vectors: Tensor, groups: Tensor) -> tuple[Tensor, float]:
    """What is usual among n texts, seen from `MOST_SAMPLED` of them at even distances, or from all.

    The scores of each with the other text that is nearest to it, (<= `MOST_SAMPLED`,) float64, sorted; and
    the median of those with all others, as of two texts that are taken at random (NaN where there are none).

    Texts of one group are the same to a reader, and are not compared.

    Args:
        vectors: (n, d), n at least 1.
        groups: (n,) int64.
    """
    count = min(MOST_SAMPLED, len(vectors))
    rows = torch.arange(count) * len(vectors) // count
    best, middle = [], []
    for start in range(0, count, AT_ONCE):
        part = rows[start : start + AT_ONCE]
        found = vectors[part] @ vectors.T
        same = groups[part][:, None] == groups[None, :]
        middle.append(found.masked_fill(same, torch.nan).nanmedian(dim=1).values)
        best.append(found.masked_fill(same, -torch.inf).max(dim=1).values)
    nearest = torch.cat(best).double()
    return nearest[nearest.isfinite()].sort().values, float(torch.cat(middle).nanmedian())
