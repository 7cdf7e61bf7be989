"""The table of data sets: what each is, in words for a person who knows nothing, and what it contains. No
torch.

Sizes are those of the graph that `load` returns: an undirected edge is counted once, self-loops and
duplicates are dropped. They are measured, except for sets whose raw files were not at hand when the table
was written (pubmed, wikics, reddit, ogbn): those are as published.
"""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.data.schools import SCHOOLS, school_by_file
from privgraph.data.spec import DatasetSpec
from privgraph.data.text_sets import TEXT_SETS
from privgraph.data.uploads import upload_spec
from privgraph.options import Table, UnknownName, nearest, short

_PLANETOID_URL = "https://github.com/kimiyoung/planetoid/raw/master/data"
_BENCHMARK_URL = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz"
_PLANETOID = "Yang et al., Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016"
_PITFALLS = "Shchur et al., Pitfalls of Graph Neural Network Evaluation, 2018"
_GRAPH2GAUSS = "Bojchevski and Guennemann, Deep Gaussian Embedding of Graphs, ICLR 2018"
_MUSAE = "Rozemberczki et al., Multi-Scale Attributed Node Embedding, 2019"
_NIFTY = "Agarwal et al., Towards a Unified Framework for Fair and Stable Graph Representation Learning, UAI 2021"
_OGB = "Hu et al., Open Graph Benchmark, NeurIPS 2020"
_UNSTATED = "the data's own licence is not stated"
_MADE_EDGES = "The edges are made from the features by a similarity rule, not observed."

_EMBEDDED = (
    DatasetSpec(
        name="social",
        title="Made-up social network",
        about="An invented network of friends whose groups, friendliness and hints you can turn up and down.",
        kind="embedded",
        source="contextual stochastic block model (Deshpande et al., NeurIPS 2018), drawn here from a seed",
        licence="none needed: nobody in it exists",
        options="privgraph.data.embedded:SocialOptions",
    ),
    DatasetSpec(
        name="digits",
        title="Handwritten digits",
        about="Small images of handwritten digits, each joined to those that look most like it.",
        kind="embedded",
        source="scikit-learn's digits (UCI, Alpaydin and Kaynak 1998); edges: 5 nearest neighbours",
        licence="CC BY 4.0 (UCI)",
        nodes=1797,
        edges=6427,
        features=64,
        classes=10,
        caution="Edges and scaling are computed from the features and treated as public preprocessing.",
    ),
    DatasetSpec(
        name="patients",
        title="Breast-cancer patients",
        about="Patients with measurements of a tumour, joined to those with similar ones; is it malignant?",
        kind="embedded",
        source="scikit-learn's Wisconsin diagnostic breast cancer (UCI, Wolberg et al. 1995); edges: 5 "
        "nearest neighbours",
        licence="CC BY 4.0 (UCI)",
        nodes=569,
        edges=2168,
        features=30,
        classes=2,
        caution="Edges and scaling are computed from the features and treated as public preprocessing.",
    ),
    DatasetSpec(
        name="karate",
        title="Karate club",
        about="The 34 members of a karate club that fell apart, and who met whom outside; which side did each take?",
        kind="embedded",
        source="Zachary, An Information Flow Model for Conflict and Fission in Small Groups, 1977 (networkx)",
        licence=_UNSTATED,
        nodes=34,
        edges=78,
        features=34,
        classes=2,
        caution="Far too small for a useful private model: for drawing and for checking by hand.",
    ),
    DatasetSpec(
        name="products",
        title="Made-up products",
        about="Titles of invented products for kitchen and garden. Bought together are those of one style and of one "
        "material, or of two that go together, whatever kind of product they are; and some at random.",
        kind="embedded",
        source="drawn here from a seed: one style, and one material or two that go together",
        licence="none needed: nobody bought any of them",
        features=1,
        classes=12,
        options="privgraph.data.products:ProductOptions",
        task="relation prediction",
        domains=("kitchen", "garden"),
    ),
)

_PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
_PLANETOID_SHA = {
    "cora": (
        "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
        "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
        "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
        "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
        "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
        "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
        "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
        "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    ),
    "citeseer": (
        "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
        "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
        "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
        "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
        "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
        "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
        "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
        "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    ),
    "pubmed": (
        "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
        "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
        "",
        "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
        "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
        "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
        "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
        "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    ),
}


_HOMOPHILY = {
    "cora": 0.81,
    "citeseer": 0.74,
    "facebook-pages": 0.89,
    "twitch-de": 0.63,
    "twitch-en": 0.56,
    "twitch-es": 0.58,
    "twitch-fr": 0.56,
    "twitch-pt": 0.57,
    "twitch-ru": 0.62,
}
"""The share of edges within a class, measured: it says what edges are worth."""


def _planetoid(name: str, title: str, about: str, sizes: tuple[int, int, int, int], caution: str = "") -> DatasetSpec:
    paths = [f"Planetoid/{title}/raw/ind.{name}.{part}" for part in _PLANETOID_PARTS]
    return DatasetSpec(
        name=name,
        title=title,
        about=about,
        kind="real",
        source=_PLANETOID,
        licence="MIT (kimiyoung/planetoid)",
        nodes=sizes[0],
        edges=sizes[1],
        features=sizes[2],
        classes=sizes[3],
        homophily=_HOMOPHILY.get(name),
        files=tuple(zip(paths, _PLANETOID_SHA[name], strict=True)),
        urls=tuple((path, f"{_PLANETOID_URL}/{path.rsplit('/', 1)[1]}") for path in paths),
        caution=caution,
        public_split=True,
    )


def _real(
    name: str,
    title: str,
    about: str,
    path: str,
    url: str,
    sizes: tuple[int, int, int, int],
    source: str,
    licence: str,
    caution: str = "",
) -> DatasetSpec:
    """A set of one raw file."""
    return DatasetSpec(
        name=name,
        title=title,
        about=about,
        kind="real",
        source=source,
        licence=licence,
        nodes=sizes[0],
        edges=sizes[1],
        features=sizes[2],
        classes=sizes[3],
        homophily=_HOMOPHILY.get(name),
        files=((path, ""),),
        urls=((path, url),),
        caution=caution,
    )


_TWITCH_SIZES = {
    "de": ("German", 9498, 153138),
    "en": ("English", 7126, 35324),
    "es": ("Spanish", 4648, 59382),
    "fr": ("French", 6549, 112666),
    "pt": ("Portuguese", 1912, 31299),
    "ru": ("Russian", 4385, 37304),
}

_TWITCH = tuple(
    _real(
        f"twitch-{code}",
        f"Twitch streamers, {language}",
        f"{language}-speaking streamers who follow each other, with the games they play; do they use "
        "explicit language?",
        f"Twitch/{code.upper()}/raw/{code.upper()}.npz",
        f"https://graphmining.ai/datasets/ptg/twitch/{code.upper()}.npz",
        (nodes, edges, 128, 2),
        _MUSAE,
        f"repository GPL-3.0; {_UNSTATED}",
        "Hard: a graph network gains little over guessing the larger class.",
    )
    for code, (language, nodes, edges) in _TWITCH_SIZES.items()
)


def _fair(name: str, title: str, about: str, sizes: tuple[int, int, int, int], caution: str = "") -> DatasetSpec:
    return _real(
        name,
        title,
        about,
        f"FairTabular/{name}/{name}.csv",
        f"https://raw.githubusercontent.com/chirag126/nifty/main/dataset/{name}/{name}.csv",
        sizes,
        _NIFTY,
        "MIT (chirag126/nifty)",
        f"{_MADE_EDGES} {caution}".strip(),
    )


def _ogbn(
    name: str,
    split: str,
    title: str,
    about: str,
    sizes: tuple[int, int | None, int, int],
    licence: str,
    caution: str,
) -> DatasetSpec:
    members = [f"{name}/raw/{part}.csv.gz" for part in ("edge", "node-feat", "node-label")]
    members += [f"{name}/split/{split}/{part}.csv.gz" for part in ("train", "valid", "test")]
    archive = f"https://snap.stanford.edu/ogb/data/nodeproppred/{name}.zip"
    return DatasetSpec(
        name=f"ogbn-{name}",
        title=title,
        about=about,
        kind="real",
        source=_OGB,
        licence=licence,
        nodes=sizes[0],
        edges=sizes[1],
        features=sizes[2],
        classes=sizes[3],
        homophily=_HOMOPHILY.get(name),
        files=tuple((f"OGB/{member}", "") for member in members),
        urls=tuple((f"OGB/{member}", f"{archive}#{member}") for member in members),
        caution=caution,
        public_split=True,
    )


_REAL = (
    _planetoid(
        "cora",
        "Cora",
        "Scientific papers on machine learning, the words they use, and who cites whom; which field is each from?",
        (2708, 5278, 1433, 7),
    ),
    _planetoid(
        "citeseer",
        "CiteSeer",
        "Computer science papers, the words they use, and who cites whom; which field is each from?",
        (3327, 4552, 3703, 6),
        "15 papers come without words, citations and label; their label reads as class 0.",
    ),
    _planetoid(
        "pubmed",
        "PubMed",
        "Medical papers on diabetes, the words they use, and who cites whom; which kind of diabetes is each about?",
        (19717, 44324, 500, 3),
    ),
    _real(
        "facebook-pages",
        "Facebook pages",
        "Official Facebook pages that like each other; is each a company, a government, a politician or a show?",
        "FacebookPagePage/raw/facebook.npz",
        "https://graphmining.ai/datasets/ptg/facebook.npz",
        (22470, 170823, 128, 4),
        _MUSAE,
        f"repository GPL-3.0; {_UNSTATED}",
    ),
    *_TWITCH,
    _real(
        "amazon-computers",
        "Amazon computers",
        "Computer goods that are bought together, with words of their reviews; which shelf is each from?",
        "Amazon/Computers/raw/amazon_electronics_computers.npz",
        f"{_BENCHMARK_URL}/amazon_electronics_computers.npz",
        (13752, 245861, 767, 10),
        _PITFALLS,
        "MIT (shchur/gnn-benchmark)",
    ),
    _real(
        "amazon-photo",
        "Amazon photo",
        "Photo goods that are bought together, with words of their reviews; which shelf is each from?",
        "Amazon/Photo/raw/amazon_electronics_photo.npz",
        f"{_BENCHMARK_URL}/amazon_electronics_photo.npz",
        (7650, 119081, 745, 8),
        _PITFALLS,
        "MIT (shchur/gnn-benchmark)",
    ),
    _real(
        "coauthor-cs",
        "Coauthors, computer science",
        "Computer scientists who wrote papers together, with their keywords; what is each one's field?",
        "Coauthor/CS/raw/ms_academic_cs.npz",
        f"{_BENCHMARK_URL}/ms_academic_cs.npz",
        (18333, 81894, 6805, 15),
        _PITFALLS,
        "MIT (shchur/gnn-benchmark)",
        "The features take 0.5 GB of memory.",
    ),
    _real(
        "coauthor-physics",
        "Coauthors, physics",
        "Physicists who wrote papers together, with their keywords; what is each one's field?",
        "Coauthor/Physics/raw/ms_academic_phy.npz",
        f"{_BENCHMARK_URL}/ms_academic_phy.npz",
        (34493, 247962, 8415, 5),
        _PITFALLS,
        "MIT (shchur/gnn-benchmark)",
        "The features take 1.2 GB of memory.",
    ),
    DatasetSpec(
        name="wikics",
        title="Wikipedia, computer science",
        about="Wikipedia articles on computer science that link to each other; which branch is each about?",
        kind="real",
        source="Mernyei and Cangea, Wiki-CS: A Wikipedia-Based Benchmark for Graph Neural Networks, 2020",
        licence="MIT (pmernyei/wiki-cs-dataset)",
        nodes=11701,
        features=300,
        classes=10,
        files=(("WikiCS/raw/data.json", ""),),
        urls=(("WikiCS/raw/data.json", "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json"),),
        public_split=True,
    ),
    DatasetSpec(
        name="reddit",
        title="Reddit posts",
        about="Posts that the same people commented on; which community is each from?",
        kind="real",
        source="Hamilton et al., Inductive Representation Learning on Large Graphs, NeurIPS 2017",
        licence=_UNSTATED,
        nodes=232965,
        edges=57307946,
        features=602,
        classes=41,
        files=(("Reddit/raw/reddit_data.npz", ""), ("Reddit/raw/reddit_graph.npz", "")),
        urls=tuple(
            (f"Reddit/raw/{name}", f"https://data.dgl.ai/dataset/reddit.zip#{name}")
            for name in ("reddit_data.npz", "reddit_graph.npz")
        ),
        caution="Large: 2 GB on disk and about 6 GB of memory.",
        public_split=True,
    ),
    _ogbn(
        "arxiv",
        "time",
        "arXiv papers",
        "Computer science papers on arXiv and who cites whom; which subject area is each from?",
        (169343, 1157799, 128, 40),
        "ODC-BY",
        "A citation is counted in both directions.",
    ),
    _ogbn(
        "products",
        "sales_ranking",
        "Amazon products",
        "Millions of goods that are bought together; which category is each from?",
        (2449029, None, 100, 47),
        "Amazon licence (see OGB)",
        "Very large: about 62 million edges and 12 GB of memory while loading.",
    ),
    _real(
        "dblp",
        "DBLP",
        "Computer science papers, the words of their titles, and who cites whom; which area is each from?",
        "CitationFull/dblp/raw/dblp.npz",
        "https://github.com/abojchevski/graph2gauss/raw/master/data/dblp.npz",
        (17716, 52867, 1639, 4),
        _GRAPH2GAUSS,
        "MIT (abojchevski/graph2gauss)",
    ),
    _real(
        "cora-ml",
        "Cora, machine learning",
        "Another cut of the machine learning papers of Cora, with the words they use and who cites whom.",
        "CitationFull/cora_ml/raw/cora_ml.npz",
        "https://github.com/abojchevski/graph2gauss/raw/master/data/cora_ml.npz",
        (2995, 8158, 2879, 7),
        _GRAPH2GAUSS,
        "MIT (abojchevski/graph2gauss)",
    ),
    _fair(
        "german",
        "German credit",
        "People who asked a bank for a loan, joined to similar ones; did each pay it back?",
        (1000, 21742, 27, 2),
    ),
    _fair(
        "bail",
        "Bail",
        "People released from prison in North Carolina, joined to similar ones; was each arrested again?",
        (18876, 311870, 18, 2),
    ),
    _fair(
        "credit",
        "Credit default",
        "Credit card holders in Taiwan, joined to similar ones; did each pay the next bill?",
        (30000, 1635712, 13, 2),
        "They are rebuilt by that rule and are not the list that the paper used.",
    ),
)

DATASETS: Mapping[str, DatasetSpec] = Table(
    "data set", lambda: {spec.name: spec for spec in (*_EMBEDDED, *_REAL, *TEXT_SETS, *SCHOOLS)}
)


def dataset(name: str) -> DatasetSpec:
    """The data set of that name. Raises `UnknownName` with the nearest match.

    A Facebook100 school that the table does not list is known as soon as its file lies in the data folder;
    an upload is known by its name `upload:<16 hex digits>` (12 where it was uploaded to an earlier version).
    """
    if name in DATASETS:
        return DATASETS[name]
    if str(name).startswith("fb100-"):
        return school_by_file(name)
    if str(name).startswith("upload:"):
        return upload_spec(name)
    known = ", ".join(key for key in DATASETS if not key.startswith("fb100-"))
    raise UnknownName(
        f"there is no data set {short(name)}{nearest(name, DATASETS) or f'; data sets are {known} and fb100-<school>'}"
    )
