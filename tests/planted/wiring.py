"""Slips between parts that are right, each in a place of its own, and the tests of `make test` that see them.

What is planted draws all that it pays for: noise of the right law goes out of a mechanism, and is not what is
read further on; a number that everybody knows is taken for one that is private; what belongs to one run, seed
or split stands for another's.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
import torch
from tests.audits import test_one_run as by_hand
from tests.contracts import test_stacks as beside
from tests.contracts import test_store_attempts as attempts
from tests.observer.cases import Case
from tests.observer.judge import alone, watch
from tests.planted.observed import COUNTED, GATED, GATED_GPL, NODE, POSTERIOR, VOTES, Planted, planted
from tests.planted.planting import Bug, Verdict, instead, swapped
from torch import Tensor

from privgraph.audits import one_run
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax
from privgraph.mechanisms.randomised_response import CountedResponse, pair_count, randomise
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods.aggregation.stack import Stack
from privgraph.methods.baselines.mlp import train as mlp
from privgraph.methods.gradients.dp_gnn import train as dp_gnn
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson
from privgraph.methods.keys import in_company
from privgraph.methods.prompts.dp_gpl import train as dp_gpl
from privgraph.methods.prompts.prompt_dpsgd import train as prompt_dpsgd
from privgraph.methods.relations import tuples
from privgraph.methods.teachers.privgnn import train as privgnn
from privgraph.nn import training
from privgraph.nn.optim import StackedAdam
from privgraph.runs import queueing
from privgraph.runs.leases import Leases
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs
from privgraph.streams import derived_key

# What is paid for, and not used


def true_count() -> AbstractContextManager[None]:
    """Probabilities follow the true number; the noisy one is drawn, and forgotten."""

    def report(
        self: CountedResponse, edges: Any, nodes: int, answers: Any, counted: Any, *, undirected: bool, most_edges: int
    ) -> Any:
        count = edges.shape[1] // (2 if undirected else 1)
        self.noisy_count(count, counted)
        response = self.response(count, pair_count(nodes, undirected))
        return randomise(edges, nodes, response, answers, undirected=undirected, most_edges=most_edges)

    return instead(CountedResponse, "randomise", report)


def read_before_noise() -> AbstractContextManager[None]:
    """Gradients get their noise in a copy."""
    honest = PrivateGradients.perturb

    def perturb(mechanisms: Sequence[PrivateGradients], net: Any, *rest: Any) -> None:
        clean = net.gradients.clone()
        honest(mechanisms, net, *rest)
        net.gradients.copy_(clean / mechanisms[0].expected_batch)

    return instead(PrivateGradients, "perturb", staticmethod(perturb))


def every_second_step() -> AbstractContextManager[None]:
    """Gradients are released for each step, and every second one is taken."""
    honest, taken = StackedAdam.step, [0]

    def step(self: Any, gradients: Tensor) -> None:
        taken[0] += 1
        if taken[0] % 2:
            honest(self, gradients)

    return instead(StackedAdam, "step", step)


def the_hop_before() -> AbstractContextManager[None]:
    """What is read is what was aggregated, and not the noisy aggregate."""
    honest = Stack.aggregate

    def aggregate(self: Stack, embeddings: Tensor, stage: str) -> Any:
        _, spent = honest(self, embeddings, stage)
        return embeddings, spent

    return instead(Stack, "aggregate", aggregate)


def answers_before_noise() -> AbstractContextManager[None]:
    """PrivGNN: the student learns from the answers as they were."""
    honest = privgnn.Run._release

    def release(self: Any, raw: Any, bare: Any, chosen: Any, mechanism: Any) -> Any:
        honest(self, raw, bare, chosen, mechanism)
        return bare, None

    return instead(privgnn.Run, "_release", release)


def votes_before_noise() -> AbstractContextManager[None]:
    """PATE: the noisy counts are drawn, and labels are those of the others."""
    honest = NoisyMax.noisy

    def noisy(self: NoisyMax, counts: Any, secret: Any) -> Any:
        honest(self, counts, secret)
        return counts.astype(float)

    return instead(NoisyMax, "noisy", noisy)


def gate_before_noise() -> AbstractContextManager[None]:
    honest = NoisyGate.passes

    def passes(self: NoisyGate, counts: Any, secret: Any) -> Any:
        honest(self, counts, secret)
        return counts.max(axis=-1) > self.threshold

    return instead(NoisyGate, "passes", passes)


def pooled_before_noise() -> AbstractContextManager[None]:
    """DP-GPL: what public nodes have in common is pooled from the counts as they were."""
    honest = dp_gpl.ask

    def ask(*given: Any) -> Any:
        outcome = honest(*given)
        return replace(outcome, noisy=outcome.counts)

    return instead(dp_gpl, "ask", ask)


# A private number for a public one


def by_seats_taken() -> AbstractContextManager[None]:
    """Prompts: the noisy sum is divided by what is expected of the seats that were taken."""
    assigned, taken = prompt_dpsgd.assigned, [0]

    def counted(*given: Any) -> Any:
        shots = assigned(*given)
        taken[0] = int((shots.nodes >= 0).sum())
        return shots

    def made(*, rate: float, expected_batch: float, **rest: Any) -> PrivateGradients:
        return PrivateGradients(rate=rate, expected_batch=rate * taken[0], **rest)

    @contextmanager
    def plant() -> Iterator[None]:
        with instead(prompt_dpsgd, "assigned", counted), patch.object(prompt_dpsgd, "PrivateGradients", _Made(made)):
            yield

    return plant()


class _Made:
    """Stands for a class of mechanisms: made by another function, and released as ever."""

    release = staticmethod(PrivateGradients.release)

    def __init__(self, made: Callable[..., Any]) -> None:
        self._made = made

    def __call__(self, **settings: Any) -> Any:
        return self._made(**settings)


def by_who_was_drawn() -> AbstractContextManager[None]:
    """The mean is over those in the sample who are there."""
    clip, honest = PrivateGradients.clip_and_sum, PrivateGradients.perturb
    here = [0]

    def summed(mechanisms: Any, net: Any, valid: Tensor) -> None:
        here[0] += int(valid.sum())
        clip(mechanisms, net, valid)

    def perturb(mechanisms: Any, net: Any, *rest: Any) -> None:
        honest(mechanisms, net, *rest)
        net.gradients.mul_(mechanisms[0].expected_batch / max(1, here[0]))
        here[0] = 0

    return _both(
        instead(PrivateGradients, "clip_and_sum", staticmethod(summed)),
        instead(PrivateGradients, "perturb", staticmethod(perturb)),
    )


def _knowing_the_sample(perturb: Callable[..., None]) -> AbstractContextManager[None]:
    """Noise that is told how many were drawn before it."""
    drawn = [0]

    def batch(*given: Any) -> Tensor:
        found = poisson_batch(*given)
        drawn[0] = int(found.numel())
        return found

    return _both(
        *(instead(module, "poisson_batch", batch) for module in (training, dp_gnn, prompt_dpsgd, tuples)),
        instead(PrivateGradients, "perturb", staticmethod(lambda *given: perturb(drawn[0], *given))),
    )


def by_centres() -> AbstractContextManager[None]:
    """HeterPoisson: the mean is over the subgraphs that were drawn."""
    draw, release = HeterPoisson.draw, SubgraphGradients.release
    centres = [0]

    def drawn(self: HeterPoisson, secret: Any) -> Any:
        found = draw(self, secret)
        centres[0] = int(found.centres.numel())
        return found

    def mean(self: SubgraphGradients, parts: Any, total: Tensor, *rest: Any) -> None:
        release(self, parts, total, *rest)
        total.mul_(self.expected_batch / max(1, centres[0]))

    return _both(instead(HeterPoisson, "draw", drawn), instead(SubgraphGradients, "release", mean))


def degrees_in_features() -> AbstractContextManager[None]:
    """MLP: a column of features has become the number of neighbours."""
    honest = mlp.train

    def train(members: Sequence[Any]) -> Any:
        told = []
        for member in members:
            graph = member.graph
            x = graph.x.clone()
            x[:, 0] = torch.bincount(graph.edge_index[0], minlength=graph.num_nodes)
            told.append(replace(member, graph=replace(graph, x=x, _cache={})))
        return honest(told)

    return instead(mlp, "train", train)


# Empty samples


def nobody_no_noise() -> AbstractContextManager[None]:
    """Of an empty sample nothing goes out, and the step is counted."""
    honest = PrivateGradients.perturb

    def perturb(drawn: int, mechanisms: Any, net: Any, *rest: Any) -> None:
        if drawn:
            honest(mechanisms, net, *rest)
        else:
            net.gradients.zero_()

    return _knowing_the_sample(perturb)


def no_centre_no_noise() -> AbstractContextManager[None]:
    draw, release = HeterPoisson.draw, SubgraphGradients.release
    centres = [0]

    def drawn(self: HeterPoisson, secret: Any) -> Any:
        found = draw(self, secret)
        centres[0] = int(found.centres.numel())
        return found

    def only(self: SubgraphGradients, parts: Any, total: Tensor, *rest: Any) -> None:
        if centres[0]:
            release(self, parts, total, *rest)
        else:
            total.zero_()

    return _both(instead(HeterPoisson, "draw", drawn), instead(SubgraphGradients, "release", only))


@contextmanager
def _both(*places: AbstractContextManager[None]) -> Iterator[None]:
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(place)
        yield


@cache
def empty_samples(case: Case) -> Callable[[], Verdict]:
    def check() -> Verdict:
        found = [one.seen for one in alone(watch(case.sparse, case.graph)) if one.kind == "count"]
        return Verdict(wrong=bool(found), seen=found[0] if found else "as many gradients as are paid for")

    return check


# What belongs to one run, for another


def votes_by_shape() -> AbstractContextManager[None]:
    """DP-GPL: the last member's votes are taken where as many nodes sit with as many teachers."""

    def votes(self: Any, prepared: Any, table: Tensor, assignment: Any, asked: Tensor) -> Any:
        last = self.shared
        key = (*last.prepared_key, *self.config.prompt_key(), assignment.slots.shape)
        if last.votes is None or last.votes_key != key:
            last.votes = yield from self.cast_votes(prepared, table, assignment, asked)
            last.votes_key = key
        return last.votes

    return instead(dp_gpl.Run, "_votes", votes)


