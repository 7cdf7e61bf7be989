"""`python -m privgraph.data.describe NAME [--json]`: the facts of a data set, loaded in a process of its own.

Exit code 2 with one sentence on standard error where the data set is unknown or cannot be loaded.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.facts import Arrays, cache_file, domain_facts, facts_of, read_cache, spec_facts
from privgraph.data.files import available, missing, write_json
from privgraph.options import OptionError, UnknownName


def described(
    name: str,
    *,
    node: int | None = None,
    split: str = "random",
    split_seed: int = 0,
    options: Mapping[str, object] | None = None,
    fetch: bool = False,
) -> dict[str, Any]:
    """The facts of a data set, from `home()` if they are kept there, else from the graph itself.

    Raw files that are missing are fetched only where `fetch`. Raises `UnknownName`, `OptionError`,
    `DataError`.
    """
    spec, chosen = dataset(name), dict(options or {})
    if not fetch and not available(spec):
        raise DataError(missing(spec))
    file = cache_file(spec, node=node, split=split, split_seed=split_seed, options=chosen)
    kept = read_cache(file)
    if kept is not None:
        return kept
    from privgraph.data.load import load

    graph = load(name, split=split, split_seed=split_seed, data_options=chosen)
    graph_facts = facts_of(
        Arrays(
            features=int(graph.x.shape[1]),
            y=graph.y.numpy(),
            edges=graph.edge_index.numpy(),
            class_names=graph.class_names,
            undirected=graph.undirected,
            masks={"train": graph.train_mask.numpy(), "val": graph.val_mask.numpy(), "test": graph.test_mask.numpy()},
        ),
        node=node,
    )
    related = [graph.relations(number).numpy() for number in range(len(graph.domain_names))]
    graph_facts["domains"] = domain_facts(graph.texts, graph.domains.numpy(), graph.domain_names, related)
    facts = {**spec_facts(spec), **graph_facts, "split_name": split, "split_seed": split_seed, "options": chosen}
    write_json(file, facts)
    return facts


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m privgraph.data.describe", description="Describe a data set.")
    parser.add_argument("name")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--node", type=int, help="the node whose neighbourhood is given")
    parser.add_argument("--split", default="random")
    parser.add_argument("--split-seed", type=int, default=0)
    parser.add_argument("--fetch", action="store_true", help="fetch raw files that are missing")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of an embedded set")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    asked = _arguments().parse_args(arguments)
    try:
        pairs = [item.partition("=") for item in asked.set]
        if any(not equals for _, equals, _ in pairs):
            raise OptionError("--set needs KEY=VALUE")
        options = {key: value for key, _, value in pairs}
        facts = described(
            asked.name,
            node=asked.node,
            split=asked.split,
            split_seed=asked.split_seed,
            options=options,
            fetch=asked.fetch,
        )
    except (DataError, OptionError, UnknownName) as error:
        print(error, file=sys.stderr)
        return 2
    if asked.json:
        print(json.dumps(facts, allow_nan=False))
    else:
        homophily = "-" if facts["homophily"] is None else f"{facts['homophily']:.2f}"
        print(f"{facts['title']}: {facts['about']}")
        print(
            f"{facts['nodes']:,} nodes, {facts['edges']:,} edges, {facts['features']:,} features, "
            f"{facts['classes']} classes"
        )
        print(
            f"mean degree {facts['degree']['mean']:.1f}, at most {facts['degree']['max']:,}; edge homophily {homophily}"
        )
        for row in facts["domains"]:
            print(
                f"{row['name']}: {row['texts']:,} texts of {row['words']:.1f} words on average, at most "
                f"{row['most_words']:,}; {row['relations']:,} relations"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
