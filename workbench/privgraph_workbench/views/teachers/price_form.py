"""The price of private answers as a form: sliders, and both epsilons at once, before anything is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.options import Option, OptionError, Parameter, Scalar, UnknownName, build, parameters, parse, values
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.facts import answer_costs, datasets, plans, published_told
from privgraph_workbench.figures.costs import price
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import choosing, layout, states
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.teachers import answered, other_noise, run_price
from privgraph_workbench.views.teachers.price_words import ABOUT_NEIGHBOURS, NO_GOODS, OTHER_METHOD, RELEASES
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import number, percent, stated

METHOD = "privgnn"
PREFIX = "price."
POLL_SECONDS = 1.0
GROUP = "Price"
_KNOWN = {parameter.name: parameter for parameter in parameters(Config)}
_LAM = Parameter("lam", float, 0.1, Option("one over the scale of the noise", low=0.01, high=10, scale="log"))
"""How an address may give the noise, too: as the paper does."""
SLIDERS = (
    Parameter(
        "noise",
        float,
        10.0,
        Option(
            "standard deviation of the noise on each number that is answered, or on each of the table: more noise, "
            "more privacy, and fewer right labels",
            low=0.1,
            high=150,
            scale="log",
            label="Noise ± (standard deviation)",
            group=GROUP,
        ),
    ),
    Parameter(
        "rate",
        float,
        0.3,
        Option(
            "chance of each private node to be in the sample that answers a query; who is not drawn is not read",
            low=0.01,
            high=1,
            label="Sampling rate γ (gamma)",
            group=GROUP,
        ),
    ),
    Parameter(
        "queries",
        float,
        1000.0,
        Option(
            "how many public nodes are asked about; each answer costs privacy",
            low=1,
            high=10_000,
            scale="log",
            label="Queries |Q|",
            group=GROUP,
        ),
    ),
    Parameter(
        "neighbours",
        float,
        300.0,
        Option(
            "how many of the sampled nodes, the nearest to the query, train its teacher",
            low=10,
            high=3000,
            scale="log",
            label="Nearest neighbours K",
            group=GROUP,
        ),
    ),
)


def show(record: RunRecord | None) -> None:
    """The price of the run that is chosen above with other noise, and folded below it that of any PrivGNN,
    open where the address holds something of it; that alone where no run is."""
    if record is None:
        _form(None)
        return
    run_price.show(record)
    asked = any(name.startswith(PREFIX) for name in st.query_params)
    with layout.form(
        OTHERS if record.spec.method == METHOD else ANY, "privgnn_price", icon=":material/sell:", asked=asked, done=0
    ) as part:
        if part.open:
            _form(record)


OTHERS = "What would another release, sample or graph cost?"
ANY = "What would the answers of PrivGNN cost?"


def _form(record: RunRecord | None) -> None:
    """The form of PrivGNN."""
    top = st.container()
    left, right = layout.columns("price", 2)
    with left, st.container(border=True):
        spec = _choose_data()
        if record is not None:
            top.caption(_stands(record, spec))
        filled = _settings()
    with right:
        if filled.errors:
            st.info(widgets.pointer(filled.errors), icon=":material/edit:")
            return
        try:
            graph = _graph(spec, record)
            facts = datasets.public_facts(spec, *graph)
            if facts is None:
                st.info("The graph is being counted; the price is shown when its size is known.", icon="⏳")
                st.fragment(_await_facts, run_every=POLL_SECONDS)(spec, graph)
                return
            config: Config = build(Config, filled.values)
            _price(config, facts, spec, graph, record)
            filled.fill_in({"delta": config.delta_and_rule(facts)[0]})
            _curve(config, facts, spec, goods(record, spec, config, facts))
        except (OptionError, DataError) as error:
            st.error(markup.sentence(error))


Graph = tuple[Mapping[str, Scalar], str]
"""Options of a graph, and its split."""
_BEGUN, _OF = "price.begun", "price.of"


def _stands(record: RunRecord, spec: DatasetSpec) -> str:
    """How the form stands to the run that is chosen above."""
    own = _of_the_run(record, spec)
    if record.spec.method != METHOD and own:
        return (
            "This form begins with the graph of the run above and its number of queries, for votes of private nodes "
            "themselves. It prices another method than the run's."
        )
    if own:
        return "This form begins with the settings of the run above. What is changed here changes nothing of it."
    if st.session_state.get(_OF) == record.id:
        return f"This is no price of the run above: that was on {naming.data_title(record.spec.dataset)}."
    if record.spec.method == METHOD:
        return "This form stands apart from the run above: it holds what the page's address says."
    return "This form stands apart from the run above, which is of another method."


def _of_the_run(record: RunRecord, spec: DatasetSpec) -> bool:
    """Whether the form began with that run, and still asks about its graph."""
    return bool(st.session_state.get(_OF) == record.id and spec.name == record.spec.dataset)


def _graph(spec: DatasetSpec, record: RunRecord | None) -> Graph:
    """The run's own graph where the form began with it; else the graph as it is by default."""
    if record is not None and _of_the_run(record, spec):
        return record.spec.data_options, record.spec.split
    return beginnings.data_options(spec), "random"


