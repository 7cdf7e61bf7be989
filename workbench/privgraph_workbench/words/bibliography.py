"""Which papers are behind methods, attacks, audits and data sets: as BibTeX, and as a list of references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from privgraph.registry import ATTACKS, AUDITS, METHODS
from privgraph.runs.spec import RunSpec
from privgraph_workbench.words.data_papers import DATA_PAPERS, paper_of, title_of
from privgraph_workbench.words.papers import PAPERS, PROGRAM, Paper

NETWORKS: Mapping[str, str] = {
    "sage": "hamilton2017inductive",
    "gcn": "kipf2017semi",
    "gat": "velickovic2018graph",
    "gin": "xu2019powerful",
}
"""The paper of each way in which the network without privacy reads neighbours (option `conv`)."""
BEHIND: Mapping[str, tuple[str, ...]] = {
    "progap": ("sajadmanesh2024progap",),
    "gap": ("sajadmanesh2023gap",),
    "gnn": (*NETWORKS.values(),),
    "mlp": ("sajadmanesh2024progap",),
    "dp-mlp": ("abadi2016deep",),
    "edge-rand": ("wu2022linkteller", "imola2022communication"),
    "dp-gnn": ("daigavane2021node",),
    "heter-poisson": ("xiang2024preserving",),
    "privgnn": ("olatunji2023releasing",),
    "pate": ("papernot2017semi", "olatunji2023releasing"),
    "prompt": ("fang2023universal", "sun2023all", "sun2022gppt"),
    "fine-tune": ("hu2020strategies",),
    "prompt-dpsgd": ("dpgpl", "abadi2016deep"),
    "dp-gpl": ("dpgpl",),
    "relational": ("yin2024privately",),
    "relation-rand": ("yin2024privately", "epasto2022differentially"),
    "bavaria": ("brannvall2026exponential", "carlini2022membership"),
    "lira": ("carlini2022membership",),
    "rmia": ("zarifzadeh2024low",),
    "threshold": ("yeom2018privacy",),
    "shadow": ("olatunji2021membership", "olatunji2023releasing"),
    "prompts": ("carlini2022membership", "dpgpl"),
    "link": ("he2021stealing", "wu2022linkteller"),
    "relations": ("yin2024privately", "he2021stealing"),
    "relations-bavaria": ("yin2024privately", "brannvall2026exponential"),
    "mechanism": ("jagielski2020auditing", "nasr2023tight"),
    "white-box": ("nasr2023tight", "steinke2023privacy", "xiang2024preserving"),
}
"""The papers of each method, attack and audit, as the tables of these name them."""
ALL_PAPERS: Mapping[str, Paper] = {**PAPERS, **DATA_PAPERS}
"""These, and those that data sets come from."""
_SHORT = re.compile(r"^\{([A-Za-z-]+)\}:")


def titled(name: str) -> str:
    """A method (also as `named`), attack, audit or data set for people; its own name where no table knows
    it."""
    method, _, conv = name.partition(" ")
    name = method if conv in NETWORKS else name
    tables: tuple[Mapping[str, object], ...] = (METHODS, ATTACKS, AUDITS)
    known = next((str(getattr(table[name], "title", name)) for table in tables if name in table), "")
    return known or title_of(name) or name


def named_in(text: str) -> list[str]:
    """The papers whose short title stands in a text as a word, by their keys.

    >>> named_in("The gap of GAP, Lemma 1, is that of ProGAP.")
    ['sajadmanesh2024progap', 'sajadmanesh2023gap']
    """
    short = {key: found[1] for key, paper in PAPERS.items() if (found := _SHORT.match(paper.title))}
    return [key for key, title in short.items() if re.search(rf"(?<![\w-]){re.escape(title)}(?![\w-])", text)]


def named(spec: RunSpec) -> str:
    """By what the papers behind a run are found: its method, and of a network how it reads neighbours.

    >>> papers(["gnn gcn"])
    {'kipf2017semi': ['Graph network (not private)']}
    """
    conv = spec.options.get("conv")
    return f"{spec.method} {conv}" if spec.method == "gnn" and conv in NETWORKS else spec.method


def papers(names: Iterable[str]) -> dict[str, list[str]]:
    """The papers behind these methods, attacks, audits and data sets, or of these keys: each once,
    with for what it stands. What has no paper here is left out."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        conv = name.partition(" ")[2]
        known = (NETWORKS[conv],) if conv in NETWORKS else BEHIND.get(name) or filter(None, (paper_of(name),))
        title = titled(name)
        for key in (name,) if name in ALL_PAPERS else known:
            held = found.setdefault(key, [])
            held += [title] if name not in ALL_PAPERS and title not in held else []
    return found


def bibtex(names: Iterable[str]) -> str:
    """Their entries, after that of the program."""
    return "\n\n".join([PROGRAM, *(ALL_PAPERS[key].entry for key in papers(names))]) + "\n"


def references(names: Iterable[str]) -> list[str]:
    """The same papers as lines of a list, by the first author and the year, each with for what it stands."""

    def order(key: str) -> tuple[str, int]:
        paper: Paper = ALL_PAPERS[key]
        return paper.authors[0].casefold(), paper.year or 0

    found = papers(names)
    return [
        ALL_PAPERS[key].reference + (f" For: {', '.join(found[key])}." if found[key] else "")
        for key in sorted(found, key=order)
    ]
