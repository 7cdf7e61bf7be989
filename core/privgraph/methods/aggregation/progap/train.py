"""Training ProGAP (Algorithm 2): K + 1 stages over cached noisy aggregates. See README.md for equations."""

from collections.abc import Generator, Iterator, Sequence

from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.aggregation.stack import Stack, groups
from privgraph.methods.training import Member
from privgraph.nn.inputs import Inputs, PerMember
from privgraph.nn.layers import UnitLinear
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.progress import Event


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train every member; those that may share a computation do. See `methods.base.TrainEntry`."""
    for positions in groups(members, lambda config: config.width):
        yield from _train(Stack([members[position] for position in positions], positions))


def _train(stack: Stack) -> Iterator[tuple[int, Event]]:
    config = stack.config
    assert isinstance(config, Config)
    cache: list[Inputs] = [stack.features]
    net: StackedNet | None = None
    for number in range(config.depth + 1):
        stage = f"stage {number}"
        if net is not None:
            # Eq. 8: the newest embeddings are aggregated once, and only the noisy sums are ever read again
            embeddings = net.branch_output(len(net.branches) - 1, cache[-1])
            noisy, spent = stack.aggregate(embeddings, stage)
            cache.append(PerMember(noisy))
            yield from spent
        yield from stack.say(f"Stage {number} of {config.depth}")
        net = _submodel(stack, config, cache, net)
        yield from stack.train(net, _read(config, cache), stage)
    assert net is not None
    yield from stack.finish(net, _read(config, cache))


def _read(config: Config, cache: Sequence[Inputs]) -> Sequence[Inputs]:
    """The cached inputs that a submodel reads: of all stages, or of the newest alone."""
    return cache if config.jumping == "concat" else cache[-1:]


def _submodel(stack: Stack, config: Config, cache: Sequence[Inputs], before: StackedNet | None) -> StackedNet:
    """M_s (Eq. 8 to 10): all bases so far, trained on, and a new base and head (Algorithm 2, lines 6 and
    7)."""
    norm = "group" if config.unit == "node" else "batch"
    read = _read(config, cache)
    branches = [
        mlp_layers(given.features, config.hidden, config.layers, norm=norm, dropout=config.dropout) for given in read
    ]
    width = config.hidden * len(read)
    head = [UnitLinear(width, stack.classes)]
    net = StackedNet(branches, head, members=stack.size, device=stack.device)
    net.initialise(stack.net_generators(f"stage {len(cache) - 1}"))
    if before is not None and config.jumping == "concat":
        for position in range(len(before.branches)):
            net.copy_branch(position, before)
    return net