def begin(record: RunRecord) -> None:
    """Once for each run that is chosen: the form begins with that run's graph, release and noise. What the
    address says goes before the first run, not before one that is chosen after it."""
    visit, asked = shell.visit(), st.query_params
    before = st.session_state.get(_BEGUN)
    if before == (visit, record.id):
        return
    st.session_state[_BEGUN] = (visit, record.id)
    fresh = before is not None and before[0] == visit
    if (fresh or "data" not in asked) and record.spec.dataset in _priced():
        choosing.put("data", record.spec.dataset)
    if not fresh and any(name.startswith(PREFIX) for name in asked):
        return
    if record.spec.method != METHOD:
        count = other_noise.asked(record)
        begun: dict[str, Scalar] = {"release": "votes", **({} if count is None else {"queries": count})}
        widgets.put([_KNOWN["release"], *SLIDERS], begun, PREFIX)
        st.session_state[_OF] = record.id
        return
    values = dict(record.spec.options)
    lam = _noise(record)
    known = [*SLIDERS, *(_KNOWN[name] for name in ("release", "delta", "teachers", "maximum"))]
    release, maximum = str(values["release"]), str(values["maximum"])
    noise = {} if lam is None else {"noise": std_of(lam, spread(release, maximum))}
    widgets.put(known, {**values, **noise}, PREFIX)
    st.session_state[_OF] = record.id


def spread(release: str, maximum: str) -> float:
    """The standard deviation of the noise of a release where λ is 1."""
    return build(Config, {"release": release, "maximum": maximum, "lam": 1.0}).mechanism(2, 1.0).std


def lam_of(std: float, unit: float) -> float:
    """λ of noise of this standard deviation, in six digits; `unit`: its standard deviation where λ is 1."""
    return float(f"{unit / std:.6g}")


def std_of(lam: float, unit: float) -> float:
    """The standard deviation of noise of this λ, in as few digits as say it.

    >>> std_of(0.4, 1.0), std_of(0.330268, 1.0), lam_of(std_of(0.7, 2**0.5), 2**0.5)
    (2.5, 3.02784, 0.7)
    """
    exact = unit / lam
    rounded = (float(f"{exact:.{digits}g}") for digits in range(3, 12))
    return next((one for one in rounded if lam_of(one, unit) == lam), exact)


def _noise(record: RunRecord) -> float | None:
    """One over the scale of the run's noise, in six digits, whether it was given or follows from a budget;
    None where the sizes of its graph are not known by now."""
    given = float(record.spec.options.get("lam", 0))
    try:
        facts = other_noise.facts_of(record)
        lam = given or (0.0 if facts is None else plans.plan(METHOD, record.spec.options, facts).noise["lambda"])
    except (DataError, OptionError, UnknownName):
        return None
    return float(f"{lam:.6g}") if 0.01 <= lam <= 10 else None


