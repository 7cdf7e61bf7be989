"""What a method cannot do with a graph or with its own options is refused before anything is run."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.contracts.test_methods import OF_NODES, made

from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.data.splits import with_split
from privgraph.methods.training import train_one
from privgraph.options import OptionError, build
from privgraph.registry import METHODS

FACTS = PublicFacts(nodes=2708, edges=5278, entries=10556, features=50, classes=7, train_nodes=2031)


@pytest.mark.parametrize(
    ("name", "options", "sizes", "words"),
    [
        *((name, {"unit": "node"}, {"train_nodes": 0}, "at least one labelled")
          for name in ("dp-gnn", "dp-mlp", "heter-poisson", "progap")),
        ("dp-gnn", {"epsilon": 0.05, "accounting": "published"}, {}, "epsilon 0.05 is out of reach"),
        ("pate", {"epsilon": 1.0, "accounting": "published"}, {}, "epsilon 1 is out of reach"),
        ("pate", {"analysis": "dependent", "noise": "gaussian"}, {}, "analysis must be independent with gaussian"),
        ("privgnn", {"release": "posterior", "gate": 1.0}, {}, "gate must be 0 with release posterior"),
        ("privgnn", {"release": "votes", "gate": 1.0, "sampling": "once"}, {}, "gate must be 0 with sampling once"),
        ("privgnn", {"gate": 1.0}, {}, "gate must be 0 with release table"),
        ("privgnn", {"sampling": "once"}, {}, "sampling must be query with release table"),
        ("privgnn", {}, {"nodes": 2**25}, "at most 8,388,608 private nodes"),
        ("privgnn", {"release": "log-posterior"}, {}, "protects nobody"),
        ("dp-gpl", {"limit": 1.0, "weighting": "centrality"}, {}, "limit needs teachers"),
        ("dp-gpl", {"gate_sigma": 1.0}, {}, "100 tests with noise 1 alone cost"),
        ("dp-gpl", {"gate_sigma": 1.0, "accounting": "published"}, {}, "the gate alone costs more"),
        ("dp-gpl", {"report": "sanitised", "report_epsilon": 3.0}, {}, "report_epsilon must be below epsilon"),
        ("dp-gpl", {"report": "sanitised", "limit": 1.0}, {}, "report sanitised needs"),
        ("dp-gpl", {"limit": 1.0, "accounting": "published", "at_limit": "drop"}, {}, "at_limit must be stop"),
        ("dp-gpl", {}, {"classes": 1}, "at least 2 classes"),
        ("dp-gpl", {"private": 0.0004}, {}, "1 of 2,708 nodes would be private and 2,707 public: too few"),
        ("gnn", {"conv": "gat", "hidden": 6}, {}, "multiple of 4"),
        ("gnn", {"trained_on": "private", "preset": "amazon"}, {}, "private, public_train and public_test ask for"),
        ("edge-rand", {"response": "symmetric"}, {"nodes": 40_000}, "asymmetric response"),
        ("edge-rand", {}, {"nodes": 1, "edges": 0, "entries": 0, "train_nodes": 1}, "at least 2 nodes"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused(name: str, options: dict[str, Any], sizes: dict[str, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        build(METHODS[name].load_config(), options).plan(replace(FACTS, **sizes))


@pytest.mark.parametrize("split", ["random", "inductive"])
@pytest.mark.parametrize(("name", "unit"), OF_NODES)
def test_a_method_trains_beside_nodes_without_a_label(name: str, unit: str, split: str) -> None:
    whole = load("social", data_options={"nodes": 240})
    y = whole.y.clone()
    y[3::6] = -1
    graph = with_split(replace(whole, y=y), 0, split)
    parts = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(parts.any(0), y >= 0)
    *_, last = train_one(METHODS[name].load_train(), made(name, unit), graph)
    assert 0 <= last.metrics["test_accuracy"] <= 1
    assert last.metrics["test_nodes"] <= int((y >= 0).sum())
