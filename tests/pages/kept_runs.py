"""Runs for pages to show, stored as a worker stores them, with the statements that their plans predict."""

from collections.abc import Mapping, Sequence

from tests.figures.made_runs import begin, end

from privgraph.data.spec import PublicFacts
from privgraph.methods.prompts.dp_gpl.ensemble import NAME as ENSEMBLE
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import NAME, Answers
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Log, Metric, Progress, Spent
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore

KARATE = PublicFacts(nodes=34, edges=78, entries=156, features=34, classes=2, train_nodes=26)

ACCURACIES = ("test_accuracy", "val_accuracy", "train_accuracy")
TEST_NODES = {"test_nodes": 200.0, "majority_class_accuracy": 0.5}


def spec(method: str = "progap", seed: int = 0, **options: object) -> RunSpec:
    return make_spec(method, "karate", options, seed=seed)


def keep(
    store: RunStore,
    spec: RunSpec,
    state: str = "done",
    accuracy: float = 0.8,
    tags: Sequence[str] = (),
    error: str = "",
    facts: PublicFacts = KARATE,
) -> str:
    """A run in that state: running ones are half done, ended ones have what a worker would have stored."""
    run = store.submit(spec, tags=tags)
    if state == "queued":
        return run
    plan = spec.config().plan(facts)
    events: list[Event] = [Log(message="loading karate"), Progress(step=0, total=100, stage="stage 0")]
    events += [
        Metric(name=name, value=0.3 + 0.5 * step / 100, step=step, stage="stage 0")
        for step in range(0, 100, 5)
        for name in ("train_loss", "val_accuracy")
    ]
    events += [Spent(entry=entry_to_json(entry)) for entry in plan.statement.ledger]
    worker = begin(store, run, [*events, Progress(step=50, total=100, stage="stage 0")])
    if state == "running":
        return run
    if state == "stopping":
        store.request_stop(run)
        return run
    end(store, run, worker, plan.statement, dict.fromkeys(ACCURACIES, accuracy) | TEST_NODES, state, error)
    return run


def keep_answers(
    store: RunStore,
    found: Answers,
    seed: int = 0,
    method: str = "privgnn",
    lam: float | None = 0.4,
    split: str = "random",
    data: str = "karate",
    **options: object,
) -> str:
    """A finished run on that graph whose teachers' answers were kept, as a worker keeps them."""
    given = {} if lam is None else {"lam": lam}
    return _keep(store, make_spec(method, data, {**given, **options}, seed=seed, split=split), {NAME: found})


def keep_ensemble(store: RunStore, ensemble: Ensemble, found: Answers, **options: object) -> str:
    """A finished DP-GPL on karate with the records of its teachers and of their answers."""
    spec = make_spec("dp-gpl", "karate", {"queries": 8, **options})
    return _keep(store, spec, {NAME: found, ENSEMBLE: ensemble})


def _keep(store: RunStore, spec: RunSpec, artifacts: Mapping[str, Answers | Ensemble]) -> str:
    run = store.submit(spec)
    worker = begin(store, run, [Artifact(name=name, title="What the teachers answered") for name in artifacts])
    for artifact in artifacts.values():
        artifact.save(store.folder(run))
    metrics = dict.fromkeys(ACCURACIES, 0.7)
    metrics |= {"lower_bound": 0.3, "ensemble_accuracy": 0.8} if ENSEMBLE in artifacts else {}
    end(store, run, worker, spec.config().plan(KARATE).statement, metrics)
    return run
