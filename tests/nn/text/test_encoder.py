"""Encoders of texts: what is read and what is refused, pooling, adapters, and how they are kept."""

import json
import warnings
from pathlib import Path

import pytest
import torch
from tests.nn.text.encoder_made_here import saved

from privgraph.nn.text import naming
from privgraph.nn.text.adapters import (
    SETTINGS,
    WEIGHTS,
    WHOLE,
    adapt,
    check_step,
    load_adapter,
    save_adapter,
    trainable,
)
from privgraph.nn.text.encoder import load_encoder
from privgraph.nn.text.losses import Contrast, hinge, info_nce
from privgraph.nn.text.naming import EncoderError, describe_encoder

TEXTS = ["red ceramic mug", "a garden hose of twenty metres, green", "mug", "", "x " * 400]


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny decoder of random weights with a tokenizer of its own, as a folder."""
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        vocab_size=7, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=32, attn_implementation="sdpa",
    )  # fmt: skip
    return saved(tmp_path_factory.mktemp("llama"), lambda: LlamaModel(config), eos_token="<eos>")


def test_a_vector_hangs_on_its_text_alone_and_not_on_padding(llama: Path) -> None:
    for name in ("tiny", str(llama)):
        encoder = load_encoder(name)
        ids = encoder.tokenize(TEXTS, 24)
        assert all(1 <= len(one) <= 24 for one in ids)
        together, alone = encoder.encode(ids), torch.cat([encoder.encode([one]) for one in ids])
        assert torch.allclose(together, alone, atol=1e-5)
        assert together.shape == (5, encoder.facts.width)
        exact = torch.cat(
            [encoder(one.unsqueeze(0), torch.ones(1, len(one), dtype=torch.bool)) for one in ids]
        ).detach()
        assert torch.allclose(together, exact, atol=1e-5)
        assert not torch.allclose(together[0], together[1], atol=1e-2)


def test_pooling_is_the_mean_or_the_last_real_token(llama: Path) -> None:
    for name, pooled in (("tiny", lambda states: states.mean(1)), (str(llama), lambda states: states[:, -1])):
        encoder = load_encoder(name)
        ids = encoder.tokenize(["red mug garden"], 24)[0].unsqueeze(0)
        with torch.no_grad():
            states = encoder.model(input_ids=ids).last_hidden_state
            assert torch.allclose(encoder(ids, torch.ones_like(ids, dtype=torch.bool)), pooled(states), atol=1e-5)
    assert describe_encoder(str(llama)).pooling == naming.LAST


def test_the_tiny_encoder_is_the_same_for_everybody_and_leaves_the_global_dice_alone() -> None:
    torch.manual_seed(7)
    before = torch.rand(1)
    torch.manual_seed(7)
    one = load_encoder("tiny")
    assert torch.rand(1) == before
    adapt(one, rank=2, alpha=2, generator=dice())
    two = load_encoder("tiny")
    assert one.encode(one.tokenize(TEXTS, 24)).equal(two.encode(two.tokenize(TEXTS, 24))), "B is zero at first"


def test_an_adapter_is_drawn_from_its_generator_and_alone_is_trained() -> None:
    encoders = [load_encoder("tiny") for _ in range(3)]
    for encoder, seed in zip(encoders, (1, 1, 2), strict=True):
        adapt(encoder, rank=3, alpha=6, generator=dice(seed))
    one, same, other = ([weight.detach() for _, weight in trainable(encoder)] for encoder in encoders)
    assert all(a.equal(b) for a, b in zip(one, same, strict=True))
    assert not all(a.equal(b) for a, b in zip(one, other, strict=True))
    assert {name.split("lora_")[1][0] for name, _ in trainable(encoders[0])} == {"A", "B"}
    assert {name.rsplit(".lora_", 1)[0].rsplit(".", 1)[-1] for name, _ in trainable(encoders[0])} == {"query", "value"}
    with pytest.raises(EncoderError, match="there is no linear module nonsense"):
        adapt(load_encoder("tiny"), rank=2, alpha=2, generator=dice(), targets=["nonsense"])


def test_what_moves_in_a_step_is_checked() -> None:
    encoder = load_encoder("tiny")
    adapt(encoder, rank=2, alpha=2, generator=dice())
    before = {name: weight.detach().clone() for name, weight in encoder.named_parameters()}
    with pytest.raises(RuntimeError, match="no weight has moved"):
        check_step(encoder, before)
    own = dict(trainable(encoder))
    name = next(iter(own))
    own[name].data += 1
    check_step(encoder, before)
    base = next(weight for key, weight in encoder.named_parameters() if key not in own)
    base.data += 1
    with pytest.raises(RuntimeError, match="is not trained, and has moved"):
        check_step(encoder, before)
    base.data.copy_(before[next(key for key, weight in encoder.named_parameters() if weight is base)])
    own[name].data[0, 0] = float("nan")
    with pytest.raises(RuntimeError, match="no longer finite"):
        check_step(encoder, before)


def test_an_adapter_that_is_read_again_answers_the_same_and_peft_reads_it_too(tmp_path: Path, llama: Path) -> None:
    from peft import PeftModel

    for number, name in enumerate(("tiny", str(llama))):
        encoder, folder = load_encoder(name), tmp_path / str(number)
        adapt(encoder, rank=3, alpha=6, generator=dice())
        for _, weight in trainable(encoder):
            weight.data.normal_(0, 0.5, generator=dice(3))
        save_adapter(encoder, folder)
        again = load_encoder(name)
        plain = again.encode(again.tokenize(TEXTS, 24))
        load_adapter(again, folder)
        said = encoder.encode(encoder.tokenize(TEXTS, 24))
        assert said.equal(again.encode(again.tokenize(TEXTS, 24)))
        assert not torch.allclose(said, plain, atol=1e-3)
        outside = load_encoder(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # transformers', of itself
            outside.model = PeftModel.from_pretrained(outside.model, folder)
        outside.eval()
        assert torch.allclose(said, outside.encode(outside.tokenize(TEXTS, 24)), atol=1e-6)
        assert str(llama) not in (folder / SETTINGS).read_text(), "no path of this machine leaves with it"
        assert json.loads((folder / SETTINGS).read_text())["r"] == 3
        assert {path.name for path in folder.iterdir()} == {WEIGHTS, SETTINGS}


def test_what_is_trained_can_be_more_than_queries_and_values(tmp_path: Path, llama: Path) -> None:
    """All linear modules, or all weights that a text's vector depends on; and both are read again."""
    for name, linear in (("tiny", 2 * 6), (str(llama), 2 * 7)):
        encoder = load_encoder(name)
        adapt(encoder, rank=2, alpha=2, generator=dice(), adapted="linear")
        assert len(trainable(encoder)) == 2 * linear
        encoder = load_encoder(name)
        adapt(encoder, rank=2, alpha=2, generator=dice(), adapted="everything")
        assert [key for key, _ in trainable(encoder)] == [key for key, _ in encoder.named_parameters()]
        for _, weight in trainable(encoder):
            weight.data += 0.01
        folder = tmp_path / Path(name).name
        assert save_adapter(encoder, folder) == (WHOLE,)
        again = load_encoder(name)
        load_adapter(again, folder)
        said = encoder.encode(encoder.tokenize(TEXTS, 24))
        assert said.equal(again.encode(again.tokenize(TEXTS, 24)))
    with pytest.raises(EncoderError, match="made for another encoder"):
        load_adapter(load_encoder("tiny"), folder)
    (folder / WHOLE).write_bytes(b"no tensors")
    with pytest.raises(EncoderError, match="there is no adapter to be read"):
        load_adapter(load_encoder("tiny"), folder)


