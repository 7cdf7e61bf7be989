"""Sentences that several methods say of what moves their epsilon. No torch."""

from typing import TypedDict

GRADIENT_NOISE = "noise multiplier (standard deviation of the noise over the clip)"


class Said(TypedDict):
    """What a lever says beside its value in a configuration."""

    option: str
    axis: str
    about: str


EPOCHS = Said(option="epochs", axis="epochs", about="More passes read each node's gradient more often.")
BATCH = Said(
    option="batch_size",
    axis="expected nodes in a batch",
    about="A larger batch hides a node less well among those that were not drawn, in fewer steps.",
)
QUERIES = Said(option="queries", axis="queries", about="Every answer costs a little, and the costs add up.")
PARTS = ("private", "public_train", "public_test", "flip", "preset")
"""The options that say who is private, and with it delta."""
