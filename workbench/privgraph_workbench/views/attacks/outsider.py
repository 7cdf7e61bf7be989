"""Outsiders: ask a finished model about nodes, tell who it was trained on, lay attacks over each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.attacks.drawing import TOGETHER
from privgraph.attacks.options import Attacked
from privgraph.options import OptionError, UnknownName
from privgraph.registry import ATTACKS, sides
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.records import RunQuery, RunRecord, StoreError, Unreadable
from privgraph_workbench.facts.attackable import attackable
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import (
    at_hand,
    comparing,
    new_attack,
    overview,
    ranking,
    shown,
    standings,
)
from privgraph_workbench.views.parts import choosing, layout, states, under_way
from privgraph_workbench.words import markup, naming, verdicts

MOST_RUNS = 200
POLL_SECONDS = 1.0
TITLES = {name: one.title for name, one in ATTACKS.items()}
DISMISSED = "attack_dismissed"
"""The failed attack whose message was put away."""
BEGUN = "attack_begun"
"""The attacks under way that it was said of."""
LOST = "Nothing that it has found is kept."
"""What a stop costs where no models are kept."""
EVERY = "every_run"
"""Whether runs are offered that nobody has attacked, where others were."""
WORDS = """
Somebody outside asks a trained model about people whom they know. Can they tell **who was trained on**
(membership inference), **who is connected to whom** (link inference), or **which relations were learnt from**?

- **Models**: some are trained as this run was, on nodes that we choose, and **attacked** in its place;
  **shadow models** show what a model says of people whom it never saw.
- **Nodes trained on, nodes not trained on**: what papers call members and non-members.
- **False alarms**: the share of nodes not trained on that the attack wrongly names (false positive rate,
  FPR). **Found**: the share of nodes trained on that it rightly names (true positive rate, TPR). Where it
  asks for edges, read *edges* and *pairs without an edge*.
- **Area under the curve**: shown one node trained on and one not, how often the attack picks the right one.
  A coin: 50%. What it finds beyond that, the model has given away; of edges, what it finds beyond *similarity*,
  for people who are alike are often connected.

The words of a verdict:

