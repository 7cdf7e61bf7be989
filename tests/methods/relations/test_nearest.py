"""Nearest texts against a slow twin that reads one text at a time; what is kept on disk, and what is not
believed."""

import json
from pathlib import Path

import pytest
import torch

from privgraph.methods.relations.nearest import Reader, kept_vectors, load_reader, places_of, scores_of
from privgraph.nn.text.adapters import SETTINGS, WEIGHTS, adapt, save_adapter
from privgraph.nn.text.encoder import load_encoder
from privgraph.nn.text.naming import EncoderError

TEXTS = ["red oak bench", "a blue steel mug of Aldora", "oak", "rake, tin, large, handmade and brown", "steel mug"]


def reader(**given: object) -> Reader:
    chosen = {"max_tokens": 16, "similarity": "cosine"} | given
    return load_reader("tiny", **chosen)  # type: ignore[arg-type]


def adapted(folder: Path, seed: int = 1, alpha: float = 16.0) -> Path:
    """A folder as a run leaves it, with an adapter that moves every text."""
    generator = torch.Generator().manual_seed(seed)
    encoder = load_encoder("tiny")
    adapt(encoder, rank=4, alpha=alpha, generator=generator)
    for name, weight in encoder.named_parameters():
        if "lora_B" in name:
            weight.data = torch.randn(weight.shape, generator=generator)
    folder.mkdir(exist_ok=True)
    save_adapter(encoder, folder)
    return folder


def slowly(one: Reader, text: str) -> list[float]:
    """The vector of one text by itself, as plain numbers."""
    (ids,) = one.encoder.tokenize([text], one.max_tokens)
    found = [float(value) for value in one.encoder.encode([ids])[0]]
    length = sum(value**2 for value in found) ** 0.5 if one.similarity == "cosine" else 1.0
    return [value / length for value in found]


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("run", [False, True])
def test_places_and_scores_are_those_of_a_slow_twin(tmp_path: Path, similarity: str, run: bool) -> None:
    one = reader(similarity=similarity, adapter=adapted(tmp_path / "run") if run else None)
    vectors = kept_vectors(one, TEXTS, tmp_path / "kept")
    asked = "oak bench, red"
    scores = scores_of(one.vectors(one.tokens([asked]))[0], vectors)
    own = slowly(one, asked)
    twin = [sum(a * b for a, b in zip(own, slowly(one, text), strict=True)) for text in TEXTS]
    assert scores.tolist() == pytest.approx(twin, rel=1e-5, abs=1e-6)
    places = places_of(scores, torch.zeros(len(TEXTS), dtype=torch.bool)).tolist()
    order = sorted(range(len(TEXTS)), key=lambda number: (-twin[number], number))
    assert [places.index(place) for place in range(1, len(TEXTS) + 1)] == order


def test_vectors_are_kept_by_their_content(tmp_path: Path) -> None:
    told: list[float] = []
    one = reader()
    first = kept_vectors(one, TEXTS, tmp_path, told.append)
    assert told[-1] == 1.0
    told.clear()
    assert torch.equal(kept_vectors(reader(), TEXTS, tmp_path, told.append), first)
    assert not told, "they were read, not encoded"
    for other, texts in ((one, [*TEXTS[:-1], "steel jug"]), (reader(similarity="dot"), TEXTS)):
        kept_vectors(other, texts, tmp_path, told.append)
    kept_vectors(reader(max_tokens=4), TEXTS, tmp_path, told.append)
    assert told == [1.0] * 3, "other texts, another similarity and other tokens have other vectors"
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("damage", [b"", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ", b"nonsense" * 9])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    first = kept_vectors(reader(), TEXTS, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert torch.equal(kept_vectors(reader(), TEXTS, tmp_path), first)
    assert path.stat().st_size > len(damage)


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="there is no adapter to be read in"):
        reader(adapter=tmp_path)
    with pytest.raises(EncoderError, match="it must be minilm, tiny or the path of a folder"):
        load_reader("nonsense", max_tokens=8, similarity="dot")
    with pytest.raises(ValueError, match=r"similarity must be one of cosine, dot \(got angle\)"):
        reader(similarity="angle")
    folder = adapted(tmp_path / "run")
    settings = json.loads((folder / SETTINGS).read_text())
    (folder / SETTINGS).write_text(json.dumps(settings | {"r": 2}))
    with pytest.raises(EncoderError, match="the adapter was made for another encoder"):
        reader(adapter=folder)
    (folder / WEIGHTS).write_bytes(b"\x80\x04pickled")
    with pytest.raises(EncoderError, match="there is no adapter to be read in run"):
        reader(adapter=folder)
