"""A plot that may be redrawn once a second and still keeps its zoom and its hidden traces."""

from privgraph_workbench.live_plot.component import grow, show

__all__ = ["grow", "show"]