def prepared_by_split() -> AbstractContextManager[None]:
    """DP-GPL: the last member's graph is taken whatever the seed."""
    honest = dp_gpl.Run._prepared

    def prepared(self: Any) -> Any:
        if self.shared.prepared is None:
            return (yield from honest(self))
        self.done = self.config.pretrain_epochs
        return self.shared.prepared

    return instead(dp_gpl.Run, "_prepared", prepared)


def one_member_for_all() -> AbstractContextManager[None]:
    """A stack's noise has the scale of its first member."""
    honest = Stack.__post_init__

    def made(self: Stack) -> None:
        honest(self)
        self.scales = self.scales[:1] * len(self.scales)

    return instead(Stack, "__post_init__", made)


@cache
def members(case: Case, *what: str) -> Callable[[], Verdict]:
    def check() -> Verdict:
        wrong = beside.differing(case, [one for one in beside.others(case) if one.what in what])
        return Verdict(wrong=bool(wrong), seen=f"another one in a stack by {', '.join(wrong) or 'nothing'}")

    return check


def companions(change: Callable[[Sequence[str]], Sequence[str]]) -> Planted:
    def key(own: bytes, company: Sequence[str]) -> bytes:
        return derived_key(own, "company", *change(company))

    @contextmanager
    def plant() -> Iterator[None]:
        with swapped(in_company, key), patch.object(beside, "in_company", key):
            yield

    return plant


