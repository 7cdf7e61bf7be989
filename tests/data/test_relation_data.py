"""Data of texts with relations: domains of areas, and the rule that invented purchases follow."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from privgraph.data.load import load
from privgraph.data.products import ProductOptions, families, products
from privgraph.runs import ask

FIELDS = {
    "agriculture": "natural sciences",
    "archaeology": "society",
    "biology": "natural sciences",
    "computer science": "computing and engineering",
    "financial economics": "society",
    "industrial engineering": "computing and engineering",
    "material science": "natural sciences",
    "petroleum chemistry": "natural sciences",
    "physics": "natural sciences",
    "social science": "society",
}


def test_each_field_of_m10_stands_in_its_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    folder = tmp_path / "TextGraphs/M10Titles"
    folder.mkdir(parents=True)
    lines = ["label_name,text", *(f"{field},a title of {field}" for field in FIELDS)]
    (folder / "nodes.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    np.savez(folder / "graph.npz", edges=np.array([(0, 2), (1, 4), (3, 5)]))
    graph = load("m10-titles")
    found = {
        graph.class_names[int(label)]: graph.domain_names[int(domain)]
        for label, domain in zip(graph.y, graph.domains, strict=True)
    }
    assert {name.lower(): domain for name, domain in found.items()} == FIELDS


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_so_many_purchases_follow_no_rule_as_the_options_say(noise: float) -> None:
    shop = products(ProductOptions(products=2000, noise=noise))
    family = families(0)[shop.materials]
    one, other = shop.edges
    ruled = float(((shop.styles[one] == shop.styles[other]) & (family[one] == family[other])).mean())
    chance = 0.03  # of a purchase without a rule, to follow it nevertheless
    assert 1 - noise <= ruled + 1e-9
    assert ruled <= 1 - noise + chance * noise + 1e-9


def test_partners_are_those_of_either_direction() -> None:
    graph = load("products", data_options={"products": 60})
    one = replace(graph, edge_index=torch.tensor([[0, 2, 3], [1, 0, 4]]), _cache={})
    assert ask._partners(one, {0}) == {1, 2}
