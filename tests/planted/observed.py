"""Bugs of whole runs, in every method that they apply to, and how an observer catches each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from tests.observer.cases import Case
from tests.observer.judge import another_epoch_was_better, complaints, last_epoch
from tests.planted.planting import Bug, Verdict, instead, swapped
from torch import Tensor

from privgraph import lattice
from privgraph.mechanisms import gradients, subgraph_gradients
from privgraph.mechanisms.degree import bounded_graph
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.noisy_max import NoisyMax
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.methods.aggregation import stack
from privgraph.methods.baselines.edge_rand import train as edge_rand
from privgraph.methods.baselines.edge_rand.train import randomised
from privgraph.methods.gradients.dp_gnn import config as dp_gnn_config
from privgraph.methods.gradients.dp_gnn import train as dp_gnn
from privgraph.methods.gradients.heter_poisson import sampling as heter_poisson
from privgraph.methods.prompts.dp_gpl import train as dp_gpl
from privgraph.methods.prompts.prompt_dpsgd import train as prompt_dpsgd
from privgraph.methods.teachers.privgnn import teachers as privgnn_teachers
from privgraph.methods.teachers.privgnn import train as privgnn
from privgraph.methods.teachers.privgnn.sampling import coins
from privgraph.methods.training import Context, Member
from privgraph.nn import training
from privgraph.nn.optim import StackedAdam
from privgraph.nn.training import fit_private
from privgraph.streams import Secret

Planted = Callable[[], AbstractContextManager[None]]

NODE = {name: Case(name, "node") for name in ("gap", "progap", "dp-mlp", "dp-gnn", "heter-poisson", "prompt-dpsgd")}
VOTES = Case("privgnn", "node", (("release", "votes"),))
ENSEMBLE = Case("privgnn", "node", (("release", "ensemble"),))
POSTERIOR = Case("privgnn", "node", (("release", "posterior"),))
GATED = Case("privgnn", "node", (("release", "votes"), ("gate", 0.5)))
REPORTED = Case("dp-gpl", "node", (("report", "sanitised"),))
GATED_GPL = Case("dp-gpl", "node", (("gate_sigma", 9.0),))
OWN_ROWS = Case("gap", "node", (("own_rows", True),))
COUNTED = Case("edge-rand", "edge", (("density", "private"),))
NOISY = (
    *NODE.values(),
    Case("gap", "edge"),
    Case("progap", "edge"),
    COUNTED,
    Case("privgnn", "node"),
    Case("pate", "node"),
    Case("dp-gpl", "node"),
)
"""Every method that draws noise."""


@cache  # as `audited`
def complained(case: Case, kind: str, runs: str = "alone") -> Callable[[], Verdict]:
    """Whether an observer complains of that kind of fault."""

    def check() -> Verdict:
        found = [one.seen for one in complaints(case, runs) if one.kind == kind]
        return Verdict(wrong=bool(found), seen=found[0] if found else "all that is drawn is paid for")

    return check


@cache
def chose_an_epoch(case: Case) -> Callable[[], Verdict]:
    """Whether an epoch goes out that is not the last, in a run in which another was better."""

    def check() -> Verdict:
        seen = another_epoch_was_better(case)
        assert seen is not None
        found = [one.seen for one in last_epoch(seen)]
        return Verdict(wrong=bool(found), seen=found[0] if found else "the last epoch goes out")

    return check


# Rates and scales


def twice_the_rate(module: ModuleType) -> Planted:
    def doubled(examples: int, rate: float, *rest: Any) -> Tensor:
        return poisson_batch(examples, 2 * rate, *rest)

    return lambda: instead(module, "poisson_batch", doubled)


def twice_the_coins(module: ModuleType) -> Planted:
    return lambda: instead(
        module, "coins", lambda queries, nodes, rate, tossed: coins(queries, nodes, 2 * rate, tossed)
    )


def scale_over_clip() -> AbstractContextManager[None]:
    def made(*, clip: float, noise_multiplier: float, **settings: Any) -> PrivateGradients:
        return PrivateGradients(clip=clip, noise_multiplier=noise_multiplier / clip, **settings)

    return instead(stack, "PrivateGradients", made)


def twice_epsilon() -> AbstractContextManager[None]:
    def louder(graph: Any, config: Any, *streams: Secret) -> Any:
        return randomised(graph, replace(config, epsilon=2 * config.epsilon), *streams)

    return instead(edge_rand, "randomised", louder)


def unbounded_readers() -> AbstractContextManager[None]:
    return instead(stack, "bounded_graph", lambda graph, most, seed, both_ways: bounded_graph(graph, most, seed))


@contextmanager
def noise_after_the_first_moment() -> Iterator[None]:
    """Adam's first moment gets noise of the right size; its second reads gradients without any."""
    perturb = PrivateGradients.perturb
    waiting: list[tuple[PrivateGradients, Secret]] = []

    def bare(mechanisms: Sequence[PrivateGradients], net: Any, noise: Any, *rest: Any) -> None:
        waiting[:] = zip(mechanisms, noise, strict=True)
        perturb([replace(one, noise_multiplier=0.0) for one in mechanisms], net, noise, *rest)

    def step(self: Any, gradients_: Tensor) -> None:
        self._steps += 1
        self._first.lerp_(gradients_, 1 - self.beta1)
        self._second.mul_(self.beta2).addcmul_(gradients_, gradients_, value=1 - self.beta2)
        for row, (mechanism, secret) in zip(self._first, waiting, strict=True):
            row.mul_(mechanism.expected_batch)
            std = mechanism.noise_multiplier * mechanism.clip * gradients.sums_margin(mechanism.expected_batch)
            GaussianNoise(std=std, sensitivity=mechanism.clip).add_(row, secret)
            row.div_(mechanism.expected_batch)
        spread = (self._second / (1 - self.beta2**self._steps)).sqrt_().add_(self.eps)
        self._parameters.addcdiv_(self._first * (self._rates / (1 - self.beta1**self._steps)), spread, value=-1)

    with instead(PrivateGradients, "perturb", staticmethod(bare)), instead(StackedAdam, "step", step):
        yield


