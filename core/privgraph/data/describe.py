"""The facts of a data set, loaded in a process of its own: `python -m privgraph.data.describe QUERY`.

The argument is a `Query`, as one JSON object. Exit code 2 with one sentence on standard error
where the data set is unknown or cannot be loaded.
"""

import json
import sys
from typing import Any

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.facts import Arrays, Query, domain_facts, facts_of
from privgraph.data.files import available, missing, write_json
from privgraph.options import OptionError, UnknownName


def described(query: Query) -> dict[str, Any]:
    """The facts of a data set, from `home()` if they are kept there, else from the graph itself.

    Nothing is fetched. Raises `UnknownName`, `OptionError`, `DataError`.
    """
    spec, chosen = dataset(query.name), dict(query.options)
    if not available(spec):
        raise DataError(missing(spec))
    if (kept := query.kept()) is not None:
        return kept
    from privgraph.data.load import load

    graph = load(query.name, split=query.split, split_seed=query.split_seed, data_options=chosen)
    facts = facts_of(
        Arrays(
            features=int(graph.x.shape[1]),
            y=graph.y.numpy(),
            edges=graph.edge_index.numpy(),
            class_names=graph.class_names,
            undirected=graph.undirected,
            masks={"train": graph.train_mask.numpy(), "val": graph.val_mask.numpy(), "test": graph.test_mask.numpy()},
        ),
        node=query.node,
    )
    related = [graph.relations(number).numpy() for number in range(len(graph.domain_names))]
    facts["domains"] = domain_facts(graph.texts, graph.domains.numpy(), graph.domain_names, related)
    write_json(query.file, facts)
    return facts


def main() -> int:
    """Print the facts as JSON; returns the exit code."""
    try:
        print(json.dumps(described(Query(**json.loads(sys.argv[1]))), allow_nan=False))
    except (DataError, OptionError, UnknownName) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
