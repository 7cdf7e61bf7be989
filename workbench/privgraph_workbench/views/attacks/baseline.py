"""What an attack on edges finds of a model that never read one, on the same graph: what likeness alone
tells."""

from __future__ import annotations

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states

METHOD = "mlp"
MOST = 200


def beside(record: RunRecord, attack: AttackRecord) -> AttackRecord | None:
    """The newest attack of the same kind, with the same distance and the same pairs, on a perceptron that was
    trained on the same graph; the attack itself where its run is one. None for attacks that ask something
    else."""
    if not sides(attack.attack).caution:
        return None
    if record.spec.method == METHOD:
        return attack
    asked, store = attack.options, queue.store()
    found = states.readable(store.find(RunQuery(methods=(METHOD,), states=("done",), limit=MOST)))
    for run in found:
        if (run.spec.dataset, run.spec.data_options) != (record.spec.dataset, record.spec.data_options):
            continue
        same = [
            one
            for one in store.attacks(run.id)
            if one.attack == attack.attack
            and (one.options.by, one.options.distance, one.options.unlinked)
            == ("distance", asked.distance, asked.unlinked)
        ]
        if same:
            return same[-1]
    return None


def offer(record: RunRecord, attack: AttackRecord) -> None:
    """The way to such a model, where an attack on edges has none beside it."""
    if not sides(attack.attack).caution or beside(record, attack) is not None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("How much is likeness alone? Attack a perceptron on this graph in the same way, and come back.")
        st.page_link(
            shell.page("train"),
            label="Train the perceptron",
            icon=":material/model_training:",
            query_params={"method": METHOD, "data": record.spec.dataset, "unit": "none"},
        )
