"""Made-up products with titles in two domains, and who bought what together. No torch.

Two products are bought together if they are of one style, and of one material or of two that go together.
Styles and materials are the same words in both domains, while categories and their nouns are not: what is
learnt of styles and materials in one domain holds in the other. Which materials go together is drawn from the
seed; it is no likeness of words, so that an encoder that saw no purchases does not know it.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from privgraph.options import Option, OptionError, check
from privgraph.streams import stream

STYLES = (
    "rustic", "nordic", "industrial", "vintage", "modern", "oriental", "baroque", "tropical",
    "alpine", "coastal", "gothic", "retro", "minimalist", "colonial", "bohemian", "futuristic",
)  # fmt: skip
MATERIALS = (
    "oak", "steel", "ceramic", "bamboo", "glass", "copper", "linen", "cork", "marble", "rubber", "wicker", "leather",
    "cotton", "iron", "walnut", "plastic", "granite", "brass", "jute", "porcelain", "felt", "slate", "silk", "tin",
)  # fmt: skip
COLOURS = ("red", "blue", "green", "white", "black", "yellow", "grey", "brown", "orange", "violet")
BRANDS = (
    "Aldora", "Bexley", "Corvin", "Dunmore", "Elsner", "Fenwick", "Gallo", "Hartig",
    "Ivarsson", "Jessop", "Kolbe", "Lindqvist", "Moreau", "Nakata", "Orsini", "Petrov",
)  # fmt: skip
SIZES = ("small", "large", "set of two", "set of six", "travel size", "extra strong", "handmade", "new edition")
NOUNS: dict[str, dict[str, tuple[str, ...]]] = {
    "kitchen": {
        "baking": ("cake tin", "rolling pin", "whisk", "mixing bowl", "oven glove"),
        "coffee": ("mug", "kettle", "coffee grinder", "milk jug", "teapot"),
        "cutting": ("chopping board", "knife block", "peeler", "grater", "kitchen scissors"),
        "dining": ("plate", "salad bowl", "tray", "napkin ring", "fruit dish"),
        "storage": ("spice jar", "bread bin", "bottle rack", "lunch box", "biscuit tin"),
        "cleaning": ("dish rack", "sponge holder", "tea towel", "soap dispenser", "waste bin"),
    },
    "garden": {
        "planting": ("flower pot", "watering can", "seed tray", "trellis", "herb planter"),
        "seating": ("bench", "deck chair", "hammock", "garden stool", "swing"),
        "lighting": ("lantern", "solar lamp", "torch", "fairy lights", "fire bowl"),
        "tools": ("spade", "rake", "hedge trimmer", "wheelbarrow", "pruning saw"),
        "wildlife": ("bird house", "bird bath", "bee hotel", "squirrel feeder", "hedgehog shelter"),
        "water": ("garden hose", "fountain", "rain barrel", "sprinkler", "pond filter"),
    },
}
DOMAINS = tuple(NOUNS)
CATEGORIES = tuple(category for domain in NOUNS.values() for category in domain)


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

    @property
    def wanted(self) -> int:
        """How many pairs of products each domain has that were bought together."""
        return round(self.products * self.purchases / 2)


@dataclass(frozen=True, kw_only=True, eq=False)
class Shop:
    """titles, one a product; domains and y (category), (|V|,) int64; edges (2, |E|) int64, each pair once,
    with the styles and materials (|V|,) that the rule reads."""

    titles: tuple[str, ...]
    domains: NDArray[np.int64]
    y: NDArray[np.int64]
    edges: NDArray[np.int64]
    styles: NDArray[np.int64]
    materials: NDArray[np.int64]


def families(seed: int) -> NDArray[np.int64]:
    """(24,): the family of each material; twelve families of two that go together, drawn from the seed."""
    return stream(seed, "data/products/rule").permutation(np.arange(len(MATERIALS), dtype=np.int64) // 2)


def products(options: ProductOptions) -> Shop:
    """Products of both domains, and purchases inside each."""
    rng, count = stream(options.seed, "data/products"), options.products
    family = families(options.seed)
    # every style, material and category as often as any other, in random order
    styles = np.concatenate([rng.permutation(np.arange(count) % len(STYLES)) for _ in DOMAINS])
    materials = np.concatenate([rng.permutation(np.arange(count) % len(MATERIALS)) for _ in DOMAINS])
    kinds = np.concatenate([rng.permutation(np.arange(count) % 6) for _ in DOMAINS])
    domains = np.repeat(np.arange(len(DOMAINS), dtype=np.int64), count)
    titles = tuple(
        _title(rng, DOMAINS[domain], int(kind), STYLES[style], MATERIALS[material])
        for domain, kind, style, material in zip(domains, kinds, styles, materials, strict=True)
    )
    wanted = options.wanted
    edges = []
    for number in range(len(DOMAINS)):
        own = np.flatnonzero(domains == number)
        fitting = (styles[own][:, None] == styles[own]) & (family[materials[own]][:, None] == family[materials[own]])
        left, right = np.nonzero(np.triu(fitting, 1))
        ruled = min(left.size, round(wanted * (1 - options.noise)))
        taken = rng.choice(left.size, size=ruled, replace=False) if ruled else np.empty(0, dtype=np.int64)
        pairs = {(int(left[at]), int(right[at])) for at in taken}
        while len(pairs) < wanted:
            one, other = sorted(int(end) for end in rng.integers(count, size=2))
            if one != other:
                pairs.add((one, other))
        edges.append(own[np.array(sorted(pairs), dtype=np.int64).T])
    return Shop(
        titles=titles,
        domains=domains,
        y=domains * 6 + kinds,
        edges=np.concatenate(edges, axis=1),
        styles=styles,
        materials=materials,
    )


def _title(rng: np.random.Generator, domain: str, kind: int, style: str, material: str) -> str:
    """Style, material and a noun, among words that tell nothing."""
    nouns = tuple(NOUNS[domain].values())[kind]
    noun, brand = nouns[int(rng.integers(len(nouns)))], BRANDS[int(rng.integers(len(BRANDS)))]
    colour, size = COLOURS[int(rng.integers(len(COLOURS)))], SIZES[int(rng.integers(len(SIZES)))]
    return (
        f"{brand} {style} {noun}, {material}, {colour}, {size}",
        f"{size} {colour} {material} {noun} in {style} style by {brand}",
        f"{style} {colour} {noun} of {material}, {size}, {brand}",
    )[int(rng.integers(3))]