""" + "\n".join(f"- {rule}" for rule in verdicts.RULES)


def body(place: DeltaGenerator, lead: DeltaGenerator) -> None:
    """Who keeps it, at the `lead` of the page. Choose a run at the `place`; read what attacks on it have
    found; start another one and watch it."""
    with place:
        record = _choose_run()
    if record is None:
        return
    try:
        subject = attacking.subject(record)
        attacks = queue.store().attacks(record.id)
    except (StoreError, OptionError, UnknownName, Unreadable) as error:
        st.error(markup.sentence(error))
        return
    going = tuple(one.token for one in attacking.states(queue.store(), record.id) if not one.done)

    def watch() -> None:
        shell.fragment(_watch, run_every=POLL_SECONDS)(record.id, going)

    progress = watch if going else None  # stands in place of all that starts an attack: one at a time
    chosen = shown.choose(record, attacks) if attacks else None
    if not going:
        _ended(record.id, subject)
    elif st.session_state.get(BEGUN) != going:
        st.session_state[BEGUN] = going
        st.toast("An attack is under way: its progress stands above the curve.", icon="🕵️")
    form, asked = f"new-attack.{record.id}", new_attack.asked_for()

    def about() -> None:
        _about(record)
        overview.show(record.id, chosen, lead)

    if not attacks:
        layout.fold_when_done(form, asked=asked, done=0)
        if going:
            st.info("The first attack on this run is under way; what it finds will stand here.", icon="🕵️")
        else:
            st.info("Nobody has attacked this run yet. Start an attack; what it finds will stand here.", icon="🕵️")
        about()
        new_attack.show(record, subject, progress)
    else:
        shown.show(record, subject, attacks, progress, about)
        if progress is not None:  # where the form was that started it
            st.info("An attack on this run is under way: its progress stands above the curve.", icon="🕵️")
        else:  # an address that asks for an attack finds its form open
            with layout.form("A new attack on this run", form, icon="🕵️", asked=asked, done=len(attacks)):
                new_attack.show(record, subject, progress)


def _choose_run() -> RunRecord | None:
    """The run that the address names, or one that is under attack, or the newest of one's own that was
    attacked, or the private one that differs most from its method without privacy; an
    invitation where none can be attacked. Those that were attacked are offered first."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(states=("done",), limit=MOST_RUNS)
    counts = Counter({one.run: 1 for one in store.newest_attacks(MOST_RUNS)})
    named = (*counts, *([asked] if asked else ()))  # however old they are
    found = states.readable([*store.find(query), *(store.find(replace(query, ids=named)) if named else [])])
    records = {one.id: one for one in found if attackable(one)}
    asked = st.query_params.get("run")
    if asked is not None and asked not in records:
        st.warning(f"There is no finished run {markup.literal(asked[:80])} that an attack is for.")
    if not records:
        st.info("No run that can be attacked is finished here yet. Train one, and this page attacks it.", icon="🕵️")
        st.page_link(shell.page("train"), label="**Train a run**", icon=":material/model_training:")
        return None
    going = _under_way(records)
    records = {run: records[run] for run in sorted(records, key=lambda run: (run not in going, not counts[run]))}
    if asked not in records:  # the order reads all attacks, and is looked at once
        choosing.begin("run", records, next((run for run in [*going, *_clearest(records)] if run in records), ""))
    held = st.query_params.get("run")
    narrowed = {run: one for run, one in records.items() if counts[run] or run in going or run == held}
    every = len(records)
    if counts and not st.session_state.get(EVERY):
        records = narrowed
    asks = _asked(held)
    records = dict(sorted(records.items(), key=lambda one: asks not in _questions(one[0])))  # stable: else as before
    attacked = " · attacked" * (len(records) > len(narrowed))  # where all are, it tells none apart
    marks = {run: " · under attack" if run in going else attacked * counts[run] for run in records}
    titles = {run: f"{title}{marks[run]}" for run, title in choosing.runs(records.values(), short=True).items()}
    chosen = choosing.one(
        "Run",
        titles,
        "run",
        moved=_forget,
        help="Finished runs whose model an attack can ask, those that were attacked first, then the newest",
    )
    st.query_params["run"] = chosen
    for run, one in going.items():
        if run != chosen:
            st.page_link(
                shell.page("attacks"),
                label=f"An attack is under way on {naming.name(records[run])} ({one.progress:.0%})",
                icon=":material/hourglass_top:",
                query_params={"run": run},
            )
    if counts and len(narrowed) < every:
        st.toggle("Offer runs not attacked yet", key=EVERY)
    return records[chosen]


def _questions(run: str | None) -> list[str]:
    """What attacks on the run ask, the first of `ATTACKS` first."""
    attacks = [] if run is None else queue.store().attacks(run)
    return [asks for asks in dict.fromkeys(sides(name).asks for name in ATTACKS)
            if any(sides(one.attack).asks == asks for one in attacks)]  # fmt: skip


def _asked(run: str | None) -> str:
    """The question that is open: the one that was chosen, where the run was asked it, else what it was
    asked."""
    asked = _questions(run)
    chosen = str(st.session_state.get(overview.QUESTION, ""))
    return chosen if chosen in asked else next(iter(asked), chosen)


def _about(record: RunRecord) -> None:
    """The state of the run, the way to it, and how the page works."""
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
        with st.popover("How it works", icon=":material/help:", type="tertiary"):
            st.markdown(WORDS)