def test_an_adapter_of_another_encoder_or_none_is_refused(tmp_path: Path, llama: Path) -> None:
    encoder = load_encoder("tiny")
    adapt(encoder, rank=2, alpha=2, generator=dice())
    save_adapter(encoder, tmp_path)
    with pytest.raises(EncoderError, match=r"no linear module encoder\.layer"):
        load_adapter(load_encoder(str(llama)), tmp_path)
    with pytest.raises(EncoderError, match="there is no adapter to be read"):
        load_adapter(load_encoder("tiny"), tmp_path / "nowhere")


def folder_with(place: Path, **files: str) -> Path:
    place.mkdir()
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text)
    return place


def test_folders_that_are_no_model_get_one_sentence(tmp_path: Path) -> None:
    wrong = {
        "has no config.json": folder_with(tmp_path / "a"),
        "pytorch_model.bin is not read, since such files run code": folder_with(
            tmp_path / "b", config__json="{}", pytorch_model__bin="x"
        ),
        "has no tokenizer": folder_with(tmp_path / "c", config__json="{}", model__safetensors="x"),
        "is not that of a transformer": folder_with(
            tmp_path / "d", config__json="[]", model__safetensors="x", vocab__txt="a"
        ),
        "KeyError": folder_with(tmp_path / "e", config__json="{}", model__safetensors="x", vocab__txt="a"),
    }
    for said, place in wrong.items():
        with pytest.raises(EncoderError, match=said) as error:
            describe_encoder(str(place))
        assert "\n" not in str(error.value)
    for name in ("", "tinny", "bert-base-uncased", "x" * 9000, "a\0b", "~nobody-here/x"):
        with pytest.raises(EncoderError, match="nothing is downloaded"):
            describe_encoder(name)


def test_losses_written_out() -> None:
    scores = torch.tensor([[2.0, 1.0, 3.0], [1e4, -1e4, 0.0]])
    assert info_nce(scores)[0] == pytest.approx(-torch.log_softmax(scores[0], 0)[0].item())
    assert info_nce(scores)[1] == 0
    assert bool(torch.isfinite(info_nce(-scores)).all())
    assert hinge(scores, 1.5)[0] == pytest.approx((0.5 + 2.5) / 2)
    vectors = torch.tensor([[[3.0, 0.0], [1.0, 1.0], [0.0, 2.0], [3.0, 0.0]]])
    assert Contrast(similarity="dot").scores(vectors).tolist() == [[3.0, 0.0, 9.0]]
    cosine = Contrast(temperature=0.5).scores(vectors)[0]
    assert cosine.tolist() == pytest.approx([2 / 2**0.5, 0.0, 2.0], abs=1e-6)
    assert Contrast(kind="hinge", similarity="dot", margin=1.0)(vectors).tolist() == [3.5]
