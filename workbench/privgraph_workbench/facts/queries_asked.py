"""How many queries a setting of a method with teachers asks, of those that it wants. No Streamlit, no
torch."""

from __future__ import annotations

from privgraph.methods.base import Plan
from privgraph.methods.prompts.dp_gpl.config import Config as DpGpl
from privgraph.methods.teachers.pate.config import Config as Pate
from privgraph.methods.teachers.privgnn.config import Config as PrivGnn


def asked(plan: Plan) -> int:
    """How many queries are asked and priced: as many as are wanted, or as there are public nodes that may be
    asked about. Raises `ValueError` for a method without teachers."""
    config, facts = plan.config, plan.facts
    if isinstance(config, Pate):
        return config.asked(facts.nodes)
    if isinstance(config, PrivGnn):
        return config.asked(facts)
    if isinstance(config, DpGpl):
        return config.fitted(facts.nodes).queries
    raise ValueError(f"{type(config).__name__} asks no queries")


def fewer(wanted: int, found: int) -> str:
    """That fewer queries are asked than are wanted, and why; "" where all are.

    >>> fewer(1000, 975).partition(":")[0]
    '1,000 queries were wanted, and 975 are asked and paid for'
    """
    if found >= wanted:
        return ""
    return (
        f"{wanted:,} queries were wanted, and {found:,} are asked and paid for: one of each public node that may be "
        "asked about."
    )
