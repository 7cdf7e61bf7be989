"""What a figure of attacks for others does not draw, and says."""

from __future__ import annotations

from dataclasses import replace

from privgraph.registry import sides
from privgraph_workbench.reporting.asked import Asked, Drawn
from privgraph_workbench.reporting.own_setting import PUBLIC, setting
from privgraph_workbench.words import strongest
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.naming import describe
from privgraph_workbench.words.numbers import number

ATTACKS = (
    "For others attacks on the gallery's runs of settings that have runs of one's own, too, are not drawn: which of "
    "them are there would tell which seeds one's own have."
)
"""What stands below a figure where the report has such settings, whether or not any attack was left out."""


def told(one: Drawn, asked: Asked) -> Drawn:
    """A figure of attacks for others, with what is not drawn of them: those on the gallery's runs of settings
    that have runs of one's own, and what they found; whatever was drawn, and whichever seeds these have."""
    drawn = {str(row["asks"]) for row in one.rows if "asks" in row}
    held = [known for known in asked.runs if known.twins is not None]
    if not asked.share or not drawn or not held:
        return one
    found: dict[tuple[str, str], str] = {}
    for known in held:
        for attack in strongest.strongest(known.twins.attacks if known.twins else ()):
            if (asks := sides(attack.attack).asks) in drawn:
                words = f"{describe(known.record)}, {PUBLIC}: AUC {number(attack.found[0])} by {called(attack.attack)}"
                found.setdefault((setting(known.record), asks), words)
    said = ATTACKS + (f" What these found: {'; '.join(found.values())}." if found else "")
    return replace(one, left_out=" ".join(filter(None, (one.left_out, said))))
