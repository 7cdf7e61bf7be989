"""The papers behind methods, attacks and audits, once for BibTeX and for lists of references."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph import __version__

VENUES: Mapping[str, tuple[str, str]] = {
    "article": ("journal", "article"),
    "conference": ("booktitle", "inproceedings"),
    "other": ("howpublished", "misc"),
}
"""Of each kind of publication the field of its venue, and the kind of its entry in BibTeX."""
_BRACES = re.compile(r"[{}]")
_ACCENTS: Mapping[str, str] = {"\u0300": "`", "\u0301": "'", "\u0306": "u ", "\u0308": '"', "\u030c": "v "}
"""What stands above a letter, and what TeX calls it."""


def _tex(text: str) -> str:
    """Text as BibTeX reads it, whose letters are those of ASCII."""
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter == "&":
        return r"\&"
    apart = unicodedata.normalize("NFD", letter)
    return f"{{\\{_ACCENTS[apart[1]]}{apart[0]}}}" if len(apart) > 1 else letter


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One paper. `authors`: each as "Last, First"; `title`: braces keep the case of what is in them, as in
    BibTeX; `venue`: where it appeared ("": nowhere that is known)."""

    key: str
    authors: Sequence[str]
    title: str
    year: int | None = None
    venue: str = ""
    kind: str = "conference"

    @property
    def plain_title(self) -> str:
        """The title for people."""
        return _BRACES.sub("", self.title)

    @property
    def reference(self) -> str:
        """The paper in a line of a list of references.

        >>> PAPERS["carlini2022membership"].reference[:55]
        'Nicholas Carlini, Steve Chien, Milad Nasr, Shuang Song,'
        """
        names = [" ".join(reversed(one.split(", ", 1))) for one in self.authors]
        who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        where = ", ".join(filter(None, (self.venue, str(self.year or ""))))
        stop = "" if self.plain_title.endswith("?") else "."
        return f"{who}. {self.plain_title}{stop} {where}.".replace("..", ".").strip()

    @property
    def entry(self) -> str:
        """The paper as an entry of BibTeX."""
        field, kind = VENUES[self.kind]
        told = {
            "title": self.title,
            "author": " and ".join(one if ", " in one else f"{{{one}}}" for one in self.authors),
            field: self.venue,
            "year": str(self.year or ""),
        }
        lines = [f"  {name} = {{{_tex(said)}}}," for name, said in told.items() if said]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])


YEAR = 2026
"""The year of the program's copyright."""
PROGRAM = f"""@software{{privgraph,
  title = {{privgraph: a workbench for differentially private learning on graphs}},
  author = {{{{privgraph contributors}}}},
  version = {{{__version__}}},
  year = {{{YEAR}}},
  note = {{Software, MIT license}},
}}"""

_CCS = "ACM Conference on Computer and Communications Security (CCS)"
_ICLR = "International Conference on Learning Representations (ICLR)"
_ICML = "International Conference on Machine Learning (ICML)"
_KDD = "ACM SIGKDD Conference on Knowledge Discovery and Data Mining (KDD)"
_NEURIPS = "Advances in Neural Information Processing Systems (NeurIPS)"
_SP = "IEEE Symposium on Security and Privacy (S&P)"
_TMLR = "Transactions on Machine Learning Research"
_USENIX = "USENIX Security Symposium"

