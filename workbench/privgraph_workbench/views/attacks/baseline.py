"""What an attack on edges finds of a model that never read one, on the same graph: what likeness alone
tells."""

from __future__ import annotations

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.runs import attacking
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import make_spec
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks.verdict import caution
from privgraph_workbench.views.parts import states
from privgraph_workbench.words import markup, naming

METHOD = "mlp"
MOST = 200


def perceptrons(record: RunRecord) -> list[RunRecord]:
    """Perceptrons on the same graph with the same kind of split, finished or not; those of the same seed
    come first, then the newest."""
    asked = record.spec
    found = states.readable(queue.store().find(RunQuery(methods=(METHOD,), limit=MOST)))
    same = [
        one
        for one in found
        if (one.spec.dataset, one.spec.data_options, one.spec.split) == (asked.dataset, asked.data_options, asked.split)
    ]
    return sorted(same, key=lambda one: one.spec.seed != asked.seed)


def beside(record: RunRecord, attack: AttackRecord) -> AttackRecord | None:
    """The newest attack of the same kind, with the same distance and the same pairs, on a perceptron that was
    trained on the same graph; the attack itself where its run is one. None for attacks that ask something
    else."""
    if not caution(attack):
        return None
    if record.spec.method == METHOD:
        return attack
    asked = attack.options
    for run in perceptrons(record):
        same = [
            one
            for one in (queue.store().attacks(run.id) if run.state == "done" else ())
            if one.attack == attack.attack
            and (one.options.by, one.options.distance, one.options.unlinked)
            == (asked.by, asked.distance, asked.unlinked)
        ]
        if same:
            return same[-1]
    return None


def offer(record: RunRecord, attack: AttackRecord) -> None:
    """Two clicks to such a model, where an attack on edges has none beside it: train it, and attack it in the
    same way; both on the graph, split and seed of this run."""
    if not caution(attack) or beside(record, attack) is not None:
        return
    runs = perceptrons(record)
    done = next((one for one in runs if one.state == "done"), None)
    waiting = next((one for one in runs if one.pending), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("How much is likeness alone? The same attack on a perceptron, which reads no edge, says so.")
        try:
            if done is not None:
                _attack(done, attack)
            elif waiting is not None:
                st.caption(f"A perceptron is in training: {naming.name(waiting)}.")
                st.button("Look again", key="perceptron.look", icon=":material/refresh:")
            elif st.button("Train the perceptron", key="perceptron.train", icon=":material/model_training:"):
                _train(record)
                st.rerun()
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))


def _train(record: RunRecord) -> None:
    asked = record.spec
    queue.submit(
        [
            make_spec(
                METHOD,
                asked.dataset,
                {"unit": "none"},
                data_options=dict(asked.data_options),
                split=asked.split,
                seed=asked.seed,
                device=asked.device,
            )
        ]
    )


def _attack(run: RunRecord, attack: AttackRecord) -> None:
    going = [one for one in attacking.states(queue.store(), run.id) if not one.done]
    if going:
        st.caption(f"It is under attack: {going[0].progress:.0%}.")
        st.button("Look again", key="perceptron.look", icon=":material/refresh:")
    elif st.button("Attack the perceptron in the same way", key="perceptron.attack", icon=":material/play_arrow:"):
        attacking.start(queue.store(), run.id, attack.attack, attack.options)
        st.rerun()
