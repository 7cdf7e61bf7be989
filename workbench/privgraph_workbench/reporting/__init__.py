"""Several runs and figures as one report: a zip archive that is read without a network.

Holds one HTML file and a PDF, every figure as SVG, PDF, PNG, CSV (with its statement beside it) and JSON,
tables as LaTeX and CSV, BibTeX of the papers, every privacy statement in full, the commands that reproduce
the runs, and an executed notebook.
Equal runs, figures and words give equal bytes. What only an evaluator may see is said on the first page.
"""

from __future__ import annotations

from privgraph_workbench.reporting.apart import told_apart
from privgraph_workbench.reporting.archive import FILES, Step, build, folder, page, pictures, sections
from privgraph_workbench.reporting.asked import (
    AUTHOR,
    CAPTION,
    DATE,
    REMARK,
    TITLE,
    Asked,
    Drawn,
    Told,
    drawn,
    title_of,
    told_of,
)
from privgraph_workbench.reporting.findings import of as finding
from privgraph_workbench.reporting.first_page import remark
from privgraph_workbench.reporting.remembered import told
from privgraph_workbench.reporting.usual_figures import usual
from privgraph_workbench.reporting.verdicts import of as verdict
from privgraph_workbench.reporting.withholding import Decided, decided

__all__ = [
    "AUTHOR",
    "CAPTION",
    "DATE",
    "FILES",
    "REMARK",
    "TITLE",
    "Asked",
    "Decided",
    "Drawn",
    "Step",
    "Told",
    "build",
    "decided",
    "drawn",
    "finding",
    "folder",
    "page",
    "pictures",
    "remark",
    "sections",
    "title_of",
    "told",
    "told_apart",
    "told_of",
    "usual",
    "verdict",
]
