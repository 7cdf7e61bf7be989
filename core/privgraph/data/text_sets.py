"""Rows of the catalogue for real texts and their relations, in domains to learn in and to predict in. No
torch.

Sizes are measured. A paper, a package or an author is a text; `features` is 1, the number of its words. The
tables of texts were made from other people's files, and no address offers them as they are: `by_hand` says
from what, and the README in what form.
"""

from __future__ import annotations

from privgraph.data.spec import DatasetSpec

FOLDER = "TextGraphs"
_URL = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz"
_TASK = "relation prediction"
_FORM = "the README of privgraph.data says which columns and arrays"
_UNSTATED = "the data's own licence is not stated"


def _table(
    name: str,
    title: str,
    about: str,
    place: tuple[str, str, str],
    sizes: tuple[int, int, int],
    domains: tuple[str, ...],
    source: str,
    licence: str,
    origin: str,
    caution: str,
) -> DatasetSpec:
    """A set of one table of texts and one file of pairs; `place` is the folder and two checksums."""
    folder, texts, pairs = place
    return DatasetSpec(
        name=name,
        title=title,
        about=about,
        kind="real",
        source=source,
        licence=licence,
        nodes=sizes[0],
        edges=sizes[1],
        features=1,
        classes=sizes[2],
        task=_TASK,
        files=((f"{FOLDER}/{folder}/nodes.csv.gz", texts), (f"{FOLDER}/{folder}/graph.npz", pairs)),
        by_hand=f"made from {origin}; {_FORM}",
        domains=domains,
        caution=caution,
    )


TEXT_SETS = (
    _table(
        "cora-titles",
        "Titles of computer science papers",
        "Titles of papers in four areas of computer science, and who cites whom: learn in one area what is cited "
        "together, and predict it in another.",
        (
            "Cora12kTitles",
            "0b29289348b92ec3d10fb85138fb6e4ed1b2a17dfdd403f2f2aef4b6d431e478",
            "81a96c57657a8a204547dffd0a4c5fc299a939041943f40103d20ffd9998f643",
        ),
        (11694, 30583, 70),
        ("artificial intelligence", "systems", "databases and interaction", "theory"),
        "McCallum et al., Automating the Construction of Internet Portals with Machine Learning, 2000 (APEX-WSU/CoRA)",
        f"none is stated (APEX-WSU/CoRA); {_UNSTATED}",
        "https://github.com/APEX-WSU/CoRA, commit 544a153",
        "Titles lack stop words, and some the order of their words. 187 papers without an area are left out.",
    ),
    _table(
        "debian-packages",
        "Debian packages",
        "One-line descriptions of programs and which needs which: learn among packages of programming languages "
        "what goes together, and predict it among applications or libraries.",
        (
            "DebianPackages",
            "74c4f75f0f9fc60b95fb504a6eac535c3f2a0e796ed5cf6e958f85ae1f0a9b86",
            "29b6fc8ee744621517982bcdcb9a0166c222a2bbcea0f6f7d56dd4b599416607",
        ),
        (45725, 182400, 34),
        ("language", "application", "libraries"),
        "package index of Debian 12 (bookworm, main, amd64)",
        "metadata from Debian, each under its package's free licence",
        "https://deb.debian.org/debian/dists/bookworm/main/binary-amd64/Packages.xz",
        "Not people: a stand-in for goods with titles. Eight packages with over 2,000 links each are left out.",
    ),
    _table(
        "m10-titles",
        "Titles of papers in ten fields",
        "Titles of scientific papers and who cites whom: learn in one group of fields what is cited together, and "
        "predict it in another.",
        (
            "M10Titles",
            "f10c7003af2ce75bff882025215059426bd787f0973c029737b2ce7b8a96d1dc",
            "d10af93bbcdd0d2ee7525d1b533ad1934f8ec6b13bca8f8e565cc41dabfc7733",
        ),
        (10310, 5688, 10),
        ("natural sciences", "computing and engineering", "society"),
        "Pan et al., Tri-Party Deep Network Representation, IJCAI 2016 (shiruipan/TriDNR)",
        f"none is stated (shiruipan/TriDNR); {_UNSTATED}",
        "https://github.com/shiruipan/TriDNR, commit d817379",
        "More than half of the papers are related to no other one here. The names of the fields are inferred.",
    ),
    DatasetSpec(
        name="coauthors",
        title="Coauthors by their keywords",
        about="Computer scientists and physicists, each told by the keywords they use most, and who wrote with "
        "whom: learn in one field, and predict in the other.",
        kind="real",
        source="Shchur et al., Pitfalls of Graph Neural Network Evaluation, 2018",
        licence="MIT (shchur/gnn-benchmark)",
        nodes=52826,
        edges=329856,
        features=1,
        classes=20,
        task=_TASK,
        files=(
            ("Coauthor/CS/raw/ms_academic_cs.npz", ""),
            ("Coauthor/CS/keywords.json.gz", "79966d18ce6d14781063cb04e6a3495e1283e423749aa1856a2a4da57056ac8c"),
            ("Coauthor/Physics/raw/ms_academic_phy.npz", ""),
            ("Coauthor/Physics/keywords.json.gz", "676d6dc6cd2c39be00b626a294dcb592cfc8c92e286df99709ad0b41d68d0cb3"),
        ),
        urls=(
            ("Coauthor/CS/raw/ms_academic_cs.npz", f"{_URL}/ms_academic_cs.npz"),
            ("Coauthor/Physics/raw/ms_academic_phy.npz", f"{_URL}/ms_academic_phy.npz"),
        ),
        by_hand=f"keywords.json.gz lists the attribute names of the npz of its folder; {_FORM}",
        domains=("CS", "Physics"),
        caution="Real people, without names. A text is the author's 32 most frequent keywords, not a sentence.",
    ),
)
