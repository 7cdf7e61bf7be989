"""Where DP-GPL and DP-GPL+W promise more than holds.

Each constant names the claim, the step that fails, what holds instead and its size at the paper's own
settings (Table 4: 200 teachers, 50 queries, delta 1.5e-4); the functions give the size at the noise of the
run at hand. The tests show each: by an attack that exceeds the claim, by an enumeration, by two neighbours,
or by the printed numbers themselves.

What holds as published: a node of a random part belongs to one teacher, and the largest count moves by that
teacher's weight.
"""

from dataclasses import replace

from privgraph.papers import dp_gpl as dpgpl
from privgraph.papers.dp_gpl_votes import Asked, epsilon_at, squared_mu, teacher_epsilon
from privgraph.privacy.statement import Gap

GAP_MOVED_VOTE = Gap(
    title="A moved vote is the square root of 2, not 1",
    claim="a teacher's weight is its sensitivity, 1 where all votes weigh alike",
    fails="a node that changes its teacher's mind takes a vote from one class and gives it to another: two "
    "counts change, each by the weight",
    holds="the square root of 2 times the weight for noise on all counts; the weight alone for the test of "
    "the largest count",
    size="50 answers with noise 20 cost 1.64 where sensitivity 1 gives 1.10 (exact Gaussian composition, delta 1.5e-4)",
    evidence="proved",
    source="DP-GPL, Proposition 1, Theorem 1 and the footnote to Equation 2",
)
GAP_DATA_DEPENDENT = Gap(
    title="An epsilon computed from private votes is not private",
    claim="the noise of Table 4 gives an epsilon near 0.2 for 50 queries, and at most 2 for the heaviest teacher",
    fails="those numbers are Renyi costs of the very votes that were cast, which are small where the "
    "teachers agree; they are neither a bound for other data nor covered by noise when they are "
    "printed",
    holds="whatever the votes are, the tests of the threshold alone cost 3.7 for one query and 49.8 for 50 "
    "with sigma1 = 1, and 5.6 for 50 with sigma1 = 5. A data-dependent cost may be shown after its "
    "smooth-sensitivity release, as data-dependent",
    size="0.2 printed, 5.64 (sigma1 = 5) to 49.9 (sigma1 = 1) guaranteed; an attack on the answers of 50 "
    "tests with sigma1 = 1 shows more than 8. The paper's own formula, without the votes, gives 6.9 "
    "and 54.8",
    evidence="audited",
    source="DP-GPL, Tables 1, 4 and 12",
)
GAP_TESTS_MISSING = Gap(
    title="The tests of the threshold seem to be left out",
    claim="an epsilon near 0.2 covers 50 tests and the answers to what passes",
    fails="by the data-dependent bound that the paper builds on and the conversion that it names, 50 "
    "queries that pass cost more than is printed in each of the nine settings, even if all 200 "
    "teachers agree on all of them",
    holds="every test is paid for, passed or not; without tests nothing is paid for them",
    size="0.36 to 0.93 at unanimous votes, where 0.20 to 0.36 is printed; how the printed numbers were "
    "computed is not known",
    evidence="suspected",
    source="DP-GPL, Tables 1 and 4",
)
GAP_SCALED_RANGES = Gap(
    title="Ranges of epsilon are scaled, not computed",
    claim="each teacher's epsilon, from that of the lightest to that of the heaviest, follows from Theorem "
    "1 by conversion",
    fails="all 36 printed ranges have the ratio (w_max/w_min)^2; a Renyi cost scales so, an epsilon at a "
    "fixed delta does not",
    holds="epsilon is w^2 c + 2 w sqrt(c log(1/delta)) at best: close to the ratio w_max/w_min where it is small",
    size="from 0.1 at weight 0.5 follows 0.49 at weight 2, where 1.6 is printed: here the printed number is too large",
    evidence="proved",
    source="DP-GPL, Tables 12 to 15",
)
GAP_SORTED_PARTITION = Gap(
    title="A sorted partition moves everybody",
    claim="a node belongs to one teacher, so that its leaving changes that teacher's vote alone, and each "
    "teacher has an epsilon of its own",
    fails="nodes are sorted by degree in the private graph and cut into consecutive groups: who leaves "
    "shifts all behind it by one place, changes the degrees of its neighbours, and with the sum of "
    "Algorithm 2 every weight",
    holds="any number of votes may move: two histograms of 200 votes are 200 times the square root of 2 "
    "apart at most. With independent assignment by public neighbours and public weights, one vote "
    "moves",
    size="81 to 98 of 200 teachers change on average when a private node leaves (cora, citeseer); at 50 "
    "answers with noise 100 an attack shows more than 8 where Theorem 1 says 0.3",
    evidence="audited",
    source="DP-GPL+W, section 4.2 and Algorithms 2 and 3",
)
GAP_DEPENDENT_STOP = Gap(
    title="Stopping at a limit that reads the votes",
    claim="querying stops as soon as a teacher's epsilon reaches 2, so that nobody spends more",
    fails="the epsilon that is watched is computed from private votes without noise: at which query it "
    "stops tells on them",
    holds="a limit on the cost that does not look at votes may be watched freely, however adaptive the queries are",
    size="two neighbouring tables of votes stop after different numbers of queries for certain: no epsilon covers that",
    evidence="proved",
    source="DP-GPL, section 5.1",
)
GAP_DECOMPOSITION = Gap(
    title="One decomposition of everybody's features",
    claim="features are brought to 100 dimensions before anything else, and the analysis begins after that",
    fails="the basis is computed from private nodes too: one node turns it, and with it every teacher's "
    "features, and those from which the student's predictions are computed, past all noise",
    holds="with a basis of public features alone, nothing is paid; else nothing is guaranteed",
    size="no finite epsilon covers it: with the same noisy labels, the predicted chances of a public node differ",
    evidence="proved",
    source="DP-GPL, section 5.1",
)


