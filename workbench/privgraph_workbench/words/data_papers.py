"""The papers that data sets come from, found by the source that the catalogue names."""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.data.catalogue import dataset
from privgraph.options import UnknownName
from privgraph_workbench.words.papers import _ICLR, _ICML, _NEURIPS, Paper

DATA_PAPERS: Mapping[str, Paper] = {
    one.key: one
    for one in (
        Paper(
            key="yang2016revisiting",
            authors=("Yang, Zhilin", "Cohen, William W.", "Salakhutdinov, Ruslan"),
            title="Revisiting Semi-Supervised Learning with Graph Embeddings",
            venue=_ICML,
            year=2016,
        ),
        Paper(
            key="shchur2018pitfalls",
            authors=("Shchur, Oleksandr", "Mumme, Maximilian", "Bojchevski, Aleksandar", "Günnemann, Stephan"),
            title="Pitfalls of Graph Neural Network Evaluation",
            venue="arXiv:1811.05868",
            year=2018,
            kind="article",
        ),
        Paper(
            key="bojchevski2018deep",
            authors=("Bojchevski, Aleksandar", "Günnemann, Stephan"),
            title="Deep {Gaussian} Embedding of Graphs: Unsupervised Inductive Learning via Ranking",
            venue=_ICLR,
            year=2018,
        ),
        Paper(
            key="rozemberczki2021multi",
            authors=("Rozemberczki, Benedek", "Allen, Carl", "Sarkar, Rik"),
            title="Multi-Scale Attributed Node Embedding",
            venue="Journal of Complex Networks",
            year=2021,
            kind="article",
        ),
        Paper(
            key="agarwal2021towards",
            authors=("Agarwal, Chirag", "Lakkaraju, Himabindu", "Zitnik, Marinka"),
            title="Towards a Unified Framework for Fair and Stable Graph Representation Learning",
            venue="Conference on Uncertainty in Artificial Intelligence (UAI)",
            year=2021,
        ),
        Paper(
            key="hu2020open",
            authors=(
                *("Hu, Weihua", "Fey, Matthias", "Zitnik, Marinka", "Dong, Yuxiao", "Ren, Hongyu", "Liu, Bowen"),
                *("Catasta, Michele", "Leskovec, Jure"),
            ),
            title="Open Graph Benchmark: Datasets for Machine Learning on Graphs",
            venue=_NEURIPS,
            year=2020,
        ),
        Paper(
            key="mernyei2020wiki",
            authors=("Mernyei, Péter", "Cangea, Cătălina"),
            title="{Wiki-CS}: A {Wikipedia}-Based Benchmark for Graph Neural Networks",
            venue="arXiv:2007.02901",
            year=2020,
            kind="article",
        ),
        Paper(
            key="traud2012social",
            authors=("Traud, Amanda L.", "Mucha, Peter J.", "Porter, Mason A."),
            title="Social Structure of {Facebook} Networks",
            venue="Physica A: Statistical Mechanics and its Applications",
            year=2012,
            kind="article",
        ),
        Paper(
            key="deshpande2018contextual",
            authors=("Deshpande, Yash", "Sen, Subhabrata", "Montanari, Andrea", "Mossel, Elchanan"),
            title="Contextual Stochastic Block Models",
            venue=_NEURIPS,
            year=2018,
        ),
        Paper(
            key="zachary1977information",
            authors=("Zachary, Wayne W.",),
            title="An Information Flow Model for Conflict and Fission in Small Groups",
            venue="Journal of Anthropological Research",
            year=1977,
            kind="article",
        ),
        Paper(
            key="mccallum2000automating",
            authors=("McCallum, Andrew Kachites", "Nigam, Kamal", "Rennie, Jason", "Seymore, Kristie"),
            title="Automating the Construction of Internet Portals with Machine Learning",
            venue="Information Retrieval",
            year=2000,
            kind="article",
        ),
        Paper(
            key="pan2016triparty",
            authors=("Pan, Shirui", "Wu, Jia", "Zhu, Xingquan", "Zhang, Chengqi", "Wang, Yang"),
            title="Tri-Party Deep Network Representation",
            venue="International Joint Conference on Artificial Intelligence (IJCAI)",
            year=2016,
        ),
    )
}
"""By the key of their entry."""
_NAMED: Mapping[str, str] = {
    "Yang et al., Revisiting": "yang2016revisiting",
    "Shchur et al., Pitfalls": "shchur2018pitfalls",
    "Bojchevski and Guennemann": "bojchevski2018deep",
    "Rozemberczki et al.": "rozemberczki2021multi",
    "Agarwal et al., Towards a Unified": "agarwal2021towards",
    "Hu et al., Open Graph": "hu2020open",
    "Mernyei and Cangea": "mernyei2020wiki",
    "Hamilton et al., Inductive": "hamilton2017inductive",
    "Traud et al., Social Structure": "traud2012social",
    "contextual stochastic block model (Deshpande": "deshpande2018contextual",
    "Zachary, An Information Flow": "zachary1977information",
    "McCallum et al., Automating": "mccallum2000automating",
    "Pan et al., Tri-Party": "pan2016triparty",
}
"""How the source of a data set in the catalogue begins, and the paper that it names."""


def paper_of(name: str) -> str:
    """The key of the paper of a data set; "" of an upload, and where its source names none.

    >>> paper_of("cora"), paper_of("products"), paper_of("upload:0123456789abcdef")
    ('yang2016revisiting', '', '')
    """
    try:
        source = dataset(name).source
    except UnknownName:
        return ""
    return next((key for start, key in _NAMED.items() if source.startswith(start)), "")


def title_of(name: str) -> str:
    """What people call a data set; "" where the catalogue does not have it."""
    try:
        return dataset(name).title
    except UnknownName:
        return ""
