"""DP-GPL as it runs: one node, one teacher; noise; the student."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.methods.drained import returned
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY, draws

from privgraph.data.graph import Graph
from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.prompts.dp_gpl.partition import EMPTY
from privgraph.methods.prompts.dp_gpl.preparation import assign, standing
from privgraph.methods.prompts.dp_gpl.train import Run, train
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare
from privgraph.methods.teachers.answers import Answers
from privgraph.methods.training import Context, planned, train_one
from privgraph.nn import pretrained
from privgraph.nn.backbones import Backbone
from privgraph.nn.prompts import KINDS
from privgraph.progress import Event, Log, Metric

QUICK: dict[str, object] = {
    "hidden": 8, "pretrain_epochs": 5, "epochs": 4, "student_epochs": 4, "teachers": 12, "queries": 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return toy_graph(nodes=160, signal=1.5)


def run(graph: Graph, folder: Path | None = None, seed: int = 0, **given: object) -> tuple[list[Event], Context]:
    context = Context(seed=seed, folder=folder, noise_key=KEY)
    return list(train_one(train, Config(**{**QUICK, **given}), graph, context)), context  # type: ignore[arg-type]


def result(events: list[Event]) -> dict[str, float]:
    return dict(events[-1].metrics)


def prepared_graph_of(graph: Graph, config: Config) -> PreparedGraph:
    prepared = returned(prepare(graph, config, Context(noise_key=KEY), done=0, total=100))
    return standing(prepared, prepared.table)


def without(graph: Graph, node: int) -> Graph:
    """The graph in which a node is another person: other features, another label, none of its edges."""
    x, y = graph.x.clone(), graph.y.clone()
    x[node], y[node] = 3 - x[node], (y[node] + 1) % 3
    kept = (graph.edge_index != node).all(0)
    return dataclasses.replace(graph, x=x, y=y, edge_index=graph.edge_index[:, kept], _cache={})


@pytest.mark.parametrize("prompt", KINDS)
def test_an_empty_slot_changes_no_other_teachers_votes(prompt: str, graph: Graph) -> None:
    config = Config(**QUICK, prompt=prompt)  # type: ignore[arg-type]
    prepared = prepared_graph_of(graph, config)
    member = Run(planned(config, graph, Context(noise_key=KEY)))
    assignment = assign(prepared, config, draws(0))

    def votes(slots: np.ndarray) -> np.ndarray:
        other = dataclasses.replace(assignment, slots=slots)
        return returned(member.cast_votes(prepared, prepared.table, other, prepared.public_nodes))

    whole, moved = votes(assignment.slots), 0
    for teacher in (0, 5, 11):
        slots = assignment.slots.copy()
        slots[teacher, 0] = EMPTY
        changed = (votes(slots) != whole).any(1)
        assert not np.delete(changed, teacher).any()
        moved += int(changed[teacher])
    assert moved, "a node that is not missed by its own teacher would prove nothing"


@pytest.mark.parametrize("weighting", ["uniform", "private-centrality"])
def test_another_person_in_a_nodes_place_changes_one_teacher(weighting: str, graph: Graph, tmp_path: Path) -> None:
    """The whole method, from features to votes, with a private node's features, label and edges replaced."""

    def votes(name: str, of: Graph) -> Ensemble:
        (tmp_path / name).mkdir()
        run(of, tmp_path / name, weighting=weighting, epochs=8, ranks=2)
        return Ensemble.load(tmp_path / name)

    whole, changes = votes("whole", graph), []
    private = prepared_graph_of(graph, Config(**QUICK)).private_nodes  # type: ignore[arg-type]
    for node in private[::20].tolist():
        other = votes(str(node), without(graph, node))
        changed = np.flatnonzero((other.votes != whole.votes).any(1) | (other.sizes != whole.sizes))
        # a new person may be of another rank, and so leave one teacher for another
        assert len(changed) <= (1 if weighting == "uniform" else 2)
        assert (other.weights == whole.weights).all()
        changes.append(len(changed))
    assert sum(changes) > 0


def test_other_weights_have_other_noise(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When weights change (a file, another graph), votes do, and noise must not stay."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path))

    def noise(name: str) -> np.ndarray:
        (tmp_path / name).mkdir()
        context = Context(folder=tmp_path / name, noise_key=b"secret")
        list(train_one(train, Config(**QUICK, vote_sigma=2.0), graph, context))  # type: ignore[arg-type]
        found = Answers.load(tmp_path / name)
        return found.after - found.before

    first, again = noise("first"), noise("again")
    assert (first == again).all()
    (kept,) = (tmp_path / "pretrained").iterdir()
    with np.load(kept) as held:
        weights = {name: torch.from_numpy(2 * held[name]) for name in held.files if name != "digest"}
    pretrained._write(kept, Backbone("gcn", weights, graph.x.shape[1], 8))
    other = noise("other")
    assert abs(np.corrcoef(first.ravel(), other.ravel())[0, 1]) < 0.5


@pytest.mark.parametrize("student_labels", ["hard", "pooled"])
def test_little_noise_teaches_and_much_noise_does_not(student_labels: str, graph: Graph) -> None:
    given = {"student_labels": student_labels, "epochs": 10, "student_epochs": 20, "pretrain_epochs": 40, "hidden": 32}
    clear = result(run(graph, vote_sigma=0.5, **given)[0])
    drowned = [result(run(graph, seed=seed, vote_sigma=1e5, **given)[0])["test_accuracy"] for seed in range(2)]
    assert clear["test_accuracy"] > 0.58
    assert clear["ensemble_accuracy"] > clear["teacher_accuracy"], "a crowd is wiser than its members"
    assert clear["lower_bound"] < 0.65
    assert clear["upper_bound"] >= clear["teacher_accuracy"]
    assert abs(np.mean(drowned) - 1 / 3) < 0.25


def test_where_nothing_is_answered_the_student_stays_as_it_began(graph: Graph, tmp_path: Path) -> None:
    events, context = run(graph, tmp_path, gate_sigma=1.0, threshold=500.0, vote_sigma=5.0)
    found = result(events)
    assert found["test_accuracy"] == found["lower_bound"]
    assert found["answered_share"] == 0
    assert "label_accuracy" not in found
    assert any(isinstance(event, Log) and "no query was answered" in event.message for event in events)
    assert (Answers.load(tmp_path).released == -1).all()
    assert [entry.count for entry in context.ledger.entries] == [20, 20], "what was planned is paid for"


def test_public_labels_steer_nothing(graph: Graph, tmp_path: Path) -> None:
    def predicted(name: str, of: Graph) -> np.ndarray:
        (tmp_path / name).mkdir()
        run(of, tmp_path / name)
        return np.load(tmp_path / name / "predictions.npz")["probabilities"]

    public = prepared_graph_of(graph, Config(**QUICK)).public_nodes  # type: ignore[arg-type]
    y = graph.y.clone()
    y[public] = (y[public] + 1) % 3
    assert (predicted("one", graph) == predicted("other", dataclasses.replace(graph, y=y, _cache={}))).all()


def test_a_sanitised_report(graph: Graph) -> None:
    events, context = run(graph, report="sanitised", epsilon=3.0)
    found = result(events)
    assert found["epsilon_sanitised"] > 0
    (metric,) = [event for event in events if isinstance(event, Metric) and event.name == "epsilon_sanitised"]
    assert not metric.evaluator
    assert context.ledger.entries[-1].stage == "report"
    quiet = result(run(graph, report="none")[0])
    assert not {"epsilon_sanitised", "epsilon_data_dependent"} & set(quiet)
