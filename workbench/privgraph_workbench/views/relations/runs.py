"""Which runs the Relations page compares, those that are under way, and the way to the first ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.nn.text.naming import EncoderError, describe_encoder
from privgraph.options import OptionError, UnknownName
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import EXAMPLE, PENDING, RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.facts import datasets, describing
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.views.relations import names
from privgraph_workbench.words import markup, naming

METHODS = ("relational", "relation-rand")
MOST_RUNS = 200
POLL_SECONDS = 1.0
SEEN = "relations.seen."
"""In the session: the runs that could be chosen when one was."""
NAMES = "relations.names"
"""In the session: what each run is called on this page, by id."""
WANTED = "relations.wanted."
"""In the session: a run that is chosen as soon as it is done, for it was trained to be."""
UNIT_KEYS = {"edge": "private", "none": "bare"}
EMBEDDED = "products"
PAIR: tuple[Mapping[str, object], ...] = ({"unit": "none"}, {"unit": "edge", "epsilon": 10.0})
"""Options of the two runs that the page offers to train: what is reached without privacy, and with it."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The runs that are compared: one of them may be missing. `learnt` and `predicted` name their domains,
    `domains` all of the data."""

    private: RunRecord | None
    bare: RunRecord | None
    domains: tuple[str, ...]

    @property
    def records(self) -> list[RunRecord]:
        return [one for one in (self.bare, self.private) if one is not None]

    @property
    def here(self) -> list[RunRecord]:
        """Those whose encoder is at hand, and can be asked."""
        return [one for one in self.records if encoder_here(one)]

    @property
    def first(self) -> RunRecord:
        """The run whose settings the base encoder is read with: the private one, where there is one."""
        return self.records[-1]

    def title(self, record: RunRecord) -> str:
        """What one of the two is called beside the other."""
        return names.title(record, next((one for one in self.records if one is not record), None))

    @property
    def learnt(self) -> str:
        return domains_of(self.first, self.domains)[0]

    @property
    def predicted(self) -> str:
        return domains_of(self.first, self.domains)[1]


def encoder_here(record: RunRecord) -> bool:
    """Whether a finished run's encoder is at hand: most examples come without theirs."""
    return not record.id.startswith(EXAMPLE) or any(queue.of(record.id).folder(record.id).glob("*.safetensors"))


def name_all() -> None:
    """Give each run one name for the whole page, by what tells it from the others on its data."""
    query = RunQuery(methods=METHODS, states=("done", *PENDING), limit=MOST_RUNS)
    held = [one for one in queue.store().find(query) if not one.unreadable]
    on: dict[str, list[RunRecord]] = {}
    for one in held:
        on.setdefault(one.spec.dataset, []).append(one)
    st.session_state[NAMES] = {run: name for own in on.values() for run, name in names.in_list(own).items()}


def plainly(record: RunRecord) -> str:
    """A run in a few words that tell it from all others."""
    known: Mapping[str, str] = st.session_state.get(NAMES, {})
    return known.get(record.id) or naming.short_names([record], graph=False)[record.id]


def unseeded(record: RunRecord) -> str:
    """The same without its seed."""
    return plainly(record).replace(f", seed {record.spec.seed}", "", 1)


def _entry(record: RunRecord) -> str:
    """A run in a selector; one that cannot be asked stands for all seeds of its setting."""
    if encoder_here(record):
        return plainly(record)
    return unseeded(record) + NUMBERS


def _offered(records: Sequence[RunRecord], key: str) -> list[RunRecord]:
    """The runs that can be asked, and one of each setting of which none can: a selector with all seeds of the
    examples would be of dead ends. What the address names is there in any case."""
    named, settings_there, kept = st.query_params.get(key), set[str](), []
    for one in records:  # what can be asked comes first
        setting = naming.setting(one)
        if encoder_here(one) or setting not in settings_there or one.id == named:
            kept.append(one)
            settings_there.add(setting)
    return kept


def called(record: RunRecord) -> str:
    """The same as Markdown."""
    return markup.literal(plainly(record))


def finished() -> list[RunRecord]:
    """Runs that learnt relations, the newest first; of those that cannot be read it is said why."""
    store, query = queue.store(), RunQuery(methods=METHODS, states=("done",), limit=MOST_RUNS)
    named = tuple(st.query_params[key] for key in ("private", "bare") if key in st.query_params)
    found = [*store.find(query), *(store.find(replace(query, ids=named)) if named else [])]
    records = states.readable(list({one.id: one for one in found}.values()))
    return records


def complain(records: Sequence[RunRecord]) -> None:
    """A sentence for each run of the address that is none of these, and not under way either."""
    for key in ("private", "bare"):
        asked = st.query_params.get(key)
        going = asked is not None and queue.store().find(RunQuery(ids=(asked,), states=PENDING))
        if asked is not None and not going and asked not in {one.id for one in records}:
            st.warning(f"There is no finished run {markup.literal(asked[:80])} that learnt relations.")


