"""Runs that are done without a worker."""

from tests.pages.kept_runs import keep

from privgraph.data.load import load
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore


def done(store: RunStore, spec: RunSpec) -> str:
    """A run with the statement of its plan, as if it had been trained."""
    return keep(store, spec, facts=load(spec.dataset, split_seed=spec.seed, data_options=spec.data_options).facts)