def moved_vote_gap(asked: Asked, delta: float, weight: float = 1.0) -> Gap:
    """`GAP_MOVED_VOTE` with its size at this noise: all tests and answers with both sensitivities."""
    sound = squared_mu(asked, weight)
    votes = weight**2 * asked.answers / asked.vote_sigma**2
    words = (
        f"sensitivity 1 would give {epsilon_at(sound - votes, delta):.3g}, what holds is {epsilon_at(sound, delta):.3g}"
    )
    return _sized(GAP_MOVED_VOTE, words, delta)


def data_dependent_gap(asked: Asked, delta: float, weight: float = 1.0) -> Gap:
    """`GAP_DATA_DEPENDENT` with its size at this noise: what is guaranteed whatever the votes are."""
    words = f"all answers cost {teacher_epsilon(asked, weight, delta):.3g} whatever the votes are"
    if asked.gate_sigma:
        alone = epsilon_at(weight**2 * asked.queries / asked.gate_sigma**2, delta)
        words = f"the {asked.queries:,} tests alone cost {alone:.3g}, and {words.replace('all', 'with all')}"
    return _sized(GAP_DATA_DEPENDENT, words, delta)


def scaled_ranges_gap(asked: Asked, delta: float, *, smallest: float, largest: float) -> Gap:
    """`GAP_SCALED_RANGES` with its size at this noise, for weights from `smallest` to `largest`."""
    low, high = (teacher_epsilon(asked, weight, delta) for weight in (smallest, largest))
    scaled = low * dpgpl.printed_ratio(largest, smallest)
    words = (
        f"{low:.3g} at weight {smallest:.3g} is {high:.3g} at weight {largest:.3g}, and would be printed "
        f"as {scaled:.3g}"
    )
    return _sized(GAP_SCALED_RANGES, words, delta)


def sorted_partition_gap(asked: Asked, delta: float, *, teachers: int, weight: float) -> Gap:
    """`GAP_SORTED_PARTITION` with its size at this noise: Theorem 1 for the heaviest teacher, and all votes
    moved."""
    return _sized(GAP_SORTED_PARTITION, _against_all(asked, delta, teachers, weight), delta)


def _against_all(asked: Asked, delta: float, teachers: int, weight: float) -> str:
    claimed = dpgpl.independent_epsilon(
        queries=asked.queries if asked.gate_sigma else 0,
        answered=asked.answers,
        threshold_sigma=asked.gate_sigma or 1.0,
        vote_sigma=asked.vote_sigma,
        weight=weight,
        delta=delta,
    )
    everybody = teacher_epsilon(asked, float(teachers), delta)
    return f"Theorem 1 says {claimed:.3g}, and what is proved for all {teachers:,} votes is {everybody:.3g}"


def _sized(gap: Gap, words: str, delta: float) -> Gap:
    return replace(gap, size=f"with this run's noise, {words} at delta {delta:g}; {gap.size}")