def every_company_has_a_key() -> Verdict:
    companies = [("a", "b"), ("a", "c"), ("b", "a"), ("a", "b", "c")]
    keys = {beside.company_keys(*company) for company in companies}
    return Verdict(wrong=len(keys) < len(companies), seen=f"{len(keys)} keys of {len(companies)} companies")


# Audits


def helped_guesses() -> AbstractContextManager[None]:
    honest = one_run.p_value
    return _in_audits("p_value", lambda m, r, v, epsilon, delta: honest(r, r, v, epsilon, delta))


def only_guesses() -> AbstractContextManager[None]:
    honest = one_run.excluded
    return _in_audits("excluded", lambda m, r, v, epsilon, delta, level: honest(r, r, v, epsilon, delta, level))


def _in_audits(name: str, slip: Callable[..., Any]) -> AbstractContextManager[None]:
    return _both(instead(one_run, name, slip), instead(by_hand, name, slip))


def canaries_are_counted() -> Verdict:
    away = 0.0
    for m, r, v, epsilon, delta in by_hand.CASES:
        wanted = by_hand.steinke(m, r, v, epsilon, delta)
        away = max(away, abs(by_hand.p_value(m, r, v, epsilon, delta) / wanted - 1))
    return Verdict(wrong=away > 1e-6, seen=f"chances are {100 * away:.2g}% from the theorem's")


