"""Made-up products with titles in two domains, and who bought what together. No torch.

Two products are bought together if they are of one style, and of one material or of two that go together.
Styles and materials are the same words in both domains, while categories and their nouns are not: what is
learnt of styles and materials in one domain holds in the other. Which materials go together is drawn from the
seed; it is no likeness of words, so that an encoder that saw no purchases does not know it. The words are in
`products.toml`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from privgraph.data.parts import Parts
from privgraph.options import Option, OptionError, check
from privgraph.streams import stream

_WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_NOUNS: dict[str, dict[str, list[str]]] = _WORDS["nouns"]
"""Of each category of each domain."""


@dataclass(frozen=True, kw_only=True)
class ProductOptions:
    """Made-up products and co-purchases."""

    products: Annotated[
        int, Option("how many products each of the two domains has", low=50, high=100_000, scale="log", group="Data")
    ] = 1000
    purchases: Annotated[
        float, Option("how many others a product is bought together with, on average", low=0.5, high=50, group="Data")
    ] = 4.0
    noise: Annotated[float, Option("share of purchases that follow no rule", low=0, high=1, group="Data")] = 0.1
    seed: Annotated[int, Option("which shop is drawn", low=0, high=2**31 - 1, group="Data", advanced=True)] = 0

    def __post_init__(self) -> None:
        check(self)
        if self.purchases > (self.products - 1) / 4:
            raise OptionError(
                f"purchases must be at most a quarter of the other products, {(self.products - 1) / 4:g} "
                f"(got {self.purchases:g})"
            )


def products(options: ProductOptions) -> Parts:
    """Products of both domains, and purchases inside each, each pair once.

    Twelve families of two materials that go together are drawn from the seed.
    """
    rng, count = stream(options.seed, "data/products"), options.products
    materials_of, styles_of = _WORDS["materials"], _WORDS["styles"]
    family = stream(options.seed, "data/products/rule").permutation(np.arange(len(materials_of)) // 2)
    # every style, material and category as often as any other, in random order
    style, material, category = (
        np.concatenate([rng.permutation(np.arange(count) % kinds) for _ in _NOUNS])
        for kinds in (len(styles_of), len(materials_of), 6)
    )
    titles: list[str] = []
    for domain, nouns in enumerate(_NOUNS.values()):
        for at in range(domain * count, (domain + 1) * count):
            words = styles_of[style[at]], materials_of[material[at]]
            titles.append(_title(rng, list(nouns.values())[category[at]], *words))
    wanted = round(count * options.purchases / 2)
    edges = []
    for start in range(0, len(titles), count):
        own = slice(start, start + count)
        fitting = (style[own, None] == style[own]) & (family[material[own]][:, None] == family[material[own]])
        left, right = np.nonzero(np.triu(fitting, 1))
        ruled = min(left.size, round(wanted * (1 - options.noise)))
        taken = rng.choice(left.size, size=ruled, replace=False) if ruled else np.empty(0, dtype=np.int64)
        pairs = set(zip(left[taken].tolist(), right[taken].tolist(), strict=True))
        while len(pairs) < wanted:
            one, other = sorted(rng.integers(count, size=2).tolist())
            if one != other:
                pairs.add((one, other))
        edges.append(start + np.array(sorted(pairs)).T)
    domains = np.repeat(np.arange(len(_NOUNS)), count)
    return Parts(
        y=domains * 6 + category,
        edges=np.concatenate(edges, axis=1),
        class_names=[name for nouns in _NOUNS.values() for name in nouns],
        texts=titles,
        domains=domains,
        domain_names=tuple(_NOUNS),
    )


def _title(rng: np.random.Generator, nouns: list[str], style: str, material: str) -> str:
    """Style, material and a noun, among words that tell nothing."""
    noun, brand, colour, size = (
        words[int(rng.integers(len(words)))]
        for words in (nouns, *(_WORDS[kind] for kind in ("brands", "colours", "sizes")))
    )
    return (
        f"{brand} {style} {noun}, {material}, {colour}, {size}",
        f"{size} {colour} {material} {noun} in {style} style by {brand}",
        f"{style} {colour} {noun} of {material}, {size}, {brand}",
    )[int(rng.integers(3))]
