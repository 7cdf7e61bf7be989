"""Loading a data set by name, with a split."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from zipfile import BadZipFile

import numpy as np

from privgraph.data import embedded, real, tabular, texts
from privgraph.data.build import build
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.fetch import OnProgress, fetch_files
from privgraph.data.graph import Graph
from privgraph.data.own.open import mapped
from privgraph.data.parts import Files, Parts
from privgraph.data.products import products
from privgraph.data.spec import DatasetSpec
from privgraph.data.splits import check_split, with_split
from privgraph.data.uploads import unpacked_texts, upload_facts, upload_path
from privgraph.options import OptionError
from privgraph.options import build as build_options


def load(
    name: str,
    *,
    split: str = "random",
    split_seed: int = 0,
    data_options: Mapping[str, object] | None = None,
    progress: OnProgress | None = None,
) -> Graph:
    """The data set `name` as a graph, with its split.

    `split` is random (75/10/15 by `split_seed`), public (where the data has one) or inductive (see
    `splits.with_split`). `data_options` are those of an embedded set that has any. Raw files are taken from
    the data folder; what is missing there is fetched, and `progress` is told. Raises `UnknownName`,
    `OptionError`, or `DataError` with one sentence.
    """
    spec = dataset(name)
    check_split(split)
    if split == "public" and not spec.public_split:
        raise DataError(f"{spec.title} has no public split: use random or inductive")
    if spec.kind == "upload" and upload_path(name).is_dir():
        graph = mapped(name, upload_path(name), upload_facts(name))
    else:
        graph = build(name, _read(spec, data_options or {}, progress))
    return replace(graph, split="public") if split == "public" else with_split(graph, split_seed, split)


def _read(spec: DatasetSpec, options: Mapping[str, object], progress: OnProgress | None) -> Parts:
    kind = spec.load_options()
    if options and kind is None:
        raise OptionError(f"{spec.title} has no options of its own (got {', '.join(options)})")
    if spec.kind == "embedded":
        make = _EMBEDDED[spec.name]
        return make() if kind is None else make(build_options(kind, options))
    if spec.kind == "upload":
        return _read_npz(spec)
    files = fetch_files(spec, progress)
    # A reader is named by its set, or by the folder that raw files lie in.
    reader = _READERS.get(spec.name) or _READERS[spec.files[0][0].split("/", 1)[0]]
    try:
        return reader(spec, files)
    except DataError:
        raise
    except (OSError, EOFError, LookupError, ValueError, BadZipFile) as error:
        raise DataError(f"{spec.title} cannot be read: {type(error).__name__} {error}".replace("\n", " ")) from error


def _read_npz(spec: DatasetSpec) -> Parts:
    """An upload to a version before 0.6.0."""
    with np.load(upload_path(spec.name), allow_pickle=False) as arrays:
        own = unpacked_texts(arrays["texts"], arrays["text_ends"]) if "texts" in arrays.files else ()
        return Parts(
            x=arrays["x"],
            y=arrays["y"],
            edges=arrays["edges"],
            class_names=arrays["class_names"],
            feature_names=arrays["feature_names"],
            public=[arrays[name] for name in ("train", "val", "test") if name in arrays.files],
            texts=own,
            domains=arrays["domains"] if own else (),
            domain_names=spec.domains,
        )


_EMBEDDED: Mapping[str, Callable[..., Parts]] = {
    "social": embedded.social,
    "digits": embedded.digits,
    "patients": embedded.patients,
    "karate": embedded.karate,
    "products": products,
}

_READERS: Mapping[str, Callable[[DatasetSpec, Files], Parts]] = {
    "Planetoid": real.read_planetoid,
    "FacebookPagePage": real.read_musae,
    "Twitch": real.read_musae,
    "Amazon": real.read_benchmark,
    "Coauthor": real.read_benchmark,
    "CitationFull": real.read_benchmark,
    "WikiCS": real.read_wikics,
    "Reddit": real.read_reddit,
    "OGB": real.read_ogbn,
    "FairTabular": tabular.read_fair,
    "Facebook100": tabular.read_school,
    "TextGraphs": texts.read_table,
    "coauthors": texts.read_coauthors,
}
