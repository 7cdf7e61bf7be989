"""Columns of words in an uploaded graph: each category becomes a feature of 0 and 1, or the column is left
out. No torch.

The list of categories is read off the data, so that it is no secret of theirs: whoever sees the names or the
number of features sees it. The notes of an upload say so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import clean_name, shown
from privgraph.options import listed

MOST = 50
"""Categories of a column that are coded; a column of more is rather a name or a text."""


def checked(column: str, values: Collection[str]) -> tuple[str, ...]:
    """The categories of a column in order. Raises `UploadError` where there are too many."""
    if len(values) > MOST:
        raise UploadError(
            f"The column {shown(column)} has {len(values):,} different values, and at most {MOST} become features of "
            "0 and 1: leave it out"
        )
    return tuple(sorted(values))


def feature(column: str, category: str) -> str:
    """The name of the feature that says whether a node is of a category.

    >>> feature("office", "Bonn"), feature("office", "")
    ('office=Bonn', 'office=(none)')
    """
    return clean_name(f"{column}={category or '(none)'}")


def check_names(features: Sequence[str]) -> None:
    """Raise `UploadError` where two features, those of categories among them, would be called alike."""
    twice = next((name for name, count in Counter(map(clean_name, features)).items() if count > 1), None)
    if twice is not None:
        raise UploadError(
            f"Two features of the nodes would have the same name, {shown(twice, 60)}: leave out a column, or shorten "
            "its values (60 letters of a name are kept)"
        )


def coded_words(columns: Sequence[str]) -> tuple[str, ...]:
    """What is said of columns whose categories became features.

    >>> coded_words([])
    ()
    """
    if not columns:
        return ()
    return (
        f"Each category became a feature of 0 and 1, in {listed(shown(one) for one in columns)}: the list of "
        "categories is taken from your data, and counts as public.",
    )


def ignored(*, edges: Sequence[str] = (), nodes: Sequence[str] = ()) -> tuple[str, ...]:
    """What is said of columns that are not read.

    >>> ignored(edges=["weight"], nodes=["name", "office"])
    ('Ignored of the edges: weight.', 'Ignored of the nodes: name, office.')
    """
    named = (("edges", edges), ("nodes", nodes))
    return tuple(f"Ignored of the {what}: {listed(shown(one) for one in those)}." for what, those in named if those)
