"""Questions to the encoders of finished runs: what is asked, how far it is, and what is answered."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.home import home
from privgraph.nn.text.naming import EncoderError, describe_encoder
from privgraph.options import UnknownName
from privgraph.runs import worked
from privgraph.runs.asking import Asker, Ticket
from privgraph.runs.questions import Answer, Asked, AskingError, Question
from privgraph.runs.records import EXAMPLE, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import layout
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup

PATIENCE = 1.5
"""Seconds that a drawing waits for an answer: those of a process that is warm come sooner."""
TEXT, LAST, TICKET = "relations.text", "relations.last", "relations.ticket"
"""In the session: what the field holds, the text that somebody finds again on coming back, what was asked."""
MOST_EXAMPLES = 3
LETTERS = 60
"""Of a text on a button."""
words = texts("relations")


@lru_cache(maxsize=8)
def _asker(_home: str) -> Asker:
    """The process that reads texts for all tabs of the app: one for each home."""
    return Asker()


@lru_cache(maxsize=512)
def is_here(run: str) -> bool:
    """Whether a finished run's encoder is at hand: most examples come without theirs."""
    return not run.startswith(EXAMPLE) or any(queue.of(run).folder(run).glob("*.safetensors"))


def refusal(spec: RunSpec) -> str:
    """Why the encoder of such a run cannot read a text here; "" where it can."""
    try:
        describe_encoder(str(spec.options["encoder"]))
    except EncoderError as error:
        return fill(words["missing"], error=markup.literal(error))
    return ""


def domains_of(spec: RunSpec) -> tuple[str, ...]:
    """The domains of a run's data: first that in which it was judged, then all; none where these are gone."""
    try:
        known = dataset(spec.dataset).domains
    except (DataError, UnknownName):
        return ()
    others = [one for one in known if one != (spec.options.get("trained_on") or known[0])]
    return tuple(dict.fromkeys((str(spec.options.get("tested_on") or (others or known)[0]), *known)))


def question(chosen: Mapping[str, RunRecord], text: str, domain: str, neighbours: int) -> Question:
    """What is asked of the encoder before training and of those of these runs. Raises `AskingError`."""
    first, encoders = list(chosen.values())[-1], []
    for name, one in [("base", first), *((name, one) for name, one in chosen.items() if is_here(one.id))]:
        options, folder = one.spec.options, "" if name == "base" else str(queue.of(one.id).folder(one.id))
        encoders.append(
            Asked(
                name=name,
                encoder=str(options["encoder"]),
                max_tokens=int(options["max_tokens"]),
                similarity=str(options["similarity"]),
                folder=folder,
                made=(one.finished or 0.0) if folder else 0.0,
            )
        )
    return Question(
        text=text,
        data=first.spec.dataset,
        data_options=tuple(sorted(first.spec.data_options.items())),
        domain=domain,
        neighbours=neighbours,
        encoders=tuple(encoders),
    )


def answer(asked: Question) -> Answer | None:
    """The answer that came with the program, or that of the process; None while that is at it."""
    if (kept := worked.find(asked)) is not None:
        return kept
    held = st.session_state.get(TICKET)
    if not isinstance(held, Ticket) or held.question != asked:
        held = st.session_state[TICKET] = _asker(str(home())).ask(asked)
    if not held.wait(PATIENCE):
        shell.fragment(_progress, run_every=0.5)(held)
        return None
    try:
        return held.answer()
    except AskingError as error:
        st.error(markup.sentence(error))
        again: dict[str, Any] = {"on_click": st.session_state.pop, "args": (TICKET, None)}
        st.button("Ask again", key="ask_again", icon=":material/refresh:", **again)
        return None


def _progress(ticket: Ticket) -> None:
    if ticket.wait(0):
        st.rerun()
    st.progress(min(1.0, ticket.share), text=markup.literal(ticket.stage))
    st.button("Cancel", key="cancel_question", icon=":material/stop:", on_click=_cancel, args=(ticket,))
    st.caption(words["first"])


def _cancel(ticket: Ticket) -> None:
    _asker(str(home())).cancel(ticket)
    st.session_state.pop(TICKET, None)
    st.session_state[TEXT] = st.session_state[LAST] = ""


def examples(spec: RunSpec, domain: str, kept: Sequence[str]) -> None:
    """Texts of the domain as buttons: those whose answers are `kept`, else the first ones of the data."""
    found = list(kept)
    if not kept:
        told = layout.awaited(datasets.describe, spec.dataset, spec.data_options)
        own = [one["samples"] for one in (told.domains if told else ()) if one["name"] == domain]
        found = [text for samples in own for text, _ in samples]
    for place, text in enumerate(list(dict.fromkeys(found))[:MOST_EXAMPLES]):
        short, change = text if len(text) <= LETTERS else f"{text[:LETTERS]}…", {TEXT: text}
        st.button(markup.literal(short), key=f"example.{place}", on_click=st.session_state.update, args=(change,))
