"""Every privacy event, ledger entry and statement, for hypothesis."""

import math

from hypothesis import strategies as st

from privgraph.privacy import events
from privgraph.privacy.kinds import Adversary, MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry, WorstCase
from privgraph.privacy.statement import Gap, PrivacyStatement

positive = st.floats(1e-6, 1e6)
text = st.text(max_size=12)


def law(values: list[float]) -> tuple[float, ...]:
    return tuple(value / sum(values) for value in values)


laws = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=4).map(law)
gaussians = positive.map(lambda scale: events.Gaussian(noise_multiplier=scale))
laplaces = positive.map(lambda scale: events.Laplace(noise_multiplier=scale))


@st.composite
def atoms(draw: st.DrawFn) -> events.Atoms:
    upper = draw(laws)
    weights = draw(st.lists(st.floats(0.01, 1.0), min_size=len(upper), max_size=len(upper)))
    return events.Atoms(upper=upper, lower=law(weights))


@st.composite
def mixtures(draw: st.DrawFn) -> events.RevealedMixture:
    weights = draw(laws)
    scales = st.lists(positive | st.just(math.inf), min_size=len(weights), max_size=len(weights))
    return events.RevealedMixture(weights=weights, noise_multipliers=tuple(draw(scales)))


pures = positive.map(lambda epsilon: events.PureDP(epsilon=epsilon))
ranges = positive.map(lambda epsilon: events.BoundedRange(epsilon=epsilon))
sampled = st.builds(
    lambda rate, event: events.PoissonSampled(rate=rate, event=event),
    st.floats(1e-6, 1.0),
    gaussians | laplaces | pures | ranges | atoms(),
)
samples = st.builds(
    lambda rate, event, count: events.SampledOnce(rate=rate, event=events.Repeated(event=event, count=count)),
    st.floats(1e-6, 1.0),
    gaussians | atoms() | sampled,
    st.integers(0, 10**6),
)

subgraphs = st.builds(
    lambda rate, neighbours, scale, largest, exclusive: events.SampledSubgraphs(
        rate=rate, neighbours=neighbours, noise_multiplier=scale, largest_degree=largest, exclusive=exclusive
    ),
    st.floats(1e-6, 1.0),
    st.integers(0, 10),
    positive,
    st.integers(0, 10**6),
    st.booleans(),
)

terms = st.builds(
    lambda rate, present, absent, scale: events.SampledTerms(
        rate=rate, present=present, absent=absent, noise_multiplier=scale
    ),
    st.floats(1e-6, 1.0),
    st.integers(0, 10),
    st.integers(0, 10),
    positive,
)

singles = st.one_of(
    st.just(events.Nothing()),
    text.map(lambda reason: events.NonPrivate(reason=reason)),
    gaussians,
    laplaces,
    pures,
    ranges,
    st.builds(
        lambda a, b: events.RandomizedResponse(one_to_one=a, zero_to_one=b),
        st.floats(0.01, 0.99),
        st.floats(0.01, 0.99),
    ),
    atoms(),
    sampled,
    samples,
    subgraphs,
    terms,
    mixtures(),
)
repeats = st.builds(lambda event, count: events.Repeated(event=event, count=count), singles, st.integers(0, 10**6))
any_event = st.one_of(
    singles, repeats, st.lists(singles | repeats, max_size=3).map(lambda parts: events.Composed(tuple(parts)))
)
worsts = st.builds(
    WorstCase,
    clip=st.none() | positive,
    max_degree=st.none() | st.integers(0, 1000),
    noise=st.none() | text,
    neighbours=st.none() | st.integers(0, 1000),
    largest_degree=st.none() | st.integers(0, 1000),
    exclusive=st.none() | st.booleans(),
    gate_std=st.none() | positive,
)
entries = st.builds(
    LedgerEntry,
    kind=st.sampled_from(list(MechanismKind)),
    worst=worsts,
    mechanism=text,
    stage=text,
    event=singles,
    event_as_published=st.none() | singles,
    count=st.integers(0, 10**6),
    noise_std=st.none() | positive,
    sensitivity=st.none() | positive,
    norm=st.sampled_from(["L1", "L2"]),
    sampling_rate=st.none() | st.floats(0, 1),
    note=text,
)
gaps = st.builds(Gap, title=text, claim=text, fails=text, holds=text, size=text, evidence=text, source=text)
epsilons = st.floats(0, 1e6) | st.just(math.inf)
statements = st.builds(
    PrivacyStatement,
    unit=st.sampled_from(["none", "edge", "node"]),
    neighbours=st.sampled_from(list(Neighbours)),
    relation=text,
    release=st.sampled_from(list(Release)),
    released=text,
    public=st.lists(text, max_size=2).map(tuple),
    delta=st.floats(0, 0.5),
    delta_rule=text,
    epsilon=epsilons,
    epsilon_as_published=st.none() | epsilons,
    accountant=text,
    accountant_as_published=text,
    epsilon_audited=st.none() | epsilons,
    audit_confidence=st.none() | st.floats(0, 1),
    adversary=st.none() | st.sampled_from(list(Adversary)),
    assumptions=st.lists(text, max_size=2).map(tuple),
    gaps=st.lists(gaps, max_size=2).map(tuple),
    data_dependent=st.booleans(),
    per_holder=st.lists(st.tuples(text, epsilons), max_size=2).map(tuple),
    ledger=st.lists(entries, max_size=2).map(tuple),
)