def _from_lam(release: str, maximum: str) -> None:
    """Once: an address that gives λ sets the noise."""
    try:
        lam = float(parse(_LAM, st.query_params[f"{PREFIX}lam"]))
    except (KeyError, OptionError):
        return
    st.session_state[f"{PREFIX}noise"] = std_of(lam, spread(release, maximum))
    del st.query_params[f"{PREFIX}lam"]


def _priced() -> dict[str, DatasetSpec]:
    """The graphs whose sizes are known here, by name: a price needs no more of them."""
    return {spec.name: spec for spec in datasets.choices() if datasets.sized(spec)}


def _choose_data() -> DatasetSpec:
    specs = _priced()
    asked = st.query_params.get("data")
    if asked is not None and asked not in specs:
        st.warning(f"In this page's address, {datasets.complaint(asked)}.")
    name = choosing.one(
        "Data", choosing.graphs(specs.values()), "data", help="Its numbers of nodes and classes enter the price"
    )
    return specs[name]


def _settings() -> widgets.Filled:
    """The sliders, and what belongs to the chosen release."""
    for complaint in widgets.complaints([_LAM, *SLIDERS, _KNOWN["release"], _KNOWN["delta"]], prefix=PREFIX):
        st.warning(complaint)
    release = str(widgets.widget(_KNOWN["release"], PREFIX))
    st.caption(RELEASES[release])
    rest = [_KNOWN["teachers"], _KNOWN["maximum"]] if release == "ensemble" else []
    _from_lam(release, str(_held("maximum")))
    captions = {"neighbours": lambda _: ABOUT_NEIGHBOURS, "noise": lambda _: other_noise.WHICH_END}
    unread = {"table": {"rate", "queries", "neighbours"}, "votes": {"neighbours"}}.get(release, set())
    moved = [one for one in SLIDERS if one.name not in unread]
    filled = widgets.options_form(moved, prefix=PREFIX, captions=captions, heading=False)
    filled |= widgets.options_form(rest, prefix=PREFIX, heading=False)
    maximum, std = str(filled.values.get("maximum", _held("maximum"))), float(filled.values["noise"])
    lam = lam_of(std, spread(release, maximum))
    laws = {"ensemble": maximum, "posterior": "laplace", "log-posterior": "laplace"}
    st.caption(other_noise.noise_words(laws.get(release, "gaussian"), std))
    filled |= widgets.options_form([_KNOWN["delta"]], prefix=PREFIX, heading=False)
    whole = {name: round(float(filled.values[name])) for name in ("queries", "neighbours") if name in filled.values}
    values = {name: value for name, value in filled.values.items() if name != "noise"}
    return replace(filled, values={**values, **whole, "release": release, "lam": lam})


def _held(name: str) -> Scalar:
    """What a field of the form holds, drawn or not."""
    held = st.session_state.get(PREFIX + name, st.query_params.get(PREFIX + name))
    choices = _KNOWN[name].option.choices
    return held if held in choices else _KNOWN[name].default


def _await_facts(spec: DatasetSpec, graph: Graph) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    try:
        ready = datasets.public_facts(spec, *graph) is not None
    except DataError:
        ready = True
    if ready:
        st.rerun()


