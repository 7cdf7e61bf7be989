"""The attack `link` as a row of the table: on several methods, with each of its options."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.attacks import attacked_here
from tests.attacks.attacked_here import graph, random_graph, subject
from tests.watching import watched

from privgraph.attacks import stealing
from privgraph.attacks.links import closeness
from privgraph.attacks.options import DISTANCES, Attacked, AttackOptions
from privgraph.attacks.outcome import outcome
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadows import ask
from privgraph.data.build import canonical_edges
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.baselines.network import fit, fit_as_one
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, planned
from privgraph.options import OptionError, build
from privgraph.progress import Progress
from privgraph.registry import ATTACKS, method

QUICK = AttackOptions(targets=2, pairs=300)


def attacked(told: Attacked, options: AttackOptions = QUICK) -> AttackRecord:
    return attacked_here.attacked("link", told, options)


@pytest.mark.parametrize("name", ["gnn", "mlp", "edge-rand", "gap"])
def test_a_record_of_every_kind_of_method(name: str) -> None:
    record = attacked(subject(name))
    assert AttackRecord.from_json(record.to_json()) == record
    assert (record.attack, record.models, len(record.areas)) == ("link", 2, 2)
    assert record.outcome.members == record.outcome.others == sum(record.scores_members) > 200
    assert record.bound is None
    assert record.steps is None
    assert not record.drawn
    assert record.exposed == ()
    assert any(note.startswith("no bound on epsilon follows") for note in record.notes)
    areas = dict(part.split() for part in record.notes[0].partition(": ")[2].split(", "))
    assert set(areas) == set(DISTANCES)
    assert areas["correlation"] == f"{record.outcome.area:.3f}"
    assert areas["euclidean"] == areas["sqeuclidean"]
    assert 0.5 < record.by_classes < 1, "edges within a class are more frequent than pairs"


def test_what_the_options_say_reaches_the_pairs_and_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = watched(monkeypatch, stealing, "draw_pairs")
    areas = set()
    for distance, unlinked in (("canberra", "any"), ("chebyshev", "any"), ("chebyshev", "alike")):
        record = attacked(subject("gnn"), replace(QUICK, pairs=77, distance=distance, unlinked=unlinked))
        told = dict(part.split() for part in record.notes[0].partition(": ")[2].split(", "))
        assert told[distance] == f"{record.outcome.area:.3f}"
        areas.add(record.outcome.area)
    assert len(areas) == 3
    seen = [(call.given[2], call.named["labels"], call.result) for call in calls]
    for (count, labels, pairs), alike in zip(seen, [False] * 4 + [True] * 2, strict=True):
        assert (labels is not None) == alike
        assert count == 77 >= int(pairs.linked.sum()) > 70
    assert np.array_equal(seen[4][1], graph().y.numpy())
    assert not np.array_equal(seen[0][2].nodes, seen[1][2].nodes), "each model has pairs of its own"
    assert np.array_equal(seen[0][2].nodes, seen[2][2].nodes), "the same for each distance"


def with_edges_of_no_meaning(nodes: int = 150, edges: int = 400, seed: int = 5) -> Callable[[], Graph]:
    """The features and labels of a graph, with edges that look at neither."""

    def made() -> Graph:
        held = load("social", split_seed=3, data_options={"nodes": nodes, "degree": 6})
        drawn = torch.from_numpy(random_graph(nodes, edges, seed))
        both = canonical_edges(torch.cat([drawn, drawn.flip(0)], 1), nodes, undirected=True)
        return replace(held, edge_index=both, _cache={})

    return made


def test_an_mlp_tells_nothing_of_edges_without_meaning_and_a_graph_network_does() -> None:
    held = with_edges_of_no_meaning(edges=100)
    blind = attacked(subject("mlp", held=held, epochs=20), AttackOptions(targets=1))
    assert blind.outcome.area_low <= 0.5 <= blind.outcome.area_high
    reader = subject("gnn", held=held, conv="gcn", epochs=20, dropout=0.0, jump=False)
    for options, least in ((AttackOptions(targets=1), 0.75), (AttackOptions(targets=1, by="influence"), 0.98)):
        seen = attacked(reader, options)
        assert seen.outcome.area > least
        assert seen.outcome.area_low > 0.65


def test_the_first_model_is_the_run_where_there_is_no_noise() -> None:
    told = subject("gnn", epochs=10)
    record = attacked(told)
    *_, asked = ask(told, AttackOptions(shadows=14, targets=2))
    assert not isinstance(asked, Progress)
    assert record.accuracy == pytest.approx(asked.accuracies[0])
    outsider = Outsider()
    for _ in method("gnn").load_train()([planned(told.config, graph(), Context(seed=3, outsider=outsider))]):
        pass
    said = stealing._posteriors(outsider.logits["linked"])
    pairs = stealing._pairs(graph(), graph(), 0, QUICK)
    assert record.outcome == outcome(closeness(said, pairs.nodes, "correlation"), pairs.linked)


def test_every_model_has_noise_and_a_seed_of_its_own_and_the_first_is_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = watched(monkeypatch, stealing, "Context")
    attacked(subject("gap"), replace(QUICK, targets=3))
    seen = [call.result for call in calls]
    assert seen[0].seed == 3
    assert len({one.seed for one in seen}) == len({one.noise_key for one in seen}) == 3


def test_an_inductive_run_is_asked_about_the_edges_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = watched(monkeypatch, stealing, "draw_pairs")
    told = replace(subject("gnn"), split="inductive")
    whole = {tuple(map(int, pair)) for pair in graph().edge_index.T}
    record = attacked(told)
    part = graph().train_mask.long() + 2 * graph().val_mask.long()
    own, _ = (call.result for call in calls)
    assert len(own.nodes) == 2 * record.outcome.members
    for pair, linked in zip(own.nodes, own.linked, strict=True):
        assert (tuple(map(int, pair)) in whole) == bool(linked)
        if linked:
            assert part[pair[0]] == part[pair[1]]


@pytest.mark.parametrize(("way", "conv"), [("side by side", "sage"), ("as one", "gat")])
def test_a_model_that_is_asked_again_answers_for_the_features_it_is_given(way: str, conv: str) -> None:
    """With its own features a node gets the answer that it had; with others, that of a graph with these."""
    config = build(GnnConfig, {"epochs": 6, "hidden": 8, "conv": conv})
    whole, outsider = graph(), Outsider()
    context = Context(seed=1, outsider=outsider)
    for _ in fit(whole, config, context) if way == "side by side" else fit_as_one([whole], config, [context]):
        pass
    assert outsider.changed is not None
    linked = outsider.logits["linked"]
    for node in (0, 57):
        assert torch.allclose(outsider.changed(node, whole.x[node]), linked, atol=1e-5)
        moved = (outsider.changed(node, whole.x[node] + 1) - linked).abs().amax(1) > 1e-4
        near = torch.zeros(120, dtype=torch.bool)
        near[node] = True
        for _ in range(2):
            source, target = whole.edge_index
            near[target[near[source]]] = True
        assert bool(moved[node])
        assert int(moved.sum()) > 2
        assert not bool((moved & ~near).any()), "two layers carry two steps far"
    assert torch.allclose(outsider.changed(0, whole.x[0]), linked, atol=1e-5), "nothing of a question is kept"
    with pytest.raises(ValueError, match="twice"):
        outsider.may_ask(outsider.changed)


def test_what_cannot_be_done_is_refused_in_words() -> None:
    spec = ATTACKS["link"]
    for told, options, said in (
        (subject("gap"), AttackOptions(by="influence"), "which GAP does not answer"),
        (subject("gnn"), AttackOptions(query="alone"), "choose query linked"),
        (subject("gnn"), AttackOptions(query="both"), "choose query linked"),
    ):
        assert spec.refuses(told) is None
        assert said in str(spec.unanswered(told, options))
        with pytest.raises(OptionError, match=said):
            attacked(told, options)
    assert spec.unanswered(subject("edge-rand"), AttackOptions(by="influence")) is None
    parted = replace(subject("gnn"), config=build(method("gnn").load_config(), {"trained_on": "private", "epochs": 1}))
    assert "drops the edges between them" in str(spec.refuses(parted))
    silent = replace(subject("mlp"), method="privgnn", config=build(method("privgnn").load_config(), {}))
    assert "does not tell" in str(spec.refuses(silent))
    with pytest.raises(ValueError, match="10 edges"):
        attacked(subject("mlp", held=with_edges_of_no_meaning(60, 5)))