def exclusion_is_exact() -> Verdict:
    m, r, v, epsilon, delta = by_hand.CASES[1]
    at = by_hand.most(m, r, v, epsilon, delta)
    found = [by_hand.excluded(m, r, v, epsilon, delta, share * at) for share in (0.995, 1.005)]
    return Verdict(wrong=found != [False, True], seen=f"excluded below and above the optimum: {found}")


# The store


def lost_by_name() -> AbstractContextManager[None]:
    def claim(self: Any, ids: Any, worker: str, *, pid: Any = None, key: Any = None) -> list[str]:
        with self._database.write() as connection:
            chosen = sa.select(runs.c.id).where(runs.c.id.in_(ids), runs.c.state.in_(("queued", "lost")))
            free = set(connection.scalars(chosen))
            return self._lease(connection, [run for run in ids if run in free], worker, pid, key)  # type: ignore[no-any-return]

    return instead(Leases, "claim", claim)


def same_attempt() -> AbstractContextManager[None]:
    honest = queueing.next_attempt
    return swapped(honest, lambda row: {**honest(row), "attempt": row.attempt, "again": row.again})


def told_is_kept() -> AbstractContextManager[None]:
    return swapped(queueing.withdraw, lambda connection, row: None)


def _asserts(test: Callable[[RunStore], None]) -> Verdict:
    """Whether a test of a store fails in a fresh one."""
    with TemporaryDirectory() as place, closing(RunStore.open(f"sqlite:///{Path(place) / 'runs.sqlite'}")) as store:
        try:
            test(store)
        except AssertionError:
            return Verdict(wrong=True, seen="a run is given away once more as it was")
    return Verdict(wrong=False, seen="every second time is another attempt")


def what_is_over_stays_over() -> Verdict:
    return _asserts(lambda store: attempts.test_a_run_that_is_over_is_given_to_nobody(store, "lost", "by name"))


def again_is_another_attempt() -> Verdict:
    return _asserts(lambda store: attempts.test_every_second_time_is_another_attempt(store, "given back", "by name"))


def _unused(name: str, where: str, plant: Planted, *held: Case) -> list[Bug]:
    return [planted(name, where, plant, case, "unused", "turned") for case in held]


def _choice(name: str, where: str, plant: Planted, *held: Case) -> list[Bug]:
    return [planted(name, where, plant, case, "choice", "datasets") for case in held]


