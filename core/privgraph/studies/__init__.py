"""What the studies of all methods share: cells that are runs of a store, and the tables made of them.

A study repeats a paper's tables on real graphs and writes its method's README. It stands beside its method,
in `privgraph.methods.<name>.study`; nothing imports it, and it is not a part of the wheel.
"""
