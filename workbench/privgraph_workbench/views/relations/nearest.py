"""Type a text, and ask which texts are nearest to it under each encoder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.nn.text.naming import EncoderError, describe_encoder
from privgraph.options import Option, OptionError, Parameter, UnknownName
from privgraph.runs import worked
from privgraph.runs.asking import Ticket
from privgraph.runs.questions import LONGEST, MOST_NEIGHBOURS, Answer, Asked, AskingError, Question
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import describing
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import asking, queue
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.views.relations import answered
from privgraph_workbench.views.relations.cards import here
from privgraph_workbench.views.relations.names import role
from privgraph_workbench.views.relations.runs import Pair, encoder_here, other_texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import roughly

POLL_SECONDS = 0.5
PATIENCE = 1.5
"""Seconds that a drawing waits for an answer: those of a process that is warm come sooner."""
TEXT, TICKET, KEPT = "relations.text", "relations.ticket", "relations.kept"
"""In the session: what the field holds, what was asked, and the text that one finds again on coming back."""
OPENED = "relations.opened"
"""In the session: the example that the page opened on, which nobody has asked."""
ASKED = "relations.asked"
"""In the session: when it was asked, by a clock that only goes on."""
SINCE = "relations.since"
"""In the session: when texts were first seen to be read, by a clock that only goes on, and the share then."""
LEAST = 0.3
"""With less of a question seen to be done, nothing is said of the time that is left."""
FIRST = (
    " The first question takes about a minute on two idle cores, several on busy ones: encoders read all texts. The "
    "next is answered at once."
)
ADDRESS = "text"
"""In the address: a text of the data that is asked about."""
LETTERS = 90
"""Of a text on a button."""
EXAMPLES = 3
"""Texts of the data that are offered, each on a button."""
NEIGHBOURS = Parameter(
    "neighbours",
    int,
    answered.NEAREST,
    Option("how many of the nearest texts are shown under each encoder", low=1, high=MOST_NEIGHBOURS, label="How many"),
)


def show(pair: Pair, form: DeltaGenerator, places: Sequence[DeltaGenerator]) -> None:
    """The question in its `form`, what is searched in two `places` beside the runs, and the answer here."""
    try:
        describe_encoder(str(pair.first.spec.options["encoder"]))
    except EncoderError as error:
        form.info(f"No text can be read here: {markup.literal(error)}.", icon=":material/extension_off:")
        return
    domain, neighbours = _searched(pair, places)
    kept = worked.texts(question(pair, "-", domain, neighbours))
    with form:
        text = _asked_text(domain, kept)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=styles.WHOLE):
            if text.strip():  # answers are wanted now
                with st.popover("Examples", icon=":material/list:", type="tertiary"):
                    _examples(pair, domain, kept)
            else:
                _examples(pair, domain, kept)
            other_texts()
    _without_encoder(pair)
    if len(text) > LONGEST:
        st.warning(f"This text has {len(text):,} characters, and at most {LONGEST:,} are compared: shorten it.")
        return
    if not text.strip():
        _address("")
        st.caption(
            "Of a text on a button, true partners are marked; a text of your own is answered too, with a caution "
            f"where it is worded unlike those of {markup.literal(domain)}.{_first_takes()} {answered.related(pair)}"
        )
        return
    try:
        asked = question(pair, text, domain, neighbours)
    except AskingError as error:
        st.error(markup.sentence(error))
        return
    answer = worked.find(asked)
    if answer is None:
        answer = _answer(asked, pair)
    else:
        st.caption(f":material/inventory_2: **Kept answer**: it came with the program.{_first_takes()}")
    if answer is not None:
        _address(answer.text if dataset(pair.first.spec.dataset).kind != "upload" else "")
        answered.show(pair, titles(pair), text, domain, neighbours, answer, TEXT)


def _answer(asked: Question, pair: Pair) -> Answer | None:
    """What the encoders say; None where they are still at it, or have failed."""
    ticket = _ask(asked)
    if not ticket.wait(PATIENCE):
        shell.fragment(_await, run_every=POLL_SECONDS)(ticket, titles(pair))
        return None
    try:
        return ticket.answer()
    except AskingError as error:
        st.error(markup.sentence(error))
        st.button("Ask again", key="ask_again", icon=":material/refresh:", on_click=_forget)
        return None


def _first_takes() -> str:
    """What the first question takes; "" while the process that answers is there, with encoders in memory."""
    return FIRST if asking.asker().pid is None else ""


def _without_encoder(pair: Pair) -> None:
    """Which of the chosen runs cannot be asked, and the way to ones that can."""
    missing = [one for one in pair.records if one not in pair.here]
    if not missing:
        return
    whose = "both runs" if len(missing) > 1 else role(missing[0])
    answers = "the other one and the base encoder answer" if pair.here else "the base encoder answers alone"
    with st.container(border=True):
        st.markdown(
            f":material/photo_library: The examples have the numbers of {whose}, and no encoder: until one is trained "
            f"here, {answers}."
        )
        with st.container(horizontal=True):
            for one in reversed(missing):  # as the selectors stand
                here(one)


def _address(text: str) -> None:
    """A text that everybody can read in the data stands in the address, so that the question can be handed
    on; what somebody has typed, or brought along, does not."""
    if text:
        st.query_params[ADDRESS] = text
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


def titles(pair: Pair) -> dict[str, str]:
    """The encoders that are asked, in order, by what people call them."""
    found = {"base": f"Base encoder, {pair.first.spec.options['encoder']}"}
    for key, record in (("bare", pair.bare), ("private", pair.private)):
        if record is not None and encoder_here(record):
            found[key] = pair.title(record)
    return found


def question(pair: Pair, text: str, domain: str, neighbours: int) -> Question:
    """What is asked of the encoders of a pair. Raises `AskingError`."""
    first = pair.first
    asked = [_asked("base", first, adapter=False)]
    asked += [
        _asked(key, record, adapter=True)
        for key, record in (("bare", pair.bare), ("private", pair.private))
        if record is not None and encoder_here(record)
    ]
    return Question(
        text=text,
        data=first.spec.dataset,
        data_options=tuple(sorted(first.spec.data_options.items())),
        domain=domain,
        neighbours=neighbours,
        encoders=tuple(asked),
    )


def _asked(name: str, record: RunRecord, *, adapter: bool) -> Asked:
    options = record.spec.options
    return Asked(
        name=name,
        encoder=str(options["encoder"]),
        max_tokens=int(options["max_tokens"]),
        similarity=str(options["similarity"]),
        folder=str(queue.store().folder(record.id)) if adapter else "",
        made=(record.finished or 0.0) if adapter else 0.0,
    )


def _asked_text(domain: str, kept: Sequence[str]) -> str:
    """What is asked: as it was typed; else as the address says, or as it was when one was here before; else
    the first example whose answer is `kept`, which nobody waits for."""
    held = st.session_state
    if TEXT not in held and (before := st.query_params.get(ADDRESS) or held.get(KEPT)):
        held[TEXT] = before
    elif TEXT not in held and KEPT not in held and kept:
        held[TEXT] = held[OPENED] = kept[0]
    elif held.get(OPENED) and held.get(OPENED) == held.get(TEXT) and held[OPENED] not in kept:
        held[TEXT] = held[OPENED] = ""  # nobody has asked it, and these encoders would take minutes
    with (
        st.form("question", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        text = st.session_state[KEPT] = st.text_input(
            f"Your text, compared with those of {markup.literal(domain)}",
            key=TEXT,
            placeholder="red wooden bench for two",
            help=f"Any text, up to {LONGEST:,} characters. It stays on this computer. A text of the public data stands "
            "in this page's address, and so in the browser's history and in a copied link. Your own does not",
        )
        st.form_submit_button("Ask", key="ask", type="primary", icon=":material/search:", width="content")
    return str(text)


def _searched(pair: Pair, places: Sequence[DeltaGenerator]) -> tuple[str, int]:
    """The domain to search, and how many texts."""
    asked = st.query_params.get("domain")
    if asked is not None and asked not in pair.domains:
        st.warning(
            f"In this page's address, there is no domain {markup.literal(asked[:80])}; domains are "
            f"{markup.literal(', '.join(pair.domains))}."
        )
    for complaint in widgets.complaints([NEIGHBOURS], typed=False):
        st.warning(complaint)
    with places[0]:
        domain = choosing.one(
            "Search among",
            {name: _domain_title(pair, name) for name in _first(pair.predicted, pair.domains)},
            "domain",
            help="The texts that yours is compared with. These runs have read the relations of "
            f"{markup.literal(pair.learnt)}; in other domains, they predict what they have never seen",
        )
    with places[1]:
        neighbours = st.number_input(
            "How many",
            1,
            MOST_NEIGHBOURS,
            answered.NEAREST,
            key=NEIGHBOURS.name,
            bind="query-params",
            help="How many of the nearest texts are shown under each encoder",
        )
    return domain, int(neighbours)


def _first(name: str, names: tuple[str, ...]) -> list[str]:
    return sorted(names, key=lambda one: one != name)


def _domain_title(pair: Pair, name: str) -> str:
    if name == pair.learnt:
        return f"{name} (learnt)"
    return f"{name} (predicted)" if name == pair.predicted else name


def _examples(pair: Pair, domain: str, kept: Sequence[str]) -> None:
    """Texts of the domain that is searched as buttons: those whose answers are `kept`, else the first ones,
    once another process has read them."""
    if kept:
        _buttons(kept)
        return
    spec = pair.first.spec
    try:
        described = describing.describe(spec.dataset, spec.data_options)
    except (DataError, OptionError, UnknownName) as error:
        st.caption(markup.sentence(error))
        return
    if described is None:
        shell.fragment(_await_examples, run_every=1.0)(spec.dataset, spec.data_options)
        return
    samples = [sample for one in described.domains if one.name == domain for sample in one.samples]
    _buttons(list(dict.fromkeys(one for one, _ in samples))[:EXAMPLES])


def _buttons(texts: Sequence[str]) -> None:
    for place, text in enumerate(texts):
        short = text if len(text) <= LETTERS else f"{text[:LETTERS]}…"
        st.button(
            markup.literal(short),
            key=f"example.{place}",
            on_click=st.session_state.update,
            args=({TEXT: text, OPENED: ""},),
            help=None if text == short else markup.literal(text),
        )


def _await_examples(data: str, options: Mapping[str, bool | int | float | str]) -> None:
    st.caption("Examples are being read from the data.")
    try:
        if describing.describe(data, options) is None:
            return
    except (DataError, OptionError, UnknownName):
        pass  # the page says why
    st.rerun()


def _ask(asked: Question) -> Ticket:
    """The ticket of the question: that of before, until something else is asked."""
    held = st.session_state.get(TICKET)
    if not isinstance(held, Ticket) or held.question != asked:
        held = st.session_state[TICKET] = asking.asker().ask(asked)
        st.session_state[ASKED] = time.monotonic()
        st.session_state.pop(SINCE, None)
    return held


def _forget() -> None:
    st.session_state.pop(TICKET, None)


def _await(ticket: Ticket, names: Mapping[str, str]) -> None:
    """How far it is; the page is drawn again when it is done."""
    if ticket.wait(0):
        st.rerun()
    stage = ticket.stage
    for place, (key, title) in enumerate(names.items(), 1):  # the process calls encoders by their keys
        if stage.endswith(f"the encoder {key}"):
            stage = f"{stage.removesuffix(f'the encoder {key}')}{title} ({place} of {len(names)})"
    share = min(1.0, ticket.share)
    # encoders are loaded before any text is read: nothing is done then, and yet it goes on
    far = f"{share:.0%}{_left(share)}" if share else f"{time.monotonic() - st.session_state[ASKED]:.0f} s so far"
    st.progress(share, text=markup.literal(f"{stage[:1].upper()}{stage[1:]} · {far}"))
    st.button("Cancel", key="cancel_question", icon=":material/stop:", on_click=_cancel, args=(ticket,))
    st.caption(FIRST.strip())


def _left(share: float) -> str:
    """How long it will take, by the share that was seen to be done; "" before that is enough."""
    now = time.monotonic()
    since, before = st.session_state.setdefault(SINCE, (now, share))
    if share - before < LEAST:
        return ""
    return f" · about {roughly((now - since) * (1 - share) / (share - before))} left"


def _cancel(ticket: Ticket) -> None:
    asking.asker().cancel(ticket)
    _forget()
    st.session_state[TEXT] = st.session_state[KEPT] = ""