RELATIONAL, RELATIONS_REPORTED = (
    Case("relational", "edge"),
    Case("relation-rand", "edge", (("response", "asymmetric"),)),
)
GPL, PATE, MLP = Case("dp-gpl", "node"), Case("pate", "node"), Case("mlp", "edge")
EMPTIES = "methods/gradients/heter_poisson/train.py"

BUGS = (
    *_unused(
        "a true count, the noisy one forgotten",
        "mechanisms/randomised_response.py",
        true_count,
        COUNTED,
        RELATIONS_REPORTED,
    ),
    *_unused("gradients read before noise", "mechanisms/gradients.py", read_before_noise, RELATIONAL, NODE["dp-mlp"]),
    *_unused("every second step left out", "nn/optim.py", every_second_step, NODE["heter-poisson"]),
    *_unused(
        "the hop before the noisy one is read",
        "methods/aggregation/stack.py",
        the_hop_before,
        Case("gap", "edge"),
        NODE["gap"],
        Case("progap", "edge"),
        NODE["progap"],
    ),
    *_unused("answers read before noise", "methods/teachers/privgnn/train.py", answers_before_noise, VOTES, POSTERIOR),
    *_unused("labels of votes before noise", "mechanisms/noisy_max.py", votes_before_noise, PATE),
    *_unused("a gate opened by what it saw", "mechanisms/noisy_max.py", gate_before_noise, GATED, GATED_GPL),
    *_unused("pooled before noise", "methods/prompts/dp_gpl/train.py", pooled_before_noise, GPL),
    *_choice(
        "divided by the seats that are taken",
        "methods/prompts/prompt_dpsgd/train.py",
        by_seats_taken,
        NODE["prompt-dpsgd"],
    ),
    *_choice("divided by who was drawn", "mechanisms/gradients.py", by_who_was_drawn, NODE["dp-gnn"], NODE["progap"]),
    *_choice("divided by the subgraphs that were drawn", EMPTIES, by_centres, NODE["heter-poisson"]),
    *_choice("degrees among the features", "methods/baselines/mlp/train.py", degrees_in_features, MLP),
    *(
        Bug(f"nothing goes out of an empty sample ({case})", where, plant, empty_samples(case))
        for case, where, plant in (
            (NODE["heter-poisson"], EMPTIES, no_centre_no_noise),
            *(
                (case, "mechanisms/gradients.py", nobody_no_noise)
                for case in (*(NODE[name] for name in ("gap", "dp-mlp", "dp-gnn", "prompt-dpsgd")), RELATIONAL)
            ),
        )
    ),
    Bug(
        "votes of another partition of the same shape",
        "methods/prompts/dp_gpl/train.py",
        votes_by_shape,
        members(GPL, "shared", "weighting=centrality"),
    ),
    Bug(
        "a graph prepared for another seed",
        "methods/prompts/dp_gpl/train.py",
        prepared_by_split,
        members(GPL, "seed", "split"),
    ),
    Bug(
        "the noise of a stack's first member for all",
        "methods/aggregation/stack.py",
        one_member_for_all,
        members(Case("gap", "edge"), "epsilon=5.0"),
    ),
    *(
        Bug(f"a stack's key hangs on {name}", "methods/keys.py", companions(change), every_company_has_a_key)
        for name, change in (
            ("how many companions there are", lambda company: [str(len(company))]),
            ("companions in any order", lambda company: sorted(company)),
        )
    ),
    Bug("delta helps the guesses alone", "audits/one_run.py", helped_guesses, canaries_are_counted),
    Bug("as many canaries as guesses", "audits/one_run.py", only_guesses, exclusion_is_exact),
    Bug("a lost run claimed by name as it was", "runs/leases.py", lost_by_name, what_is_over_stays_over),
    Bug("a run given back is the same attempt", "runs/queueing.py", same_attempt, again_is_another_attempt),
    Bug("what an attempt told is kept beside the next", "runs/queueing.py", told_is_kept, again_is_another_attempt),
)
