"""The Facebook100 schools at hand, and others by their file. No torch.

Friendships of 2005 within one school, without names. The task is a person's class year, by the recipe of GAP
and ProGAP: people without a year are left out with their edges; status, gender, major, minor and housing are
one-hot features, all zeros where missing; a year needs 1,000 people in schools of over 10,000, else 200 (100
in schools of under 1,000, where 200 would leave fewer than two years). People without friends stay: whether a
person is listed must not depend on the edges that are to be protected.
"""

from __future__ import annotations

from pathlib import Path

from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.options import UnknownName, nearest

_URL = "https://github.com/sisaman/pyg-datasets/raw/main/datasets/facebook100"
FOLDER = "Facebook100/mat"

# File, sha256, people and friendships, features and years after the recipe.
_TABLE = (
    ("Amherst41", "3108e4b2edb01be05c5a61147583a40e61012820fff7eebe621dd26018caaf00", 1787, 73892, 100, 5),
    ("Bowdoin47", "6b63fc44365719b51bee41a9907728b79986ab035df14c68ddc79e8d7e94c4cd", 1824, 69093, 129, 5),
    ("Caltech36", "597d8307f9aaaaf50343e12a22893c203c52b92e1dd5b3fb35e13f19871d6ffa", 564, 13299, 79, 4),
    ("Cornell5", "d9ff76ae34e855cb77b0779a3a320f7f73f848901cb13352e2734c17804c4aec", 15374, 651726, 349, 6),
    ("Hamilton46", "0ecf04e8f149fd98bcca55d4e13c22cdc24085a488a83730a9555f05355788b4", 1961, 81979, 130, 5),
    ("Haverford76", "2a00dccab9651531e7f3e0928eb5197450d36dbf9549782fe7d79998cd5f5bbb", 1039, 43013, 126, 4),
    ("JohnsHopkins55", "fc7243bf257155df03afbc397ab34b5f8eb8e75f40cd1603398e207a033ef50f", 4425, 162995, 253, 6),
    ("MIT8", "ad4a4614ba42c6f85bcc6025331dd7b0059d4eab3cdd8ec6d86ded07aaa0b63b", 4874, 206463, 157, 6),
    ("Mich67", "50ab378024d27c9f064da23e57f2049e9e673ea031241cabe460cf417fe729fd", 2724, 49494, 209, 5),
    ("Oberlin44", "52aefa253d9181bafee414de6f1b115f0b13d0621c4977786976b1a6904d2642", 2328, 67426, 170, 5),
    ("Reed98", "d12ec74dc8c6e237385975b976c3709555a83629a1260be693fb688e3446070e", 780, 14644, 117, 5),
    ("Simmons81", "c4abbe3ab631c83d9775893d207984e9e9ae989364965560637ffdd7ca7fd677", 1168, 24449, 124, 4),
    ("Smith60", "4b227502d331f0ba3b7efe15b43465704d6dd90bc2b6d25cf6a2ea8f18fe34b2", 2577, 82006, 145, 5),
    ("Swarthmore42", "302e2c50822e527a63b8ccb9427911f582f272291b1d5a5c3a1d235d047e9870", 1402, 52489, 120, 5),
    ("Trinity100", "6479f33386b93aabd2df7f71d778deac2f8b59e0ca33c9d6315e1a1b042ad96f", 2202, 94572, 144, 5),
    ("USFCA72", "01c0fb559abfd36078501082369a8db6eec5abd2bcf7f25068e36f0e89b64c5d", 2202, 49815, 115, 5),
    ("Wellesley22", "6a460711431cb7abf7b46d799c7ad542fca579b075257ec7ebd6a29b3bc73d16", 2567, 81179, 159, 6),
    ("Wisconsin87", "9e1bc77dd1486cf1b41a1aa38c80a41510c944085d8b8b84ac50f724f9c84e86", 17703, 545495, 613, 5),
)

_CAUTION = "Real people's friendships of 2005, without names: treat them as such."


def _spec(file: str, sha256: str = "", sizes: tuple[int, int, int, int] | None = None) -> DatasetSpec:
    path = f"{FOLDER}/{file}.mat"
    return DatasetSpec(
        name=f"fb100-{file.lower()}",
        title=f"Facebook, {file}",
        about="Students of one school and who was whose friend on Facebook in 2005; when will each graduate?",
        kind="real",
        source="Traud et al., Social Structure of Facebook Networks, 2012",
        licence="repository MIT (sisaman/pyg-datasets); the data's own licence is not stated",
        nodes=sizes[0] if sizes else None,
        edges=sizes[1] if sizes else None,
        features=sizes[2] if sizes else None,
        classes=sizes[3] if sizes else None,
        files=((path, sha256),),
        urls=((path, f"{_URL}/{file.replace('JohnsHopkins', 'Johns%20Hopkins')}.mat"),),
        caution=_CAUTION,
    )


SCHOOLS = tuple(_spec(file, sha256, (n, e, f, c)) for file, sha256, n, e, f, c in _TABLE)


def school_by_file(name: str, root: Path | None = None) -> DatasetSpec:
    """The spec of a school that the table does not list but whose file is in the data folder.

    `name` is fb100-<file in lower case>. Raises `UnknownName` with the sentence that says which file to put
    where.
    """
    school = name.removeprefix("fb100-")
    folder = (root or data_root()) / FOLDER
    for path in sorted(folder.glob("*.mat")) if folder.is_dir() else ():
        if path.stem.replace(" ", "").lower() == school:
            return _spec(path.stem)
    raise UnknownName(
        f"there is no Facebook100 school {school} at "
        f"hand{nearest(school, [file.lower() for file, *_ in _TABLE])}; put its file, such as "
        f"UIllinois20.mat for fb100-uillinois20, into {folder}"
    )