def _price(config: Config, facts: PublicFacts, spec: DatasetSpec, graph: Graph, record: RunRecord | None) -> None:
    quote = answer_costs.quote(config, facts)
    sound, many = EPSILONS["sound"].label, quote.one is not None
    boxes = [
        (
            f"{sound}, all {quote.asked:,} queries" if many else f"{sound}, any number of queries",
            stated("sound", quote.epsilon),
            "What this noise will guarantee, by a proof that we stand for: the one number to give",
        )
    ]
    if many:
        boxes.append((f"{sound}, one query", stated("sound", quote.one), "Were it alone, with the same noise"))
    layout.cards("price", boxes)
    if record is not None and record.spec.method != METHOD:
        st.caption(OTHER_METHOD)
    st.markdown(run_price.risk(config.plan(facts)))
    st.markdown(f"**What the noise means.** {answer_costs.meaning(config, facts)}")
    if quote.asked < config.queries and config.release != "table":
        st.caption(f"This graph has {quote.asked:,} public nodes that may be asked about: that many are priced.")
    st.caption(
        f"{markup.literal(spec.title)}: {facts.classes} classes; {config.sizes(facts.nodes).private:,} "
        f"private nodes. {meaning.delta(quote.delta, quote.epsilon)} Rule: {quote.delta_rule}."
    )
    with layout.fold(run_price.COUNTED, "privgnn_published", icon=":material/menu_book:") as part:
        if part.open:
            st.markdown(run_price.as_counted(quote.epsilon_as_published))
            st.caption(published_told.why(METHOD, values(config), quote.epsilon, quote.epsilon_as_published))
    if datasets.unavailable(spec) is not None:
        st.caption("The price needs the sizes of this graph alone, which are known. Its files are not on this machine.")
        return
    st.page_link(
        shell.page("train"),
        label="**Train with these settings**",
        icon=":material/model_training:",
        query_params=train_address(config, spec, graph),
    )


def goods(record: RunRecord | None, spec: DatasetSpec, config: Config, facts: PublicFacts) -> dict[float, float | None]:
    """By lambda, the share of the run's labels that would be right on average: where the form asks for the
    run's own votes on its own graph, and no other noise on them."""
    if record is None or record.spec.method != METHOD or not _of_the_run(record, spec):
        return {}
    held = dict(values(config))
    votes = {name: held[name] for name in ("release", "rate", "neighbours", "teachers", "maximum")}
    if any(record.spec.options.get(name, value) != value for name, value in votes.items()):
        return {}
    found = answered.kept(record)
    if isinstance(found, str):
        return {}
    unit = spread(config.release, config.maximum)
    return {lam: run_price.right(record, unit / lam / found.noise_std) for lam, *_ in answer_costs.curve(config, facts)}


def _curve(config: Config, facts: PublicFacts, spec: DatasetSpec, right: Mapping[float, float | None]) -> None:
    """Both epsilons along the noise, everything else as chosen; below them the labels that are right."""
    unit = spread(config.release, config.maximum)
    points = [(unit / lam, sound, published) for lam, sound, published in answer_costs.curve(config, facts)]
    shares = {unit / lam: share for lam, share in right.items()}
    rows = price.data(points, unit / config.lam, shares, by="noise", stacked=True)
    known = right.get(config.lam)
    if known is not None:
        states.badges(evaluator=True)
        st.markdown(f"**Labels right, on average:** {percent(known)}, with the votes of the run above.")
    else:
        st.caption(NO_GOODS)
    live_plot.show(price.plot(rows, layout.theme()), key="price")
    statements = {f"PrivGNN on {spec.name}, node λ = {number(config.lam)}, planned": config.plan(facts).statement}
    figure_exports("price", rows, statements, name=f"{spec.name}-{config.release}")


def train_address(config: Config, spec: DatasetSpec, graph: Graph) -> dict[str, str]:
    """The query parameters that fill the Train page with these settings."""
    asked = {"table": (), "votes": ("rate", "queries")}.get(config.release, ("rate", "queries", "neighbours"))
    chosen = ("release", "lam", *asked, "delta")
    more = ("teachers", "maximum") if config.release == "ensemble" else ()
    held = dict(values(config))
    return {
        "method": METHOD,
        "data": spec.name,
        **widgets.address(graph[0], prefix="data."),
        **({} if graph[1] == "random" else {"split": graph[1]}),
        **widgets.address({name: held[name] for name in (*chosen, *more)}, known=_KNOWN.values()),
    }