def _clearest(records: Mapping[str, RunRecord]) -> list[str]:
    """Runs in the order in which a page without an address opens on them: one's own attacked ones, the newest
    first; what the page's answer to its first question begins with; then all others."""
    store = queue.store()
    own = [one.run for one in store.newest_attacks(MOST_RUNS) if one.run in records and not records[one.run].example]
    asked = ranking.by_question([one for one in store.all_attacks() if one.run in records])
    rows = next((asked[asks] for asks in (sides(name).asks for name in ATTACKS) if asks in asked), [])
    return [*own, *([standings.first(rows).run.id] if rows else []), *records]


def _under_way(records: Mapping[str, RunRecord]) -> dict[str, Attacking]:
    """The attack that is under way on each run that has one, the newest."""
    store = queue.store()
    folders = [run for run in records if (store.folder(run) / "attacks").is_dir()]
    return {run: one for run in folders for one in attacking.states(store, run) if not one.done}


def _forget() -> None:
    """What the address says of attacks was said of the run before."""
    for gone in ("found", comparing.KEY, "attack"):
        choosing.forget(gone)


# Under way


def _watch(run: str, were_going: tuple[str, ...]) -> None:
    """The attacks that are under way, each with its button to stop it; the whole page is drawn anew when one
    ends."""
    going = [one for one in attacking.states(queue.store(), run) if not one.done]
    if {one.token for one in going} != set(were_going):
        st.rerun()
    for one in going:
        stop = partial(attacking.stop, queue.store(), run, one.token)
        lost = "" if _kept_on_stop(queue.store().get(run), one) else LOST
        under_way.show(one, TITLES, "attack", stop, lost=lost)
    st.caption("The attack is a process of its own: it goes on when this page is closed, and is found here again.")


def _ended(run: str, subject: Attacked) -> None:
    """That the last attack came to nothing."""
    attacks = attacking.states(queue.store(), run)
    last = attacks[-1] if attacks else None
    if last is not None and last.error:
        if st.session_state.get(DISMISSED) != last.token:
            _failed(run, last)
    elif last is not None and last.stopped:
        took_turn = last.name in ATTACKS and ATTACKS[last.name].implies(subject)
        turn = queue.store().next_turn(run) if took_turn else None
        st.info(under_way.stopped(last, "attack", turn, _kept(queue.store().get(run), last)), icon=":material/stop:")


def _kept_on_stop(record: RunRecord, one: Attacking) -> bool:
    """Whether models of an attack that is stopped are kept for the same one."""
    return one.name in ATTACKS and new_attack.draws(record, ATTACKS[one.name])


def _kept(record: RunRecord, last: Attacking) -> int:
    """How many models of an attack that was stopped are kept for the same one: those of whole stacks."""
    if not _kept_on_stop(record, last):
        return 0
    models = last.options.targets + last.options.shadows
    return int(last.progress * models) // TOGETHER * TOGETHER


def _failed(run: str, last: Attacking) -> None:
    """That it came to nothing and what can be done, with its own words folded away."""
    record = queue.store().get(run)
    why = at_hand.away(record)
    title = TITLES.get(last.name, last.name)
    st.error(f"**The last attack failed** ({markup.literal(title)}). {markup.literal(why)}".strip(), icon="⚠️")
    with st.container(horizontal=True, vertical_alignment="center"):
        if not why and st.button("Try again", key="try_again", icon=":material/replay:"):
            try:
                attacking.start(queue.store(), run, last.name, last.options)
            except (StoreError, OptionError, OSError) as error:
                st.error(markup.sentence(error))
            else:
                st.rerun()
        if why:
            st.page_link(
                shell.page("data"), label=f"Get {naming.data_title(record.spec.dataset)} on the Data page",
                icon=":material/download:", query_params={"data": record.spec.dataset},
            )  # fmt: skip
        st.button(
            "Dismiss", key="dismiss", type="tertiary", icon=":material/close:",
            on_click=st.session_state.update, args=({DISMISSED: last.token},),
        )  # fmt: skip
    with st.expander("Details"):
        st.caption(markup.sentence(last.error))
