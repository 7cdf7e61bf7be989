"""The list of runs as one table of links: a setting in a row, its seeds below it when somebody asks."""

from privgraph_workbench.run_list.component import show

__all__ = ["show"]
