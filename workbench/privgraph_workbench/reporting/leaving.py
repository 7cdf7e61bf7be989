"""Whom a report is for, and what that leaves out and still tells: the page, the report and its archive say
it in these words."""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[bool, str] = {True: "for others", False: "for myself"}
"""A report by whether it is shared: at the end of its file's name, below its title, and on each page of the
print."""
GUESS = (
    "The share of the largest class is left out: it follows from split and labels alone, so that whoever has the graph "
    "could find the seed by it. One over the number of candidates is told, for it is public, and so is what the true "
    "classes alone reach in an attack."
)
"""Why a line that other reports have is missing here, and which numbers like it are told."""
WHOSE: Mapping[bool, str] = {True: "A report for others.", False: "A report for myself."}
"""What stands below the title."""
UNDER: Mapping[bool, str] = {
    True: f"For others: seeds, ids of runs and results of training are left out; runs and seeds are numbered. {GUESS}",
    False: "For myself: with seeds, ids of runs, commands and all results. What others get is made as a report for "
    "others.",
}
"""What that means, below what is told in short."""
GOES = (
    "seeds, also that of each command (SEED stands there), and reproduce.sh",
    "ids of runs, which tell seeds: runs are numbered, and seeds within each setting; both have the same number in "
    "every file, and #1 of one setting is not #1 of another",
    "of settings without noise (references, too) each single result and attack: whoever trains one seed "
    "after another knows by it which seed it was. Their means alone are told, and of one seed nothing",
    "runs with public noise (the gallery's) of a setting that also has runs with secret noise: whoever looks the "
    "gallery up would find the seed of the others as the one that is not there",
    "what happened in training: learning curves, results on training and validation nodes, time and memory",
    "the share of the largest class, and what is reached without training: they follow from split and labels",
    "what teachers and their votes are before noise; figures that name nodes or count small groups",
    "notes on runs, names of tunings, and paths in messages",
)
"""What a report for others leaves out."""
STAYS = (
    "methods, graphs and all their settings, and with an appendix a command for each setting, without its seed",
    "results on test nodes: of each run with noise that is reported or stands behind a mean or a trade-off, and their "
    "means; of settings without noise and of references means alone (whoever guesses which set of seeds a mean is over "
    "can check the guess, and learns of no run which seed it has), also of attacks; of "
    "attacked models with noise the accuracy",
    "on which kind of device (cpu or cuda) a run was made, and by which version",
    "what attacks found, also of nodes that a model was trained on: as shares of all, and no node is named; beside "
    "it what the true classes alone reach",
    "how often a guess among candidates is right: one over their number, which is public",
    "privacy statements and ledgers in full, and the ε of each teacher where options alone decide on it",
    "title, author, date, remark, titles and captions of figures, and titles of your own graphs, as you wrote them",
)
"""What it tells all the same."""


def told() -> str:
    """Both lists, for the text file of an archive."""
    parts = (("Left out of this report for others:", GOES), ("What it tells:", STAYS))
    return "\n\n".join("\n".join([head, *(f"- {one}" for one in lines)]) for head, lines in parts)