@contextmanager
def margin_left_out() -> Iterator[None]:
    with (
        instead(gradients, "sums_margin", lambda batch: 1.0),
        instead(subgraph_gradients, "sums_margin", lambda b: 1.0),
    ):
        yield


def times(share: float) -> Planted:
    """Noise that is multiplied once it is drawn."""

    def scaled(values: Any, after: Any) -> Any:
        return values + (after - values) * share

    def on_tensors(self: Any, values: Tensor, secret: Secret) -> Tensor:
        before = values.clone()
        return values.copy_(scaled(before, ADD(self, values, secret)))

    def on_arrays(add: Callable[..., Any]) -> Callable[..., Any]:
        return lambda kind, scale, values, secret: scaled(values, add(kind, scale, values, secret))

    @contextmanager
    def plant() -> Iterator[None]:
        with ExitStack() as everything:
            everything.enter_context(instead(GaussianNoise, "add_", on_tensors))
            for add in (lattice.add, lattice.add_untied):
                everything.enter_context(swapped(add, on_arrays(add)))
            yield

    return plant


ADD = GaussianNoise.add_


# Streams


def one_stream(owner: type[Any], shared: tuple[str, ...]) -> Planted:
    """Noise of several purposes is drawn from the words of the first."""

    def noise(self: Any, name: str) -> Secret:
        return Secret(self.context.noise_key, self.context.seed, f"noise/{shared[0] if name in shared else name}")

    return lambda: instead(owner, "_noise", noise)


def drawn_on(owner: type[Any]) -> Planted:
    """All purposes read on where the one before left off, in one stream."""

    def noise(self: Any, name: str) -> Secret:
        if not hasattr(self, "one"):
            self.one = self.context.secret("noise/all")
        found: Secret = self.one
        return found

    return lambda: instead(owner, "_noise", noise)


def without_the_key() -> AbstractContextManager[None]:
    """Noise that follows from the seed alone."""
    honest = Context.secret

    def secret(self: Context, name: str) -> Secret:
        return Secret(bytes(32), self.seed, name) if name.startswith("noise/") else honest(self, name)

    return instead(Context, "secret", secret)


def from_a_public_generator() -> AbstractContextManager[None]:
    """Noise of NumPy's own, from a seed."""

    def noisy(self: NoisyMax, counts: Any, secret: Secret) -> Any:
        return counts + np.random.default_rng(0).laplace(0, self.scale, counts.shape)

    return instead(NoisyMax, "noisy", noisy)


# Choices, quantities and files


def best_epoch() -> AbstractContextManager[None]:
    def fit(*inputs: Any, **settings: Any) -> Any:
        return fit_private(*inputs, **{**settings, "selection": "validation"})

    return swapped(fit_private, fit)


@contextmanager
def best_epoch_of_dp_gnn() -> Iterator[None]:
    train = dp_gnn._train_one

    def chosen(member: Member) -> Any:
        config = replace(member.config, selection="validation")
        own = copy(member)  # a member that is made anew refuses another plan than its own
        object.__setattr__(own, "config", config)
        object.__setattr__(own, "plan", replace(member.plan, config=config))
        return train(own)

    with instead(dp_gnn, "_train_one", chosen), instead(dp_gnn_config.Config, "unpaid", lambda self: ()):
        yield


def on_logarithms() -> AbstractContextManager[None]:
    return instead(privgnn, "posterior", lambda raw: raw)


def with_labels(owner: type[Any], labels: Callable[[Any, tuple[Any, ...]], Tensor]) -> Planted:
    """The file of predictions also holds the labels of private nodes."""
    finish = owner._finish

    def leaky(self: Any, *given: Any) -> Iterator[Any]:
        yield from finish(self, *given)
        path = self.context.folder / "predictions.npz"
        with np.load(path) as held:
            arrays = dict(held)
        np.savez(path, label=labels(self, given).numpy(), **arrays)

    return lambda: instead(owner, "_finish", leaky)


