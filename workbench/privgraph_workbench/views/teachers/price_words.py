"""What the form of a price says of PrivGNN's releases, and of what it does not know."""

from __future__ import annotations

NO_GOODS = (
    "How many labels would be right is shown where this form asks for the votes of the run above with other noise, "
    "each query's own. Other votes are not known before a run."
)
OTHER_METHOD = (
    "**Not comparable with the run above:** another method, with other noise on other numbers; how many of these "
    "labels would be right is not known."
)
RELEASES = {
    "table": "What the private nodes of each class look like together goes out once, with noise. It answers "
    "every query, and any number of them for the same price. No teacher is trained, and nobody is "
    "sampled.",
    "votes": "Private nodes that are like the query vote for their own label, and the noisy votes go out. "
    "No teacher is trained.",
    "ensemble": "Several teachers, each trained on its own random part of the sample, vote; the noisy winner goes out.",
    "posterior": "The paper's Algorithm 1: one teacher a query, noise on its chances of the classes; the "
    "largest goes out.",
    "log-posterior": "The official code: noise on logarithms of chances. For comparison only: it protects nobody.",
}
ABOUT_NEIGHBOURS = "K does not change the price: who is sampled is paid for, whether it is near or far."
