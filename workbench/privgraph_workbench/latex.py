"""The runs of a report as a table for LaTeX."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from privgraph_workbench import tables
from privgraph_workbench.blocks import Table
from privgraph_workbench.words.bibliography import named, papers, titled

SHARES = (0.20, 0.09, 0.10, 0.11, 0.13, 0.09, 0.19)
"""Of a LaTeX table's width, by column."""
MOST_ON_A_PAGE = 12
"""Rows, of several lines each, that surely fit on one page."""
CAPTION = "Settings: whom each protects, its three ε, and what it reached."
ALONE = " Below the rule: settings that stand in figures alone."
LABEL = "tab:runs"
IN_COLUMNS = "% in a class of two columns: {}"
SHORT_IN_COLUMNS, LONG_IN_COLUMNS = (
    r"\begin{table*} and \end{table*} in place of \begin{table} and \end{table}",
    r"longtable fails there; \onecolumn before this file and \twocolumn behind it",
)
"""What has to be changed where a text has two columns."""
_ESCAPED = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "—": "---",
    **{"ε": r"$\varepsilon$", "δ": r"$\delta$", "σ": r"$\sigma$", "λ": r"$\lambda$", "∞": r"$\infty$"},
    **{"≥": r"$\geq$", "≤": r"$\leq$", "≈": r"$\approx$", "±": r"$\pm$", "×": r"$\times$", "·": r"$\cdot$"},
    **{"→": r"$\to$", "−": "$-$", "₁": "$_1$", "₂": "$_2$", "–": "--", "“": "``", "”": "''", "’": "'", "…": r"\dots{}"},
    **{sign: f"${sign}$" for sign in "<>|"},  # in LaTeX's own encoding of text these print other signs
}
_PIECE = re.compile(r"(?<![\w.])(?:1|(?P<factor>\d+\.?\d*))e(?P<minus>-?)\+?0*(?P<exponent>\d+)(?!\w)|.", re.DOTALL)
"""A power of ten, or a single letter."""


def _as_tex(piece: re.Match[str]) -> str:
    if not piece["exponent"]:
        return _ESCAPED.get(piece[0], piece[0])
    power = f"10^{{{piece['minus']}{piece['exponent']}}}"
    return rf"${piece['factor']}\cdot {power}$" if piece["factor"] else f"${power}$"


def text(said: str) -> str:
    r"""The text as LaTeX prints it.

    >>> text("50% at ε 1")
    '50\\% at $\\varepsilon$ 1'
    """
    return _PIECE.sub(_as_tex, said)


def cited(names: Iterable[str]) -> str:
    r"""Methods, attacks and data sets of which there is a paper, each with the command that cites it by the
    keys of references.bib.

    >>> cited(["gap", "nothing"])
    'GAP~\\cite{sajadmanesh2023gap}'
    """
    told = ((name, list(papers([name]))) for name in dict.fromkeys(names))
    return ", ".join(f"{text(titled(name))}~{_cite(keys)}" for name, keys in told if keys)


def _cite(keys: Iterable[str]) -> str:
    return rf"\cite{{{','.join(keys)}}}"


def _papers(lines: Sequence[tables.Line]) -> list[str]:
    """Behind each setting the command that cites the papers of its method; "" where there is none."""
    held = [list(papers([named(one.record.spec)])) for one in lines]
    return [f"~{_cite(keys)}" if keys else "" for keys in held]


def table(lines: Sequence[tables.Line], *, cite: bool = False, alone: Container[str] = ()) -> str:
    """A table as wide as the text, with booktabs' rules, caption, label, and its footnotes below it; of many
    rows one that goes on over pages, with its head on each. With `cite` settings cite the papers of their
    methods, which have to be in the bibliography. `alone`: the names of lines that a rule parts from those
    before them, for they stand in figures alone."""
    long = len(lines) > MOST_ON_A_PAGE
    notes: tables.Notes = {}
    groups = [
        (heading, held, tables.in_words(held, notes), _papers(held) if cite else [""] * len(held))
        for heading, held in tables.by_graph(lines)
    ]

    def line(cells: Sequence[str], behind: str = "") -> str:
        first, *rest = map(text, cells)
        return f"{' & '.join([first + behind, *rest])} \\\\"

    def headed(heading: str, whole: Table) -> list[str]:
        if len({told.head for _, _, told, _ in groups}) > 1:  # one head stands above graphs of several metrics
            heading = f"{heading}: {whole.head[-1]}"
        above = rf"\multicolumn{{{len(SHARES)}}}{{@{{}}p{{\linewidth}}@{{}}}}{{\textbf{{{text(heading)}}}}} \\"
        return [r"\addlinespace", above] if heading else []

    def rows(held: Sequence[tables.Line], whole: Table, behind: Sequence[str]) -> list[str]:
        found: list[str] = []
        for before, one, cells, papers_of in zip((None, *held), held, whole.rows, behind, strict=False):
            parts = before is not None and before.name not in alone and one.name in alone
            found += [*[r"\midrule"] * parts, line(cells, papers_of)]
        return found

    parted = any(one.name in alone for one in lines) and any(one.name not in alone for one in lines)
    caption = rf"\caption{{{text(CAPTION + ALONE * parted)}}}\label{{{LABEL}}}"
    top = [r"\toprule", line(tables.head(lines))]
    columns = "\n".join(rf"  >{{\raggedright\arraybackslash}}p{{{share}\linewidth}}" for share in SHARES)
    return "\n".join(
        [
            r"% needs \usepackage{array,booktabs" + ",longtable" * long + "}" + "; cites references.bib" * cite,
            IN_COLUMNS.format(LONG_IN_COLUMNS if long else SHORT_IN_COLUMNS),
            *([] if long else [r"\begin{table}", caption]),
            r"\begingroup\footnotesize\setlength{\tabcolsep}{0.005\linewidth}%",
            (r"\begin{longtable}" if long else r"\noindent\begin{tabular}") + f"{{@{{}}{columns.strip()}@{{}}}}",
            *([rf"{caption} \\", *top, r"\midrule\endfirsthead"] if long else []),
            *top,
            r"\midrule" + r"\endhead" * long,
            *(
                one
                for heading, held, told, behind in groups
                for one in (*headed(heading, told), *rows(held, told, behind))
            ),
            r"\bottomrule",
            r"\end{longtable}" if long else r"\end{tabular}",
            "",
            *(
                rf"\noindent {text(one)}\par"
                for one in (f"{tables.about(lines)} {tables.ALONE}", " ".join(tables.below(notes)))
                if one
            ),
            r"\endgroup",
            *([] if long else [r"\end{table}"]),
            "",
        ]
    )
