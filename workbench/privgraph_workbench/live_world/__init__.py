"""The playground's drawn world, whose noise is drawn again and again in the browser."""

from privgraph_workbench.live_world.component import show

__all__ = ["show"]