def choose(records: Sequence[RunRecord], places: Sequence[DeltaGenerator]) -> tuple[RunRecord | None, RunRecord | None]:
    """A private run, and one without privacy beside it, as the address says; else the newest that fit. The
    three places are those of the data and of the two runs."""
    # what can be asked first; then data with more runs; PvGaLM before its rival
    count = Counter(GraphId.of(one.spec) for one in records)
    ordered = sorted(
        records,
        key=lambda one: (
            (0, 0, one.spec.method != METHODS[0], 0)
            if encoder_here(one)
            else (1, -count[GraphId.of(one.spec)], one.spec.method != METHODS[0], one.spec.seed)
        ),
    )
    on = {one.spec.dataset: naming.data_title(one.spec.dataset) for one in ordered}
    known = {one.id: one for one in records}
    named = known.get(st.query_params.get("private", st.query_params.get("bare", "")))
    if named is not None and "data" not in st.query_params:
        choosing.put("data", named.spec.dataset)
    with places[0]:
        data = choosing.one(
            "Data",
            on,
            "data",
            moved=_other_data,
            help="Texts whose relations finished runs have learnt. Only invented ones ship with the program; “Other "
            "texts” above says how to come by real ones",
        )
    own = [one for one in ordered if one.spec.dataset == data]
    with places[1]:
        offered = _offered([one for one in own if one.spec.unit != "none"], "private")
        private = _one("Private run", "private", offered)
    fitting = [one for one in own if one.spec.unit == "none" and (private is None or _comparable(one, private))]
    if private is not None:  # the one that differs least comes first: what privacy costs is read between the two
        fitting.sort(key=lambda one: (not encoder_here(one), len(names.apart(private, one))))
    with places[2]:
        bare = _one("Run without privacy", "bare", _offered(fitting, "bare"))
    return private, bare


def paired(private: RunRecord | None, bare: RunRecord | None) -> Pair | None:
    """The two as a pair; None where nothing is known of the domains of their data."""
    first = private or bare
    domains = None if first is None else _domains(first)
    return None if domains is None else Pair(private=private, bare=bare, domains=domains)


def _domains(record: RunRecord) -> tuple[str, ...] | None:
    """The domains of a run's data, by the catalogue or else by the data themselves; None where it is said why
    they are not known, or not yet."""
    try:
        found = dataset(record.spec.dataset).domains
        if not found:
            described = describing.describe(record.spec.dataset, record.spec.data_options)
            if described is None:
                await_data(record, "The domains are being read from the data.")
                return None
            found = described.facts.domains
    except (DataError, OptionError, UnknownName) as error:
        st.warning(markup.sentence(error))
        return None
    if len(found) < 2:
        st.warning("These data have no two domains of texts any more: they are not those that the run learnt from.")
        return None
    return found


def await_data(record: RunRecord, told: str) -> None:
    """This sentence while another process reads the run's data, after which the page is drawn again."""
    if _being_read(record):
        shell.fragment(_await, run_every=POLL_SECONDS)(record, told)


def _await(record: RunRecord, told: str) -> None:
    st.caption(told)
    if not _being_read(record):
        st.rerun()


def _being_read(record: RunRecord) -> bool:
    try:
        return describing.describe(record.spec.dataset, record.spec.data_options) is None
    except (DataError, OptionError, UnknownName):
        return False  # the page says why


def _one(label: str, key: str, records: Sequence[RunRecord]) -> RunRecord | None:
    """One of the runs, with its sound epsilon; it stays when others are finished."""
    if not records:
        st.selectbox(label, ["none yet"], disabled=True)
        return None
    if (wanted := st.session_state.get(WANTED + key)) in {one.id for one in records}:
        choosing.put(key, wanted)
        del st.session_state[WANTED + key]
        (done,) = (one for one in records if one.id == wanted)
        st.toast(f"{called(done)} is done, and chosen now.", icon=":material/check:")
    known = st.session_state.setdefault(SEEN + key, {one.id for one in records})
    titles = naming.distinct({one.id: _entry(one) for one in records})
    chosen = choosing.one(
        label,
        titles,
        key,
        moved=_follow if key == "private" else None,
        help=HELP[key],
    )
    st.query_params[key] = chosen
    record = next(one for one in records if one.id == chosen)
    if chosen not in known:  # chosen just now, or of other data: all that stand beside it have been seen
        known.update(one.id for one in records)
    newer = [one for one in records if one.id not in known and one.id != chosen]
    if newer:
        st.button(
            f"Show the newest: {markup.literal(titles[newer[0].id])}",
            key=f"newest_{key}",
            icon=":material/fiber_new:",
            type="tertiary",
            on_click=show_run,
            args=(key, newer[0].id),
        )
    return record


