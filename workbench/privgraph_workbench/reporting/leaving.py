"""Whom a report is for, and what that leaves out and still tells: the page, the report and its archive say
it in these words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

NAMES: Mapping[bool, str] = {True: "for others", False: "for myself"}
"""A report by whether it is shared: at the end of its file's name, below its title, and on each page of the
print."""
GUESS = (
    "The share of the largest class is left out: it follows from split and labels alone. One over the number of "
    "candidates is told, for it is public, and what the true classes alone reach in an attack, which may hang on the "
    "split."
)
"""Why a line that other reports have is missing here, and which numbers like it are told."""
DISCRETION = (
    "Seeds are not written, and the plain ways to them are left out. That is discretion and no guarantee: results on "
    "test nodes are told in full, and whoever has the graph may try seeds until something fits (an inductive split, an "
    "interval over three runs, or a mean over a known set of seeds help). A seed tells the split, that is who was "
    "trained on, and the initialisation; ε does not rest on it, for noise and samples come from a secret key."
)
"""What leaving seeds out is worth."""
WHOSE: Mapping[bool, str] = {True: "A report for others.", False: "A report for myself."}
"""What stands below the title."""
UNDER: Mapping[bool, str] = {
    True: f"For others: seeds, ids of runs and results of training are left out; runs and seeds are numbered. {GUESS}",
    False: "For myself: with seeds, ids of runs, commands and all results. What others get is made as a report for "
    "others.",
}
"""What that means, below what is told in short."""
GONE: Mapping[str, Sequence[str]] = {
    "Seeds, and what names runs by them": (
        "seeds, also that of each command (SEED stands there), and reproduce.sh",
        "ids of runs, which tell seeds: runs are numbered, and seeds within each setting; both have the same number in "
        "every file, and #1 of one setting is not #1 of another",
        "which runs share a seed: settings are compared by their means, unless all came with the program",
    ),
    "Settings without noise, and the gallery beside your own": (
        "of settings without noise (references, too) each single result and attack of your own runs, and the ε that an "
        "attack has shown: whoever trains one seed after another would see by it which seed it was. Means over all of "
        "your own runs alone are told, and of one seed nothing",
        "in figures the gallery's runs of a setting that also has runs of your own, unless all of them are there, as "
        "in a trade-off: the gallery can be looked up, and the seed that is not there would be one of yours",
    ),
    "Training, and the graph before noise": (
        "what happened in training: learning curves, results on training and validation nodes, time and memory",
        "the share of the largest class, and what is reached without training: they follow from split and labels",
        "what teachers and their votes are before noise; figures that name nodes or count small groups",
    ),
    "Your notes": ("notes on runs, names of tunings, and paths in messages",),
}
"""What a report for others leaves out, in groups."""
TOLD: Mapping[str, Sequence[str]] = {
    "Settings": (
        "methods, graphs and all their settings, and with an appendix a command for each setting, without its seed",
        "on which kind of device (cpu or cuda) a run was made, and by which version",
    ),
    "Results": (
        "results on test nodes: of each run with noise that is reported or stands behind a mean or a trade-off, and "
        "their means; of settings without noise and of references means alone (whoever guesses which set of seeds a "
        "mean is over can check the guess), also of attacks; of attacked models with noise the accuracy",
        "beside your own runs with noise all that the gallery has of their setting, whichever seeds yours have: what "
        "these reached, what attacks found of them, and in a trade-off a curve of their own",
        "each result and attack of settings without noise of which all runs came with the program, where anybody can "
        "look them up",
        "what attacks found, also of nodes that a model was trained on: as shares of all, and no node is named; beside "
        "it what the true classes alone reach",
        "how often a guess among candidates is right: one over their number, which is public",
    ),
    "Guarantees": (
        "privacy statements and ledgers in full, and the ε of each teacher where options alone decide on it",
    ),
    "Your words": (
        "title, author, date, remark, titles and captions of figures, and titles of your own graphs, as you wrote them",
    ),
}
"""What it tells all the same, in groups."""
GOES, STAYS = (tuple(chain.from_iterable(held.values())) for held in (GONE, TOLD))
"""Both without their groups."""


def told() -> str:
    """Both lists, for the text file of an archive."""
    parts = (("Left out of this report for others:", GOES), ("What it tells:", STAYS))
    lists = ["\n".join([head, *(f"- {one}" for one in lines)]) for head, lines in parts]
    return "\n\n".join([*lists, DISCRETION])
