"""One prompt on a frozen network, tuned on a few private nodes without protection."""

from collections.abc import Generator, Iterator, Sequence

from torch import Tensor

from privgraph.methods.prompts.few_shot import Judge, chosen_by_label, fresh_prompt, progress, ready
from privgraph.methods.prompts.pretrained import recipe_of
from privgraph.methods.prompts.prompt.config import Config, entry
from privgraph.methods.training import Member
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompt_tuning import Tuning
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Result, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has a backbone and private nodes of its own."""
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config
    context = member.context
    spent = entry()
    context.ledger.add(spent)
    yield Spent(entry=entry_to_json(spent))
    total = config.pretrain_epochs + config.epochs
    prepared, table = yield from ready(member.graph, config, context, total=total)
    backbone, recipe = prepared.backbone, recipe_of(config)
    shots = chosen_by_label(prepared, config.shots, context.seed)
    prompt = fresh_prompt(prepared, table, recipe, context)
    judge = Judge(prepared, shots, context.device)
    lower_bound = judge.accuracy(lambda egos: prompt.answers(backbone, table, egos)[0], prepared.test_nodes)
    egos = prepared.egos(shots.nodes).to(context.device)
    tuning = Tuning(prompt, backbone, table, egos, shots.labels.unsqueeze(0).to(context.device), recipe)

    def answering(asked: EgoGraphs) -> Tensor:
        return tuning.prompts.answers(backbone, table, asked)[0]

    for epoch in range(1, config.epochs + 1):
        loss = float(tuning.step())
        step = config.pretrain_epochs + epoch
        yield from judge.told(answering, loss, step)
        yield progress(step, total)
    yield Result(metrics={**judge.accuracies(answering), "lower_bound": lower_bound})
