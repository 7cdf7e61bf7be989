"""Type a text: its nearest texts under each encoder, side by side, and what moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.nn.text.naming import EncoderError, describe_encoder
from privgraph.options import Option, OptionError, Parameter, UnknownName
from privgraph.runs.asking import Ticket
from privgraph.runs.questions import LONGEST, MOST_NEIGHBOURS, Answer, Asked, AskingError, Entity, Near, Question
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.notes import composed
from privgraph_workbench.figures.relations import moved
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import asking, queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations.cards import here
from privgraph_workbench.views.relations.runs import Pair, called, encoder_here, other_texts, unseeded
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent

POLL_SECONDS = 0.5
PATIENCE = 1.5
"""Seconds that a drawing waits for an answer: those of a process that is warm come sooner."""
TEXT, TICKET, KEPT = "relations.text", "relations.ticket", "relations.kept"
"""In the session: what the field holds, what was asked, and the text that one finds again on coming back."""
ADDRESS = "text"
"""In the address: a text of the data that is asked about."""
LETTERS = 90
"""Of a text on a button."""
EXAMPLES = 2
"""Texts of the data that are offered, each on a button."""
UNLIKE = 0.95
"""The share of texts with a nearer one from which on a text is unlike them."""
NEAREST = 10
NEIGHBOURS = Parameter(
    "neighbours",
    int,
    NEAREST,
    Option("how many of the nearest texts are shown under each encoder", low=1, high=MOST_NEIGHBOURS, label="How many"),
)


def show(pair: Pair, form: DeltaGenerator, places: Sequence[DeltaGenerator]) -> None:
    """The question in its `form`, what is searched in two `places` beside the runs, and the answer here."""
    try:
        describe_encoder(str(pair.first.spec.options["encoder"]))
    except EncoderError as error:
        form.info(f"No text can be read here: {markup.literal(error)}.", icon=":material/extension_off:")
        return
    with form:
        text = _asked_text()
        examples = st.container()
    domain, neighbours = _searched(pair, places)
    with examples, st.container(horizontal=True, vertical_alignment="center", gap="small", key=shell.WHOLE):
        _examples(pair, domain)
        other_texts()
    _without_encoder(pair)
    if len(text) > LONGEST:
        st.warning(f"This text has {len(text):,} characters, and at most {LONGEST:,} are compared: shorten it.")
        return
    if not text.strip():
        _address("")
        st.caption(
            f"Type a text and ask, or take one of {markup.literal(domain)} from the buttons, whose true partners are "
            "marked. The first question loads the encoders, which takes longer. What these runs were trained with, "
            f"and training with other options, [stands below](#settings-and-training). {_related(pair)}"
        )
        return
    try:
        ticket = _ask(question(pair, text, domain, neighbours))
    except AskingError as error:
        st.error(markup.sentence(error))
        return
    if not ticket.wait(PATIENCE):
        shell.fragment(_await, run_every=POLL_SECONDS)(ticket, titles(pair))
        return
    try:
        answer = ticket.answer()
    except AskingError as error:
        st.error(markup.sentence(error))
        st.button("Ask again", key="ask_again", icon=":material/refresh:", on_click=_forget)
        return
    _address(answer.text if dataset(pair.first.spec.dataset).kind != "upload" else "")
    _found(pair, text, domain, neighbours, answer)


def _without_encoder(pair: Pair) -> None:
    """Which of the chosen runs cannot be asked, and the way to ones that can."""
    missing = [one for one in pair.records if one not in pair.here]
    if not missing:
        return
    whose = "both runs" if len(missing) > 1 else called(missing[0])
    answers = "the others answer" if pair.here else "the base encoder answers alone"
    with st.container(border=True):
        st.markdown(
            f":material/photo_library: Of {whose} the numbers came along with the gallery, and no encoder: {answers}."
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


def _related(pair: Pair) -> str:
    """What the data are, and so what their relations are."""
    try:
        return naming.about(dataset(pair.first.spec.dataset))
    except UnknownName:
        return ""


def titles(pair: Pair) -> dict[str, str]:
    """The encoders that are asked, in order, by what people call them."""
    found = {"base": f"Base encoder, {pair.first.spec.options['encoder']}"}
    for key, record in (("bare", pair.bare), ("private", pair.private)):
        if record is not None and encoder_here(record):
            found[key] = unseeded(record)
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


def _asked_text() -> str:
    """What is asked: as it was typed; else as the address says, or as it was when one was here before."""
    if TEXT not in st.session_state and (before := st.query_params.get(ADDRESS) or st.session_state.get(KEPT)):
        st.session_state[TEXT] = before
    with (
        st.form("question", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        text = st.session_state[KEPT] = st.text_input(
            "A text",
            key=TEXT,
            placeholder="rustic oak bench, handmade",
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
            NEAREST,
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


def _examples(pair: Pair, domain: str) -> None:
    """Texts of the domain that is searched as buttons, once another process has read them."""
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
    for place, text in enumerate(list(dict.fromkeys(one for one, _ in samples))[:EXAMPLES]):
        short = text if len(text) <= LETTERS else f"{text[:LETTERS]}…"
        st.button(
            markup.literal(short),
            key=f"example.{place}",
            on_click=st.session_state.update,
            args=({TEXT: text},),
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
    return held


def _forget() -> None:
    st.session_state.pop(TICKET, None)


def _await(ticket: Ticket, names: Mapping[str, str]) -> None:
    """How far it is; the page is drawn again when it is done."""
    if ticket.wait(0):
        st.rerun()
    stage = ticket.stage
    for key, title in names.items():  # the process calls encoders by their keys
        if stage.endswith(f"the encoder {key}"):
            stage = f"{stage.removesuffix(f'the encoder {key}')}{title}"
    st.progress(min(1.0, ticket.share), text=markup.literal(f"{stage[:1].upper()}{stage[1:]} …"))
    st.caption("What is encoded once is kept: the next question is answered at once.")


def _found(pair: Pair, text: str, domain: str, neighbours: int, answer: Answer) -> None:
    names = titles(pair)
    _nearness(domain, answer)
    _trained_nearness(domain, answer, names)
    lists = {
        encoder: [one for one in sorted(answer.entities, key=_placed(encoder)) if one.places[encoder] <= neighbours]
        for encoder in names
    }
    shell.fragment(_side_by_side)(names, _tabs(pair, names), lists, answer.near)
    _partners(pair, answer)
    _shared(pair, neighbours, answer)
    _stars(pair, domain, answer)
    few = f" Of its {answer.texts:,} texts, {answer.searched:,} were searched." if _thinned(answer) else ""
    st.caption(
        f"Compared with {answer.searched:,} texts of {markup.literal(domain)}.{few} A place is that among all of them; "
        "▲ and ▼ say how far a text moved from its place under the base encoder. Scores are cosines or inner products, "
        "and those of different encoders cannot be compared; usual is that of a text of these with the one that is "
        f"nearest to it. {_related(pair)}"
    )
    st.markdown("#### What moved")
    statements = statements_of(pair.here)
    rows = moved.data(
        answer, names, max(composed(pair.here).values(), default=0), learnt=domain == pair.learnt, asked=text
    )
    drawn_figure("moved", rows, statements, pair.first)
    drawn = moved.chart(rows)
    st.caption(markup.literal(" ".join([drawn.summary, *drawn.notes[1:]])))
    with st.expander("All of these texts as a table", key="fold.texts", icon=":material/table:"):
        partner = "true partner (private)" if domain == pair.learnt else "true partner (evaluator only)"
        _table(answer, names, partner)


def _placed(encoder: str) -> Callable[[Entity], int]:
    return lambda one: one.places[encoder]


def _tabs(pair: Pair, names: Mapping[str, str]) -> dict[str, str]:
    """The encoders in a word or two, for a narrow page."""
    short = {"base": "Base"} | {
        key: naming.privacy(one) for key, one in (("bare", pair.bare), ("private", pair.private)) if one is not None
    }
    return {key: short[key] for key in names}


def _side_by_side(
    names: Mapping[str, str], tabs: Mapping[str, str], lists: Mapping[str, list[Entity]], near: Mapping[str, Near]
) -> None:
    """The nearest texts under each encoder; on a phone one of the lists, and tabs to the others."""
    with st.container(key=shell.TABS):
        chosen = st.segmented_control(
            "Encoder",
            list(tabs),
            default=list(tabs)[-1],
            format_func=lambda key: tabs[key],
            required=True,
            key="encoder_shown",
            label_visibility="collapsed",
            width="stretch",
        )
    for column, (encoder, title) in zip(st.columns(len(names), gap="medium"), names.items(), strict=True):
        with column, st.container(key=f"{'shown' if encoder == chosen else shell.ASIDE}.{encoder}", gap="small"):
            st.markdown(f"##### {markup.literal(title)}")
            st.markdown("\n".join(_line(one, encoder) for one in lists[encoder]))
            if encoder in near:
                st.caption(f"nearest {near[encoder].score:.3f} · usual {near[encoder].usual:.3f}")


def _nearness(domain: str, answer: Answer) -> None:
    """How near the nearest text is beside what is usual, in a sentence: every text has one, nonsense too."""
    near, where = answer.near.get("base"), markup.literal(domain)
    if near is None:
        return
    usual = f"a text of {where} usually has {near.usual:.3f} with its nearest"
    if near.score <= near.chance:
        st.warning(
            f"**Nothing is near this text.** Its best score under the base encoder is {near.score:.3f}; {usual}, and "
            f"{near.chance:.3f} with one taken at random. So the order below says next to nothing.",
            icon=":material/wrong_location:",
        )
    elif near.nearer >= UNLIKE:
        st.info(
            f"**This text is unlike those of {where}.** Its best score under the base encoder is {near.score:.3f}; "
            f"{usual}: {percent(near.nearer)} of them have a nearer one.",
            icon=":material/wrong_location:",
        )
    elif not answer.known:
        st.caption(
            f"This text is as near as is usual: its best score under the base encoder is {near.score:.3f}; {usual}."
        )


def _trained_nearness(domain: str, answer: Answer, names: Mapping[str, str]) -> None:
    """Under which trained encoders the text is unlike those of the domain, whatever the base says."""
    told = [
        f"under {markup.literal(title)}, its best score is {near.score:.3f}, where {near.usual:.3f} is usual, and "
        f"{percent(near.nearer)} of texts have a nearer one"
        for key, title in names.items()
        if key != "base" and (near := answer.near.get(key)) and (near.nearer >= UNLIKE or near.score <= near.chance)
    ]
    if told:
        st.info(
            f"**Once trained, it is unlike those of {markup.literal(domain)}**: {'; '.join(told)}. That order "
            "says little.",
            icon=":material/wrong_location:",
        )


def _thinned(answer: Answer) -> bool:
    """Whether the domain has more texts than were searched, but for the one that was asked about."""
    return answer.searched + 1 < answer.texts


def _line(one: Entity, encoder: str) -> str:
    """A text in a numbered list: its score, and where it was under the base encoder."""
    place, before = one.places[encoder], one.places["base"]
    said = f"score {one.scores[encoder]:.3f}"
    if encoder != "base":
        moved_by = f"▲ {before - place:,}" if place < before else f"▼ {place - before:,}"
        said += " · same place" if place == before else f" · {moved_by}, from {before:,}"
    star = ":orange-badge[★ partner] " if one.partner else ""
    return f"{place}. {markup.literal(one.text) or '(a blank text)'}  \n   {star}:gray[{said}]"


def _partners(pair: Pair, answer: Answer) -> None:
    """Where the nearest true partner stands, where the text has one."""
    if not answer.partners:
        return
    best = {name: min(one.places[key] for one in answer.entities if one.partner) for key, name in titles(pair).items()}
    first = "; ".join(f"{markup.literal(name)}: place **{place:,}**" for name, place in best.items())
    chance = round((answer.searched + 1) / (answer.partners + 1))
    st.markdown(f"The nearest true partner: {first}. By chance it would stand at about place {chance:,}.")


def _shared(pair: Pair, neighbours: int, answer: Answer) -> None:
    """How many of the ten nearest texts (or of so many as are shown) the two runs share, where both were
    asked."""
    names = titles(pair)
    if not {"bare", "private"} <= set(names):
        return
    most = min(NEAREST, neighbours, answer.searched)
    near = {key: {one.number for one in answer.entities if one.places[key] <= most} for key in ("bare", "private")}
    shared = len(near["bare"] & near["private"])
    st.markdown(
        f"Of the {most} nearest texts, **{shared}** {'is' if shared == 1 else 'are'} the same under "
        f"{markup.literal(names['private'])} and {markup.literal(names['bare'])}."
    )


def _stars(pair: Pair, domain: str, answer: Answer) -> None:
    """What the stars are, and who may know."""
    if not answer.known:
        return
    if not answer.partners:
        st.caption("This text is one of the data's. It has no partner among the texts that were searched.")
        return
    learnt = domain == pair.learnt
    whose = (
        "These are relations that the runs trained on: private, and here for the person who holds the data."
        if learnt
        else "No run has read these relations: only an evaluator knows them, somebody who was given relations that "
        "were kept back, to measure by."
    )
    states.badges(private=learnt, evaluator=not learnt)
    st.caption(
        f"This text is one of the data's, and has {answer.partners:,} "
        f"{'partner' if answer.partners == 1 else 'partners'} among those that were searched: ★ marks them. {whose}"
    )


def _table(answer: Answer, names: Mapping[str, str], partner: str) -> None:
    """All of it, for reading and sorting; `partner` heads the column of true partners."""
    last = list(names)[-1]
    st.dataframe(
        [
            {
                "text": one.text,
                **{f"place, {title}": one.places[key] for key, title in names.items()},
                **{f"score, {title}": one.scores[key] for key, title in names.items()},
                **({partner: "yes" if one.partner else "no"} if answer.partners else {}),
            }
            for one in sorted(answer.entities, key=lambda one: one.places[last])
        ],
        hide_index=True,
        alt="Texts that are near under some encoder, with their places and scores under each",
        column_config={f"score, {title}": st.column_config.NumberColumn(format="%.3f") for title in names.values()},
    )