def other_texts() -> None:
    """The way to other texts: those of the catalogue, and one's own."""
    with st.popover("Other texts", icon=":material/library_add:", type="tertiary"):
        st.markdown("**Your own**")
        st.markdown("Two CSV files: texts with their domains, and their relations. They stay on this machine.")
        st.page_link(
            shell.page("data"),
            label="Bring your own texts",
            icon=":material/upload_file:",
            query_params={"data": EMBEDDED, choosing.BRING: choosing.TEXTS},
        )
        st.markdown("**Real ones, and all others that are here**")
        st.markdown(
            "Only invented titles ship with the program: of the real sets two state no licence, and none can be "
            "downloaded in the form that is read. With their files on this machine, train on their relations, and ask "
            "the encoder on this page."
        )
        for spec in datasets.choices():
            if spec.task != "relation prediction":
                continue
            here = datasets.unavailable(spec) is None
            title = markup.literal(spec.title)
            st.page_link(
                shell.page("train" if here else "data"),
                label=f"Train on {title}" if here else f"{title}: not here yet, see how to get them",
                icon=":material/model_training:" if here else ":material/download:",
                query_params={"data": spec.name} | ({"method": METHODS[0]} if here else {}),
            )


def show_run(key: str, run: str) -> None:
    """Choose a run in the selector of that key."""
    choosing.put(key, run)
    if key == "private":
        _follow()


def _other_data() -> None:
    """Runs, domain and text are those of the data before: what belongs to these is chosen anew."""
    for key in ("private", "bare", "domain"):
        st.query_params.pop(key, None)


def _follow() -> None:
    """The run without privacy is chosen anew, beside another private one."""
    choosing.forget("bare")


NUMBERS = " · no encoder"
"""After an example that has numbers and no encoder."""
HELP = {
    "private": "Its encoder was fine-tuned with clipped gradients and noise (PvGaLM, the paper's method), or on "
    "randomised relations. “edge”: ε protects one relation, which is an edge between two texts. Runs that can be asked "
    "come first; one marked “no encoder” has its numbers below, and is trained here by one click",
    "bare": "The same encoder on the same data, fine-tuned without noise: what privacy costs is what lies between the "
    "two, and this one protects nobody",
}


def _comparable(one: RunRecord, other: RunRecord) -> bool:
    """Whether two runs learnt from the same texts and domains, beginning with the same encoder."""
    same = ("encoder", "trained_on", "tested_on")
    return GraphId.of(one.spec).people == GraphId.of(other.spec).people and all(
        one.spec.options.get(name) == other.spec.options.get(name) for name in same
    )


def domains_of(record: RunRecord, domains: Sequence[str]) -> tuple[str, str]:
    """The domain that a run learnt from, and that in which it was judged."""
    learnt = str(record.spec.options.get("trained_on") or domains[0])
    other = next((one for one in domains if one != learnt), learnt)
    return learnt, str(record.spec.options.get("tested_on") or other)


def invitation() -> None:
    """What will stand here, and how to come by it."""
    st.info(
        "No language model has learnt relations here yet. Train a pair, one without privacy and one with it, and "
        "this page shows what each of them finds near a text.",
        icon=":material/compare_arrows:",
    )
    try:
        describe_encoder(str(pair()[0].options["encoder"]))
    except EncoderError as error:
        st.warning(markup.sentence(error))
    else:
        st.caption(
            "The pair learns 2,000 invented purchases of kitchen things, and predicts those of garden things: some "
            "minutes on two cores. Both are ordinary runs, which stay among the others."
        )
        if st.button(
            "Train a small pair here", key="train_pair", type="primary", icon=":material/play_arrow:", width="content"
        ):
            try:
                queue.submit(pair(), tags=["relations"])
            except (StoreError, OptionError, OSError) as error:
                st.error(markup.sentence(error))
            else:
                st.rerun()
    st.page_link(
        shell.page("train"),
        label="**Choose the settings yourself**",
        icon=":material/model_training:",
        query_params={"method": METHODS[0], "data": EMBEDDED},
    )
    other_texts()


def like(asked: RunSpec, options: Mapping[str, object], *, method: str = "", seed: int | None = None) -> RunSpec:
    """A run on the same data, with these options. Raises `OptionError`."""
    return make_spec(
        method or asked.method,
        asked.dataset,
        options,
        data_options=asked.data_options,
        split=asked.split,
        seed=asked.seed if seed is None else seed,
        device=asked.device,
    )


def pair() -> list[RunSpec]:
    """The two runs that the page offers to train."""
    return [make_spec(METHODS[0], EMBEDDED, options) for options in PAIR]
