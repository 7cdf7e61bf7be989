"""Runs on relations between texts as a store has them, and an answer about nearest texts."""

from collections.abc import Mapping

from tests.figures.made_runs import begin, end

from privgraph.runs.questions import Answer, Entity, Near
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS

NAMES = {"base": "base encoder", "bare": "not private", "private": "edge-level ε 4"}
BASE = {"base_accuracy": 0.02, "base_mrr": 0.08, "guessing_accuracy": 1 / 256}


def made_run(
    store: RunStore,
    *,
    unit: str = "edge",
    seed: int = 0,
    metrics: Mapping[str, float] | None = None,
    method: str = "relational",
    data: str = "products",
    **options: object,
) -> RunRecord:
    """A run of the tiny encoder, with the statement that its plan predicts."""
    chosen: dict[str, object] = {"encoder": "tiny", "unit": unit, "steps": 4} | options
    spec = make_spec(method, data, chosen, seed=seed)
    run = store.submit(spec)
    reached = {"test_accuracy": 0.06, "test_mrr": 0.15, "test_relations": 1024.0} | BASE | dict(metrics or {})
    end(store, run, begin(store, run), spec.config().plan(TEXT_FACTS).statement, reached)
    return store.get(run)


def made_pair(store: RunStore) -> list[RunRecord]:
    """A run without privacy, and a private one."""
    bare = made_run(store, unit="none", metrics={"test_accuracy": 0.14, "test_mrr": 0.3})
    return [bare, made_run(store)]


def made_answer(partners: bool = True) -> Answer:
    """Six texts: the private encoder brings the last one to the front."""
    places = {"base": (1, 2, 3, 4, 5, 900), "bare": (3, 2, 40, 5, 4, 1), "private": (2, 3, 7, 5, 4, 1)}
    texts = ("rustic red bench of oak", "oak swing", "a garden lamp", "nordic lamp", "tin rake", "rustic walnut bench")
    return Answer(
        entities=tuple(
            Entity(
                number=1000 + row,
                text=text,
                partner=partners and row in (2, 5),
                places={name: places[name][row] for name in NAMES},
                scores={name: 1 - places[name][row] / 1000 for name in NAMES},
            )
            for row, text in enumerate(texts)
        ),
        searched=999 if partners else 1000,
        texts=1000,
        text="rustic bench" if partners else "",
        partners=2 * partners,
        near={name: Near(score=0.8, usual=0.7, chance=0.3, nearer=0.1) for name in NAMES},
    )
