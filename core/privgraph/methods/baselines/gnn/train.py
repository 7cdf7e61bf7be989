"""Training of an ordinary graph network on a split of the run, or on the parts of PrivGNN's baselines."""

from collections.abc import Generator, Sequence

from privgraph.methods.baselines.gnn.config import Config, entry
from privgraph.methods.baselines.gnn.parts import fit_on_parts
from privgraph.methods.baselines.network import fit_together
from privgraph.methods.training import Member
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Spent


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members of one stack key: side by side on a split, one after another on parts of their own."""
    config = members[0].config
    for index, member in enumerate(members):
        spent = entry()
        member.context.ledger.add(spent)
        yield index, Spent(entry=entry_to_json(spent))
    if not config.parted:
        graphs, contexts = [member.graph for member in members], [member.context for member in members]
        yield from fit_together(graphs, config, contexts)
        return
    for index, member in enumerate(members):
        for event in fit_on_parts(member.graph, member.config, member.context):
            yield index, event
