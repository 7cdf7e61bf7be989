"""What an attack on edges finds of a model that never read one, on the same graph: what similarity alone
tells."""

from __future__ import annotations

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.registry import ATTACKS
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.spec import make_spec
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.facts import without_edges
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import at_hand
from privgraph_workbench.views.parts import under_way
from privgraph_workbench.words import markup, verdicts

POLL_SECONDS = 1.0
WANTED = "perceptron.wanted"
"""The run beside which somebody has asked for a perceptron: it is attacked once it is trained."""


def offer(record: RunRecord, attack: AttackRecord) -> None:
    """A click to such a model, where an attack on edges has none beside it: it is trained on the graph, split
    and seed of this run, and attacked in the same way as soon as it is there."""
    if not verdicts.caution(attack) or without_edges.beside(queue.store(), record, attack) is not None:
        st.session_state.pop(WANTED, None)
        return
    wanted = st.session_state.get(WANTED) == record.id
    shell.fragment(_offer, run_every=POLL_SECONDS if wanted or _busy(record) else None)(record, attack)


def _busy(record: RunRecord) -> bool:
    return any(
        one.pending or any(not going.done for going in attacking.states(queue.store(), one.id))
        for one in without_edges.perceptrons(queue.store(), record)
    )


def _offer(record: RunRecord, attack: AttackRecord) -> None:
    queue.tick()
    if without_edges.beside(queue.store(), record, attack) is not None:
        st.rerun()  # the verdict above reads it
    runs = without_edges.perceptrons(queue.store(), record)
    done = next((one for one in runs if one.state == "done"), None)
    waiting = next((one for one in runs if one.pending), None)
    going = [] if done is None else [one for one in attacking.states(queue.store(), done.id) if not one.done]
    try:
        if going and done is not None:
            _under_attack(done, going[0])
        elif done is None and waiting is not None:
            share = min(1.0, max(0.0, waiting.progress))
            st.progress(share, text=f"A perceptron is in training · {share:.0%}")
            st.page_link(
                shell.page("train"), label="Watch or stop it", icon=":material/open_in_new:",
                query_params={"run": waiting.id},
            )  # fmt: skip
        elif done is not None and st.session_state.get(WANTED) == record.id:
            _attack(done, attack)
        else:
            _ask(record, attack, done)
    except (StoreError, OptionError, OSError) as error:
        st.session_state.pop(WANTED, None)
        st.error(markup.sentence(error))


def _under_attack(run: RunRecord, one: Attacking) -> None:
    """How far it is, how long it will take, and the button that stops it; what was stopped is not begun again
    by itself."""

    def stop() -> None:
        st.session_state.pop(WANTED, None)
        attacking.stop(queue.store(), run.id, one.token)

    titles = {name: spec.title for name, spec in ATTACKS.items()}
    under_way.show(one, titles, "attack", stop, "On the perceptron: ")


def _ask(record: RunRecord, attack: AttackRecord, done: RunRecord | None) -> None:
    label = "Train and attack a perceptron" if done is None else "Attack the perceptron in the same way"
    with st.container(horizontal=True, vertical_alignment="center"):
        why_not = at_hand.away(record)
        st.caption(
            "A perceptron reads no edge: the same attack on one says how much is similarity. "
            f"{markup.literal(why_not)}".strip()
        )
        if st.button(label, key="perceptron", icon=":material/play_arrow:", disabled=bool(why_not)):
            st.session_state[WANTED] = record.id
            if done is None:
                _train(record)
            else:
                _attack(done, attack)
            st.rerun()


def _train(record: RunRecord) -> None:
    asked = record.spec
    (run,) = queue.submit(
        [
            make_spec(
                BLIND,
                asked.dataset,
                {"unit": "none"},
                data_options=dict(asked.data_options),
                split=asked.split,
                seed=asked.seed,
                device=asked.device,
            )
        ]
    )
    if not queue.store().get(run).pending:  # it was stopped or failed before
        queue.retry(run)


def _attack(run: RunRecord, attack: AttackRecord) -> None:
    """Start it; where it fails, nobody starts it again by itself."""
    st.session_state.pop(WANTED, None)
    attacking.start(queue.store(), run.id, attack.attack, attack.options)
    st.rerun()
