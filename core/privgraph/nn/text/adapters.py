"""What of an encoder is trained: LoRA updates beside its weights, by peft, or the weights themselves.

Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, ICLR 2022: W + alpha / r B A with A (r, d) and
B (p, r). At the start B is zero, so that the encoder answers as before.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from privgraph.nn.text import naming
from privgraph.nn.text.encoder import TextEncoder, quiet
from privgraph.nn.text.naming import EVERYTHING, EncoderError
from privgraph.options import short

WEIGHTS, SETTINGS = "adapter_model.safetensors", "adapter_config.json"
"""Of a saved adapter, as peft names them."""
WHOLE = "model.safetensors"
"""Of an encoder all of whose weights were trained."""
LARGEST_RANK = 256
QUERIES_AND_VALUES = (("query", "value"), ("q_proj", "v_proj"), ("q_lin", "v_lin"), ("q", "v"))
"""What modules of attention are called in models of Hugging Face."""


def linear_modules(encoder: TextEncoder) -> list[str]:
    """Full names of the linear modules that a text's vector depends on."""
    used = _used(encoder)
    modules = encoder.model.named_modules()
    return [name for name, part in modules if isinstance(part, nn.Linear) and f"{name}.weight" in used]


def _used(encoder: TextEncoder) -> set[str]:
    """Names of the weights that a text's vector depends on: a model may bring others, such as a pooler's."""
    weights = dict(encoder.model.named_parameters())
    before = {name: weight.requires_grad for name, weight in weights.items()}
    for weight in weights.values():
        weight.requires_grad_(True)
    try:
        said = encoder(*encoder.padded([torch.tensor([0, 1])])).square().sum()
        found = torch.autograd.grad(said, list(weights.values()), allow_unused=True)
    finally:
        for name, weight in weights.items():
            weight.requires_grad_(before[name])
    return {name for name, part in zip(weights, found, strict=True) if part is not None}


def targets_of(encoder: TextEncoder, adapted: str) -> list[str]:
    """Full names of the linear modules that get an update: `attention` (queries and values) or `linear`."""
    linear = linear_modules(encoder)
    if adapted == naming.LINEAR:
        return linear
    last = {name.rsplit(".", 1)[-1] for name in linear}
    for pair in QUERIES_AND_VALUES:
        if set(pair) <= last:
            return [name for name in linear if name.rsplit(".", 1)[-1] in pair]
    listed = ", ".join(sorted(last)) or "none that is linear"
    raise EncoderError(f"this model has no modules of queries and values that are known; it has {listed}")


def adapt(
    encoder: TextEncoder,
    *,
    rank: int,
    alpha: float,
    generator: torch.Generator,
    adapted: str = naming.ATTENTION,
    targets: Sequence[str] = (),
) -> None:
    """Decide what is trained, in place.

    Args:
        encoder: Of which nothing is trained yet.
        rank: r of the LoRA updates, at least 1.
        alpha: Updates count alpha / rank times.
        generator: Draws A, uniformly within 1 / sqrt(d); B is zero.
        adapted: One of `naming.ADAPTED`: updates beside queries and values, or beside all linear modules;
            `everything` trains the weights themselves, without updates.
        targets: Full names of linear modules, instead of `adapted`.

    Raises:
        EncoderError: For modules that are not there.
    """
    from peft import LoraConfig, get_peft_model

    if adapted == EVERYTHING and not targets:
        used = _used(encoder)
        for name, weight in encoder.model.named_parameters():
            weight.requires_grad_(name in used)
        return
    chosen, linear = list(targets) or targets_of(encoder, adapted), linear_modules(encoder)
    for one in chosen:
        if one not in linear:
            raise EncoderError(f"there is no linear module {short(one)} in this encoder")
    config = LoraConfig(
        r=rank, lora_alpha=alpha, target_modules=chosen, lora_dropout=0.0, bias="none", use_rslora=False
    )
    with torch.random.fork_rng(devices=[]), quiet():
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
    """Raise `RuntimeError` unless, since `before` (all weights by name), what is trained has moved, the rest
    has not, and all is finite."""
    moved = False
    for name, weight in encoder.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            raise RuntimeError(f"the weight {name} is no longer finite: a smaller learning rate may help")
        same = weight.detach().equal(before[name])
        if weight.requires_grad:
            moved |= not same
        elif not same:
            raise RuntimeError(f"the weight {name} is not trained, and has moved")
    if not moved:
        raise RuntimeError(
            "no weight has moved in the first step: the learning rate, or the gradient of these relations, is too "
            "small for 32-bit weights"
        )


def save_adapter(encoder: TextEncoder, folder: Path) -> tuple[str, ...]:
    """Write what was trained into `folder`, as safetensors; names of the files.

    LoRA updates are written as peft reads them, with their settings and no path of this machine; of an
    encoder all of whose weights were trained, those weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {_plain(name): weight.detach().cpu().contiguous() for name, weight in _own(encoder)}
    config = getattr(encoder.model, "peft_config", {}).get("default")
    if config is None:
        save_file(tensors, folder / WHOLE)
        return (WHOLE,)
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
    return WEIGHTS, SETTINGS


def load_adapter(encoder: TextEncoder, folder: Path) -> None:
    """Make an encoder what `save_adapter` wrote down. Raises `EncoderError` for files of another model."""
    generator = torch.Generator()  # what it draws is overwritten
    try:
        if (folder / WHOLE).exists():
            tensors = load_file(folder / WHOLE)
            adapt(encoder, rank=1, alpha=1.0, generator=generator, adapted=EVERYTHING)
        else:
            settings = json.loads((folder / SETTINGS).read_text())
            rank, alpha, targets = int(settings["r"]), float(settings["lora_alpha"]), settings["target_modules"]
            if not 1 <= rank <= LARGEST_RANK or not 0 < alpha < math.inf:
                raise ValueError("no rank and scale of an adapter")
            tensors = load_file(folder / WEIGHTS)
            adapt(encoder, rank=rank, alpha=alpha, generator=generator, targets=_named(encoder, map(str, targets)))
    except EncoderError:
        raise
    except (OSError, KeyError, TypeError, ValueError, OverflowError, RecursionError, SafetensorError) as error:
        raise EncoderError(f"there is no adapter to be read in {folder.name}: {type(error).__name__}") from None
    own = {_plain(name): weight for name, weight in _own(encoder)}
    if set(own) != set(tensors) or any(own[name].shape != tensors[name].shape for name in own):
        raise EncoderError("the adapter was made for another encoder: its weights have other names or shapes")
    for name, weight in own.items():
        weight.data.copy_(tensors[name])


def _named(encoder: TextEncoder, targets: Iterable[str]) -> list[str]:
    """Full names of the linear modules that an adapter's settings mean: peft shortens a long list of them to
    the ends that they have in common. What none ends with stays as it is."""
    linear = linear_modules(encoder)
    meant = ([name for name in linear if f".{name}".endswith(f".{one}")] or [one] for one in targets)
    return [name for names in meant for name in names]


def _own(encoder: TextEncoder) -> list[tuple[str, nn.Parameter]]:
    model: Any = encoder.model
    return [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]


def _plain(name: str) -> str:
    """A weight's name in a file: without that of peft's adapter."""
    return name.replace(".default.", ".")