PAPERS: Mapping[str, Paper] = {
    one.key: one
    for one in (
        Paper(
            key="sajadmanesh2024progap",
            authors=("Sajadmanesh, Sina", "Gatica-Perez, Daniel"),
            title="{ProGAP}: Progressive Graph Neural Networks with Differential Privacy Guarantees",
            venue="ACM International Conference on Web Search and Data Mining (WSDM)",
            year=2024,
        ),
        Paper(
            key="sajadmanesh2023gap",
            authors=("Sajadmanesh, Sina", "Shamsabadi, Ali Shahin", "Bellet, Aurélien", "Gatica-Perez, Daniel"),
            title="{GAP}: Differentially Private Graph Neural Networks with Aggregation Perturbation",
            venue=_USENIX,
            year=2023,
        ),
        Paper(
            key="olatunji2023releasing",
            authors=("Olatunji, Iyiola E.", "Funke, Thorben", "Khosla, Megha"),
            title="Releasing Graph Neural Networks with Differential Privacy Guarantees",
            venue=_TMLR,
            year=2023,
            kind="article",
        ),
        Paper(
            key="xiang2024preserving",
            authors=("Xiang, Zihang", "Wang, Tianhao", "Wang, Di"),
            title="Preserving Node-level Privacy in Graph Neural Networks",
            venue=_SP,
            year=2024,
        ),
        Paper(
            key="dpgpl",
            authors=("Anonymous authors",),
            title="{DP-GPL}: Differentially Private Graph Prompt Learning",
            venue="Under double-blind review",
            kind="other",
        ),
        Paper(
            key="yin2024privately",
            authors=("Yin, Haoteng", "Wei, Rongzhe", "Chien, Eli", "Li, Pan"),
            title="Privately Learning from Graphs with Applications in Finetuning Large Language Models",
            year=2024,
            kind="other",
        ),
        Paper(
            key="abadi2016deep",
            authors=(
                "Abadi, Martin",
                "Chu, Andy",
                "Goodfellow, Ian",
                "McMahan, H. Brendan",
                "Mironov, Ilya",
                "Talwar, Kunal",
                "Zhang, Li",
            ),
            title="Deep Learning with Differential Privacy",
            venue=_CCS,
            year=2016,
        ),
        Paper(
            key="daigavane2021node",
            authors=(
                "Daigavane, Ameya",
                "Madan, Gagan",
                "Sinha, Aditya",
                "Thakurta, Abhradeep Guha",
                "Aggarwal, Gaurav",
                "Jain, Prateek",
            ),
            title="Node-Level Differentially Private Graph Neural Networks",
            year=2021,
            kind="other",
        ),
        Paper(
            key="wu2022linkteller",
            authors=("Wu, Fan", "Long, Yunhui", "Zhang, Ce", "Li, Bo"),
            title="{LinkTeller}: Recovering Private Edges from Graph Neural Networks via Influence Analysis",
            venue=_SP,
            year=2022,
        ),
        Paper(
            key="imola2022communication",
            authors=("Imola, Jacob", "Murakami, Takao", "Chaudhuri, Kamalika"),
            title="Communication-Efficient Triangle Counting under Local Differential Privacy",
            venue=_USENIX,
            year=2022,
        ),
        Paper(
            key="papernot2017semi",
            authors=(
                "Papernot, Nicolas",
                "Abadi, Martín",
                "Erlingsson, Úlfar",
                "Goodfellow, Ian",
                "Talwar, Kunal",
            ),
            title="Semi-supervised Knowledge Transfer for Deep Learning from Private Training Data",
            venue=_ICLR,
            year=2017,
        ),
        Paper(
            key="hamilton2017inductive",
            authors=("Hamilton, William L.", "Ying, Rex", "Leskovec, Jure"),
            title="Inductive Representation Learning on Large Graphs",
            venue=_NEURIPS,
            year=2017,
        ),
        Paper(
            key="kipf2017semi",
            authors=("Kipf, Thomas N.", "Welling, Max"),
            title="Semi-Supervised Classification with Graph Convolutional Networks",
            venue=_ICLR,
            year=2017,
        ),
        Paper(
            key="velickovic2018graph",
            authors=(
                "Veličković, Petar",
                "Cucurull, Guillem",
                "Casanova, Arantxa",
                "Romero, Adriana",
                "Liò, Pietro",
                "Bengio, Yoshua",
            ),
            title="Graph Attention Networks",
            venue=_ICLR,
            year=2018,
        ),
        Paper(
            key="xu2019powerful",
            authors=("Xu, Keyulu", "Hu, Weihua", "Leskovec, Jure", "Jegelka, Stefanie"),
            title="How Powerful are Graph Neural Networks?",
            venue=_ICLR,
            year=2019,
        ),
        Paper(
            key="fang2023universal",
            authors=("Fang, Taoran", "Zhang, Yunchao", "Yang, Yang", "Wang, Chunping", "Chen, Lei"),
            title="Universal Prompt Tuning for Graph Neural Networks",
            venue=_NEURIPS,
            year=2023,
        ),
        Paper(
            key="sun2023all",
            authors=("Sun, Xiangguo", "Cheng, Hong", "Li, Jia", "Liu, Bo", "Guan, Jihong"),
            title="All in One: Multi-Task Prompting for Graph Neural Networks",
            venue=_KDD,
            year=2023,
        ),
        Paper(
            key="sun2022gppt",
            authors=("Sun, Mingchen", "Zhou, Kaixiong", "He, Xin", "Wang, Ying", "Wang, Xin"),
            title="{GPPT}: Graph Pre-training and Prompt Tuning to Generalize Graph Neural Networks",
            venue=_KDD,
            year=2022,
        ),
        Paper(
            key="hu2020strategies",
            authors=(
                "Hu, Weihua",
                "Liu, Bowen",
                "Gomes, Joseph",
                "Zitnik, Marinka",
                "Liang, Percy",
                "Pande, Vijay",
                "Leskovec, Jure",
            ),
            title="Strategies for Pre-training Graph Neural Networks",
            venue=_ICLR,
            year=2020,
        ),
        Paper(
            key="epasto2022differentially",
            authors=(
                "Epasto, Alessandro",
                "Mirrokni, Vahab",
                "Perozzi, Bryan",
                "Tsitsulin, Anton",
                "Zhong, Peilin",
            ),
            title="Differentially Private Graph Learning via Sensitivity-Bounded Personalized {PageRank}",
            venue=_NEURIPS,
            year=2022,
        ),
        Paper(
            key="carlini2022membership",
            authors=(
                "Carlini, Nicholas",
                "Chien, Steve",
                "Nasr, Milad",
                "Song, Shuang",
                "Terzis, Andreas",
                "Tramèr, Florian",
            ),
            title="Membership Inference Attacks From First Principles",
            venue=_SP,
            year=2022,
        ),
        Paper(
            key="brannvall2026exponential",
            authors=("Brännvall, Rickard",),
            title="Exponential-Family Membership Inference: From {LiRA} and {RMIA} to {BaVarIA}",
            venue="arXiv 2603.11799",
            year=2026,
            kind="other",
        ),
        Paper(
            key="zarifzadeh2024low",
            authors=("Zarifzadeh, Sajjad", "Liu, Philippe", "Shokri, Reza"),
            title="Low-Cost High-Power Membership Inference Attacks",
            venue=_ICML,
            year=2024,
        ),
        Paper(
            key="yeom2018privacy",
            authors=("Yeom, Samuel", "Giacomelli, Irene", "Fredrikson, Matt", "Jha, Somesh"),
            title="Privacy Risk in Machine Learning: Analyzing the Connection to Overfitting",
            venue="IEEE Computer Security Foundations Symposium (CSF)",
            year=2018,
        ),
        Paper(
            key="olatunji2021membership",
            authors=("Olatunji, Iyiola E.", "Nejdl, Wolfgang", "Khosla, Megha"),
            title="Membership Inference Attack on Graph Neural Networks",
            venue="IEEE International Conference on Trust, Privacy and Security in Intelligent Systems (TPS-ISA)",
            year=2021,
        ),
        Paper(
            key="he2021stealing",
            authors=("He, Xinlei", "Jia, Jinyuan", "Backes, Michael", "Gong, Neil Zhenqiang", "Zhang, Yang"),
            title="Stealing Links from Graph Neural Networks",
            venue=_USENIX,
            year=2021,
        ),
        Paper(
            key="jagielski2020auditing",
            authors=("Jagielski, Matthew", "Ullman, Jonathan", "Oprea, Alina"),
            title="Auditing Differentially Private Machine Learning: How Private is Private {SGD}?",
            venue=_NEURIPS,
            year=2020,
        ),
        Paper(
            key="nasr2023tight",
            authors=(
                "Nasr, Milad",
                "Hayes, Jamie",
                "Steinke, Thomas",
                "Balle, Borja",
                "Tramèr, Florian",
                "Jagielski, Matthew",
                "Carlini, Nicholas",
                "Terzis, Andreas",
            ),
            title="Tight Auditing of Differentially Private Machine Learning",
            venue=_USENIX,
            year=2023,
        ),
        Paper(
            key="steinke2023privacy",
            authors=("Steinke, Thomas", "Nasr, Milad", "Jagielski, Matthew"),
            title="Privacy Auditing with One (1) Training Run",
            venue=_NEURIPS,
            year=2023,
        ),
    )
}
"""By the key of their entry."""
