"""Training of an ordinary graph network on a split of the run, or on the parts of PrivGNN's baselines."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from privgraph.methods.baselines.gnn.config import Config, entry
from privgraph.methods.baselines.gnn.parts import fit_on_parts
from privgraph.methods.baselines.network import fit
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: message passing over one graph leaves nothing to stack."""
    for index, member in enumerate(members):
        spent = entry()
        member.context.ledger.add(spent)
        yield index, Spent(entry=entry_to_json(spent))
        run = fit_on_parts if member.config.parted else fit
        for event in run(member.graph, member.config, member.context):
            yield index, event
