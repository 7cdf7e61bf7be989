"""PvGaLM: fine-tuning on relations with private gradients of tuples (Algorithm 3)."""

from collections.abc import Generator, Sequence
from functools import partial

from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.methods.relations.fine_tuning import FineTuning, Protection
from privgraph.methods.relations.relational.config import Config
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has an adapter of its own."""
    for index, member in enumerate(members):
        config, graph, context, facts = member.config, member.graph, member.context, member.graph.facts
        relations = graph.relations(config.domain_pair(facts)[0])
        protection = None
        if config.unit == "edge":
            protection = Protection(
                mechanism=PrivateGradients(
                    clip=config.clip,
                    noise_multiplier=member.plan.scale,
                    rate=config.rate(facts),
                    expected_batch=float(config.batch_size),
                ),
                counted=partial(config.entry, facts, member.plan.scale),
            )
        else:
            for entry in member.plan.entries:
                context.ledger.add(entry)
                yield index, Spent(entry=entry_to_json(entry))
        for event in FineTuning(config, graph, context, relations, protection).run():
            yield index, event
