"""Sizes of a made-up graph, for prices and the Accounting page."""

from privgraph.data.spec import PublicFacts

FACTS = PublicFacts(
    nodes=2000, edges=9000, entries=18000, features=32, classes=7, train_nodes=1500,
    domains=("one", "two"), entities=(1000, 1000), relations=(4500, 4500),
)  # fmt: skip