def planted(name: str, where: str, plant: Planted, case: Case, kind: str, runs: str = "alone") -> Bug:
    return Bug(f"{name} ({case})", where, plant, complained(case, kind, runs))


RATES = [
    *((NODE[name], "nn/training.py", twice_the_rate(training)) for name in ("gap", "progap", "dp-mlp")),
    (NODE["dp-gnn"], "methods/gradients/dp_gnn/train.py", twice_the_rate(dp_gnn)),
    (NODE["heter-poisson"], "methods/gradients/heter_poisson/sampling.py", twice_the_rate(heter_poisson)),
    (NODE["prompt-dpsgd"], "methods/prompts/prompt_dpsgd/train.py", twice_the_rate(prompt_dpsgd)),
    (VOTES, "methods/teachers/privgnn/train.py", twice_the_coins(privgnn)),
    (ENSEMBLE, "methods/teachers/privgnn/teachers.py", twice_the_coins(privgnn_teachers)),
    (POSTERIOR, "methods/teachers/privgnn/teachers.py", twice_the_coins(privgnn_teachers)),
]
"""Every method that samples, and where it does."""

ONE_STREAM = [
    (REPORTED, "methods/prompts/dp_gpl/train.py", one_stream(dp_gpl.Run, ("votes", "report")), "reuse"),
    (GATED_GPL, "methods/prompts/dp_gpl/train.py", one_stream(dp_gpl.Run, ("gate", "votes")), "reuse"),
    (GATED, "methods/teachers/privgnn/train.py", one_stream(privgnn.Run, ("gates", "answers")), "reuse"),
    (GATED_GPL, "methods/prompts/dp_gpl/train.py", drawn_on(dp_gpl.Run), "noise"),
    (GATED, "methods/teachers/privgnn/train.py", drawn_on(privgnn.Run), "noise"),
]

EPOCHS = [
    *((NODE[name], "nn/training.py", best_epoch) for name in ("gap", "progap", "dp-mlp")),
    (NODE["dp-gnn"], "methods/gradients/dp_gnn/train.py", best_epoch_of_dp_gnn),
]

BUGS = (
    *(planted("twice the rate of the ledger", where, plant, case, "rate") for case, where, plant in RATES),
    *(
        planted(
            "noise of the scale over the clip", "methods/aggregation/stack.py", scale_over_clip, NODE[name], "noise"
        )
        for name in ("gap", "progap")
    ),
    *(
        planted(
            "edges randomised at twice epsilon", "methods/baselines/edge_rand/train.py", twice_epsilon, case, "noise"
        )
        for case in (Case("edge-rand", "edge"), COUNTED)
    ),
    *(
        planted(f"{name} of the noise", "mechanisms and lattice.py", times(share), case, "noise")
        for name, share in (("two thirds", 2 / 3), ("three halves", 3 / 2))
        for case in (*(case for case in NOISY if case is not COUNTED), ENSEMBLE, POSTERIOR)
    ),
    planted(
        "own rows without a bound on in-edges", "methods/aggregation/stack.py", unbounded_readers, OWN_ROWS, "quantity"
    ),
    *(
        planted(
            "noise after the first moment",
            "nn/optim.py",
            noise_after_the_first_moment,
            NODE[name],
            "choice",
            "datasets",
        )
        for name in ("gap", "progap", "dp-mlp", "dp-gnn", "prompt-dpsgd")
    ),
    *(
        planted("the margin of sums left out", "mechanisms/gradients.py", margin_left_out, case, "noise")
        for case in NODE.values()
    ),
    *(planted("one stream for two mechanisms", where, plant, case, kind) for case, where, plant, kind in ONE_STREAM),
    *(
        planted("noise from the seed alone", "methods/training.py", without_the_key, case, "key", "keys")
        for case in NOISY
    ),
    planted(
        "noise of NumPy's own", "methods/teachers/pate/train.py", from_a_public_generator, Case("pate", "node"), "noise"
    ),
    *(
        Bug(f"the best epoch by private labels ({case})", where, plant, chose_an_epoch(case))
        for case, where, plant in EPOCHS
    ),
    planted("noise on logarithms", "methods/teachers/privgnn/train.py", on_logarithms, POSTERIOR, "quantity"),
    planted(
        "labels of private nodes in the file of predictions",
        "methods/teachers/privgnn/train.py",
        with_labels(privgnn.Run, lambda run, given: run.parts.private.y),
        Case("privgnn", "node"),
        "choice",
        "datasets",
    ),
    planted(
        "labels of private nodes in the file of predictions",
        "methods/prompts/dp_gpl/train.py",
        with_labels(dp_gpl.Run, lambda run, given: given[0].labels[given[0].private_nodes]),
        Case("dp-gpl", "node"),
        "choice",
        "datasets",
    ),
)
